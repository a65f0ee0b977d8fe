// The vector evaluator against the scalar reference: same bits for every function, policy, instruction set,
// length and alignment.
#include "sample_tables.h"
#include "vector_cases.h"

namespace act::testing_support {
namespace {

using Form = VectorTable::Form;

constexpr const char* kCatalogs[] = {"trainium", "with_ln", "trainium-minimax", "with_ln-minimax"};

class VectorCatalog : public ::testing::TestWithParam<const char*> {};
std::string test_name(const ::testing::TestParamInfo<const char*>& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Embedded, VectorCatalog, ::testing::ValuesIn(kCatalogs), test_name);

TEST_P(VectorCatalog, EdgesOfEveryFunctionUnderEveryPolicyOnEveryTarget) {
  std::mt19937 gen(7);
  for (const FunctionTable* table : tables_of(GetParam())) {
    const std::vector<float> telling = telling_inputs(*table);
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      for (const EvalPolicy& policy : all_eval_policies())
        expect_vector_equals_scalar(*table, policy, telling);
      std::vector<float> noise(telling.size());
      for (float& v : noise) v = random_pattern(gen);
      expect_vector_equals_scalar(*table, {}, noise);
    }
  }
}

// Every 256th pattern, a different residue per function: 2^24 inputs each on the preferred target.
TEST_P(VectorCatalog, StridedSweepOfEveryFunction) {
  std::uint32_t residue = 1;
  for (const FunctionTable* table : tables_of(GetParam())) {
    residue = (residue * 73 + 11) % 256;
    sweep_patterns(*table, residue, 256);
  }
}

TEST_P(VectorCatalog, SparseSweepOnEveryTarget) {
  for (const std::string_view target : vector_targets()) {
    const TargetGuard guard(target);
    for (const FunctionTable* table : tables_of(GetParam())) sweep_patterns(*table, 12345, 65537);
  }
}

// Nothing but the vector path is worth testing here: every shipped table has one.
TEST_P(VectorCatalog, EveryFunctionHasAVectorForm) {
  for (const FunctionTable* table : tables_of(GetParam())) {
    const VectorTable vector(*table);
    EXPECT_NE(vector.form(), Form::scalar) << table->name;
    EXPECT_EQ(vector.form() == Form::direct || vector.form() == Form::parametric, table->resident())
        << table->name;
    // Taylor tables expand in the middle of their sections (02 section 17, G-1), minimax tables where they
    // like.
    if (vector.form() == Form::quick_cubic || vector.form() == Form::cubic) {
      const bool taylor = std::string_view(GetParam()).find("minimax") == std::string_view::npos;
      EXPECT_EQ(vector.form(), taylor ? Form::quick_cubic : Form::cubic) << table->name;
    }
  }
}

TEST(Vector, ATellingInputInARandomLaneAmongNoise) {
  std::mt19937 gen(11);
  for (const char* name : {"exp", "tanh", "sqrt", "relu", "sigmoid", "reciprocal"}) {
    const auto tables = tables_of("trainium");
    const auto* table =
        *std::find_if(tables.begin(), tables.end(), [&](const FunctionTable* t) { return t->name == name; });
    const std::vector<float> telling = telling_inputs(*table);
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      const VectorTable vector(*table);
      for (int round = 0; round < 400; ++round) {
        std::vector<float> in(300), out(300);
        for (float& v : in)
          v = std::ldexp(1.0F + static_cast<float>(gen() % 1000) / 1000, static_cast<int>(gen() % 30) - 20);
        in[gen() % in.size()] = telling[gen() % telling.size()];
        vector.evaluate(in, out);
        expect_reference(*table, {}, in, out, 0);
      }
    }
  }
}

// Lengths 0 to 67 and around a chunk, inputs and outputs at every offset of a register, nothing beside them
// touched.
TEST(Vector, LengthsAndMisalignments) {
  std::mt19937 gen(13);
  constexpr float kUntouched = 1234.5F;
  std::vector<std::size_t> lengths(68);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i;
  lengths.insert(lengths.end(), {255, 256, 257, 300, 511, 512, 513});
  const auto tables = tables_of("trainium");
  for (const FunctionTable* table : tables) {
    const bool chosen = table->name == "exp" || table->name == "square" || table->name == "parametric_relu" ||
                        table->name == "sqrt";
    if (!chosen) continue;
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      const VectorTable vector(*table);
      for (const std::size_t n : lengths)
        for (std::size_t shift = 0; shift < 16; ++shift) {
          std::vector<float> in(n + 40), out(n + 40, kUntouched);
          for (float& v : in) v = random_pattern(gen);
          const std::size_t from = shift, to = (shift * 7 + 3) % 16;
          vector.evaluate({in.data() + from, n}, {out.data() + to, n}, 0.5F);
          expect_reference(*table, {}, {in.data() + from, n}, {out.data() + to, n}, 0.5F);
          EXPECT_TRUE(std::all_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(to),
                                  [](float v) { return v == kUntouched; }));
          EXPECT_TRUE(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(to + n), out.end(),
                                  [](float v) { return v == kUntouched; }));
        }
    }
  }
}

