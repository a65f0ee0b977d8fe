#include "act/fit/structure.h"

#include <algorithm>
#include <span>

namespace act::fit {
namespace {

// `count` octaves of one extract size.
struct Run {
  std::uint32_t size;
  int count;
};

struct KnownSide {
  std::string_view function;
  int budget;
  bool negative;
  StructureSource source;
  int lowest;
  std::uint32_t sat_point, mantissa_point;
  std::span<const Run> runs;
};

constexpr Run kExp[] = {{0, 18}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}};
constexpr Run kTanh[] = {{0, 10}, {1, 1}, {2, 1}, {3, 1}, {4, 2}, {5, 1}, {4, 1}};
constexpr Run kSigmoid[] = {{0, 3}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}};
constexpr Run kErf[] = {{0, 1}, {1, 1}, {2, 1}, {3, 2}, {4, 1}, {5, 1}};
constexpr Run kArctan[] = {{0, 2}, {1, 1}, {2, 1}, {3, 1}, {4, 6}, {3, 4}, {2, 3}, {1, 3}, {0, 6}};
constexpr Run kDerivativeTanh[] = {{0, 4}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}};
constexpr Run kDerivativeSigmoid[] = {{0, 2}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}};
constexpr Run kDerivativeErf[] = {{0, 4}, {1, 1}, {2, 1}, {4, 1}, {6, 1}, {8, 1}, {9, 1}};
constexpr Run kSin[] = {{0, 8}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
constexpr Run kGeluTanhNeg[] = {{0, 4}, {1, 1}, {2, 2}, {4, 1}, {6, 1}, {10, 1}};
constexpr Run kGeluPos[] = {{0, 4}, {1, 1}, {2, 2}, {3, 3}};
constexpr Run kGeluSigmoidNeg[] = {{0, 3}, {1, 2}, {2, 1}, {3, 1}, {4, 2}, {6, 1}, {7, 1}, {8, 1}, {9, 1}};
constexpr Run kDerivativeGeluSigmoid[] = {{0, 5}, {1, 1}, {10, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}};
constexpr Run kReciprocal[] = {{5, 10}, {3, 69}, {4, 1}, {5, 4}, {0, 1}};

using enum StructureSource;
constexpr KnownSide kKnown[] = {
    {"exp", 400, false, digest, -19, 133, 3240472, kExp},
    {"exp", 400, true, digest, -19, 133, 4362891, kExp},
    {"tanh", 4, false, digest, -14, 129, 8204690, kTanh},
    {"sigmoid", 40, true, rule, -4, 133, 4663231, kSigmoid},
    {"erf", 4, false, rule, -5, 128, 6869085, kErf},
    {"arctan", 4, false, rule, -6, 147, 7847451, kArctan},
    {"derivative_tanh", 400, false, rule, -6, 132, 4544596, kDerivativeTanh},
    {"derivative_sigmoid", 40, false, rule, -4, 133, 4663231, kDerivativeSigmoid},
    {"derivative_erf", 400, false, rule, -6, 130, 1960312, kDerivativeErf},
    {"sin", 4, false, rule, -11, 128, 4451959, kSin},
    {"gelu_apprx_tanh", 40, true, rule, -7, 129, 6710972, kGeluTanhNeg},
    {"gelu_apprx_tanh", 40, false, rule, -7, 129, 541150, kGeluPos},
    {"gelu_apprx_sigmoid", 40, true, rule, -7, 132, 8264706, kGeluSigmoidNeg},
    {"gelu_apprx_sigmoid", 40, false, rule, -7, 129, 7479939, kGeluPos},
    {"derivative_gelu_apprx_sigmoid", 4096, true, rule, -7, 132, 8345940, kDerivativeGeluSigmoid},
    {"reciprocal", 400, false, rule, -42, 169, 0, kReciprocal},
};

SideStructure expand(const KnownSide& known) {
  SideStructure side{known.lowest, {}, known.sat_point, known.mantissa_point};
  for (const Run& run : known.runs) side.extract_sizes.insert(side.extract_sizes.end(), run.count, run.size);
  return side;
}

}  // namespace

std::size_t SideStructure::sections(std::size_t octave) const {
  const auto biased = static_cast<std::int64_t>(octave) + lowest + 127;
  const std::uint32_t size = extract_sizes[octave];
  if (biased < sat_point) return std::size_t{1} << size;
  if (biased > sat_point) return 0;
  const std::uint32_t lsb = 23 - size;
  return (mantissa_point + (1u << lsb) - 1) >> lsb;
}

std::size_t SideStructure::total() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < extract_sizes.size(); ++i) n += sections(i);
  return n;
}

std::string_view source_name(StructureSource source) {
  switch (source) {
    case digest: return "published digest";
    case rule: return "rule exact";
    case counted: return "count only";
    case own: return "own";
  }
  return "";
}

std::optional<Structure> known_structure(std::string_view function, int budget) {
  Structure structure;
  bool found = false;
  for (const KnownSide& known : kKnown) {
    if (known.function != function || known.budget != budget) continue;
    (known.negative ? structure.neg : structure.pos) = expand(known);
    structure.source = known.source;
    found = true;
  }
  if (!found) return std::nullopt;
  return structure;
}

}  // namespace act::fit