TEST(Vector, InPlace) {
  std::mt19937 gen(17);
  for (const FunctionTable* table : tables_of("trainium")) {
    std::vector<float> in(1000);
    for (float& v : in) v = random_pattern(gen);
    std::vector<float> values = in;
    VectorTable(*table).evaluate(values, values, 2);
    expect_reference(*table, {}, in, values, 2);
  }
}

// --- tables that nobody ships
// ----------------------------------------------------------------------------------

class RandomTable {
 public:
  explicit RandomTable(unsigned seed) : gen_(seed) {}

  FunctionTable next() {
    FunctionTable t;
    t.name = "random";
    t.symmetry = {flip(), flip(), flip(), flip() ? 0.0F : value()};
    linear_ = below(4) == 0;
    centred_ = below(2) == 0;
    fill(t.pos, 0);
    fill(t.neg, 0x80000000u);
    if (centred_) t.pos.low.section.x = t.neg.low.section.x = 0;
    t.specials = {any(), any(), any(), any()};
    return t;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(gen_() % n); }
  bool flip() { return below(2) == 0; }
  float value() {
    return std::ldexp(static_cast<float>(static_cast<int>(gen_() % 4001) - 2000),
                      static_cast<int>(below(40)) - 25);
  }
  float any() { return below(8) == 0 ? random_pattern(gen_) : value(); }
  Section section() {
    Section s{any(), any(), any(), any(), any()};
    if (linear_) s.d2 = s.d3 = s.x = 0;
    if (below(10) == 0) s.d0 = bits_float(0x80000000u);
    if (below(10) == 0) s.d1 = bits_float(0x80000000u);
    return s;
  }
  // `sign` is that of the side's inputs.
  void fill(Side& side, std::uint32_t sign) {
    const std::uint32_t octaves = std::array{0u, 1u, 3u, 20u, 32u, 33u, 100u}[below(7)];
    const int lowest = static_cast<int>(below(254 - octaves)) - 127;
    for (std::uint32_t i = 0; i < octaves; ++i) {
      Octave o{.exponent = lowest + static_cast<int>(i), .extract_size = below(5), .sections = {}};
      const std::uint32_t width = 1u << (23 - o.extract_size);
      std::uint32_t key = static_cast<std::uint32_t>(o.exponent + 127) << 23;
      for (std::size_t k = 0; k < o.capacity(); ++k, key += width) {
        o.sections.push_back(section());
        if (centred_) o.sections.back().x = bits_float((key + width / 2 - 1) | sign);
      }
      side.octaves.push_back(std::move(o));
    }
    // Thresholds inside the octaves, or clamps that meet.
    const std::uint32_t first = static_cast<std::uint32_t>(lowest + 127);
    side.low = {octaves == 0 ? first : first + below(octaves), below(1 << 23), section()};
    side.high = {octaves == 0 ? first : first + below(octaves + 1), octaves == 0 ? 0 : below(1 << 23),
                 section()};
    if (octaves != 0 && side.high.sat_point == first + octaves) side.high.mantissa_point = 0;
    if (below(6) == 0)
      side.low.sat_point = side.low.mantissa_point = side.high.sat_point = 0,
      side.high.mantissa_point = below(3);
  }

  std::mt19937 gen_;
  bool linear_ = false;
  bool centred_ = false;  // sections expand in their middle, as those of Taylor tables do
};

TEST(Vector, RandomTablesOfEveryShape) {
  RandomTable random(23);
  std::array<int, 6> forms{};
  std::mt19937 gen(29);
  for (int i = 0; i < 300; ++i) {
    const FunctionTable table = random.next();
    std::vector<float> in = telling_inputs(table);
    for (int k = 0; k < 500; ++k) in.push_back(random_pattern(gen));
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      for (const EvalPolicy& policy : all_eval_policies()) {
        ++forms[static_cast<std::size_t>(VectorTable(table, policy).form())];
        expect_vector_equals_scalar(table, policy, in);
      }
    }
    if (HasFailure()) break;
  }
  // All forms were met but the parametric one, which a random table does not have.
  for (const Form f : {Form::scalar, Form::linear, Form::quick_cubic, Form::cubic})
    EXPECT_GT(forms[static_cast<std::size_t>(f)], 0) << static_cast<int>(f);
}

// Tables that expand in the middle of their sections, with terms of all proportions to one another: so small
// that they only turn the last rounding, equal, cancelling, near the ends of binary32.
class ProportionedTable {
 public:
  explicit ProportionedTable(unsigned seed) : gen_(seed) {}
  static constexpr int kOctaves = 4;

  FunctionTable next() {
    FunctionTable t;
    t.name = "proportioned";
    t.symmetry = {flip(), flip(), flip(), flip() ? 0.0F : term(0)};
    lowest_ = between(-126, 120);
    for (Side* side : {&t.pos, &t.neg}) {
      const bool negative = side == &t.neg;
      for (int o = 0; o < kOctaves; ++o) side->octaves.push_back(octave(lowest_ + o, negative));
      const auto first = static_cast<std::uint32_t>(lowest_ + 127);
      side->low = {first, below(1000), {term(0), term(0), term(0), term(0), 0}};
      side->high = {first + kOctaves, 0, {term(0), term(0), term(0), term(0), flip() ? 0.0F : term(3)}};
      if (flip()) cut(*side, negative);
    }
    return t;
  }
  // Mostly in the octaves, some anywhere.
  float input() {
    const std::uint32_t pattern =
        below(50) == 0 ? below(0x7f800000u)
                       : (static_cast<std::uint32_t>(lowest_ + 127) << 23) + below(kOctaves << 23);
    return bits_float(pattern | (flip() ? 0x80000000u : 0));
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(gen_() % n); }
  bool flip() { return below(2) == 0; }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1)));
  }
  float term(int exponent) {
    if (below(6) == 0) return 0;
    const float m = below(3) == 0 ? 1.0F : 1 + std::ldexp(static_cast<float>(below(1 << 23)), -23);
    return std::ldexp(flip() ? m : -m, std::clamp(exponent, -149, 127));
  }
  Octave octave(int exponent, bool negative) {
    Octave o{.exponent = exponent, .extract_size = below(7), .sections = {}};
    const int reach = exponent - static_cast<int>(o.extract_size) - 1;
    const std::uint32_t width = 1u << (23 - o.extract_size);
    std::uint32_t key = static_cast<std::uint32_t>(exponent + 127) << 23;
    for (std::size_t k = 0; k < o.capacity(); ++k, key += width) {
      const int size = below(10) == 0 ? between(-140, 120) : between(-30, 30);
      o.sections.push_back({term(size), term(size - reach + between(-12, 2)),
                            term(size - 2 * reach + between(-26, 2)),
                            term(size - 3 * reach + between(-30, 2)),
                            bits_float((key + width / 2 - 1) | (negative ? 0x80000000u : 0))});
    }
    return o;
  }

  // The high slot begins in the last octave, which ends there, and expands near that place or at none.
  void cut(Side& side, bool negative) {
    Octave& last = side.octaves.back();
    ClampPoint& high = side.high;
    high.sat_point = static_cast<std::uint32_t>(last.exponent + 127);
    high.mantissa_point = 1 + below((1 << 23) - 1);
    last.sections.resize(((high.mantissa_point - 1) >> (23 - last.extract_size)) + 1);
    const float begin = bits_float((high.sat_point << 23) + high.mantissa_point);
    const float centre = begin * std::array{0.75F, 1.0F, 1.25F, -1.0F}[below(4)];
    const int size = between(-30, 30);
    high.section = {term(size), term(size - last.exponent), term(size - 2 * last.exponent - between(0, 20)),
                    term(size - 3 * last.exponent - between(0, 20)), negative ? -centre : centre};
    if (below(10) == 0) high.section.x = std::copysign(INFINITY, high.section.x);
  }

  std::mt19937_64 gen_;
  int lowest_ = 0;
};

TEST(Vector, TermsOfAllProportions) {
  const std::vector<EvalPolicy> policies = all_eval_policies();
  ProportionedTable random(31);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    const FunctionTable table = random.next();
    std::vector<float> in(1 << 14);
    for (float& v : in) v = random.input();
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      expect_vector_equals_scalar(table, policies[static_cast<std::size_t>(i) % policies.size()], in);
    }
  }
}

// One section from 1 to 2 and one from -1 to -2, expanding in their middle.
constexpr float kMiddle = 0x1.7ffffep0F;
FunctionTable one_section(float d0, float d1, float d2, float d3) {
  FunctionTable t;
  t.name = "one";
  for (Side* side : {&t.pos, &t.neg}) {
    const float x = side == &t.pos ? kMiddle : -kMiddle;
    side->octaves.push_back({.exponent = 0, .extract_size = 0, .sections = {{d0, d1, d2, d3, x}}});
    side->low = {126, 0x7fffff, {1, 1, 1, 0, 0}};  // no linear table
    side->high = {128, 0, {1, 1, 0, 0, 0}};
  }
  return t;
}

// Sections for which binary32 alone would be wrong: a zero of the wrong sign, a cube that vanishes in the
// factor but gives the sign of the result, and terms that cancel to their binary64 roundings.
TEST(Vector, SectionsWithoutAProof) {
  struct Case {
    FunctionTable table;
    float t;  // where it would be wrong
  };
  std::vector<Case> cases = {{one_section(-0.0F, 0, 0, 0), -0.25F},
                             {one_section(0, 0, 0, 0x1p-149F), -0.25F}};
  std::mt19937 gen(37);
  for (int i = 0; i < 50; ++i) {
    const float t = static_cast<float>(gen() % (1 << 21) * 2 + 1) * 0x1p-23F;
    cases.push_back({one_section(0, 0, -3 * t, 3), t});
  }
  for (const auto& [table, t] : cases)
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      for (const float middle : {kMiddle, -kMiddle})
        expect_vector_equals_scalar(table, {}, std::vector<float>(300, middle + t));
    }
}

// Nothing forbids it; every distance from there is infinite.
TEST(Vector, HighSlotThatExpandsAtInfinity) {
  for (const float centre : {INFINITY, -INFINITY, std::numeric_limits<float>::quiet_NaN()})
    for (const bool square : {false, true}) {
      FunctionTable t = sample_table("far", 1);
      for (Side* side : {&t.pos, &t.neg}) side->high.section = {1, 1, square ? 1.0F : 0.0F, 0, centre};
      expect_vector_equals_scalar(t, {}, telling_inputs(t));
    }
}

// Functions without a table body, with slots and stored results of every kind, that follow from the slots or
// do not.
TEST(Vector, DirectFunctionsOfAllSlots) {
  std::mt19937 gen(41);
  const std::array<float, 12> some = {0,        0,         1,      1,     -1,    0.01F,
                                      INFINITY, -INFINITY, 1e-45F, 3e38F, -0.0F, std::nanf("")};
  const auto any = [&] { return some[gen() % some.size()]; };
  const auto plain = [&] { return some[gen() % 3]; };
  std::vector<float> in = telling_inputs(one_section(0, 0, 0, 0));
  for (int k = 0; k < 500; ++k) in.push_back(random_pattern(gen));
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    const auto value = [&] { return i % 2 == 0 ? any() : plain(); };
    FunctionTable t;
    t.name = "direct";
    t.symmetry = {gen() % 2 == 0, gen() % 2 == 0, gen() % 2 == 0, value()};
    for (Side* side : {&t.pos, &t.neg}) {
      side->high = {0,
                    static_cast<std::uint32_t>(gen() % 2),
                    {value() + 0.0F, value(), gen() % 2 == 0 ? 0 : value(), 0, 0}};
      if (i % 5 == 0) side->high.section = {0, 0, 1, 0, 0};
    }
    t.specials = i % 3 == 0 ? StoredSpecials{value(), any(), INFINITY, INFINITY}
                            : StoredSpecials{0, any(), INFINITY, value()};
    ASSERT_EQ(VectorTable(t).form(), Form::direct);
    const std::vector<EvalPolicy> policies = all_eval_policies();
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      expect_vector_equals_scalar(t, policies[static_cast<std::size_t>(i) % policies.size()], in);
    }
  }
}

// An input whose section is not there gives a quiet NaN by the scalar path.
TEST(Vector, TablesWithHolesAreLeftToTheScalarPath) {
  FunctionTable t = sample_table("holes", 1);
  expect_vector_equals_scalar(t, {}, telling_inputs(t));
  EXPECT_EQ(VectorTable(t).form(), Form::cubic);
  t.pos.octaves[2].sections.pop_back();
  EXPECT_EQ(VectorTable(t).form(), Form::scalar);
  expect_vector_equals_scalar(t, {}, telling_inputs(t));
}

TEST(Vector, TargetsByName) {
  const std::vector<std::string_view> targets = vector_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.back(), "scalar");
  EXPECT_EQ(vector_target(), targets.front());
  for (const std::string_view name : targets) {
    const TargetGuard guard(name);
    EXPECT_EQ(vector_target(), name);
  }
  EXPECT_EQ(vector_target(), targets.front());
  EXPECT_FALSE(select_vector_target("AVX-1024"));
}

}  // namespace
}  // namespace act::testing_support
