// actkit pwp eval: values of a table, the path each took, the error against the correctly rounded value.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "act/files/npy.h"
#include "act/tables/evaluate.h"
#include "act/tables/layout.h"
#include "plain_inputs.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct EvalOptions {
  std::string catalog, function, set, nan = "result", recon = "folded";
  std::vector<std::string> inputs, npy;
  float alpha = kLeakySlope;
  bool json = false;
};

EvalPolicy policy_of(const EvalOptions& options) {
  EvalPolicy policy;
  if (options.nan == "propagate") policy.nan = NanPolicy::propagate;
  if (options.recon == "literal") policy.recon = ReconPolicy::literal;
  return policy;
}

// What is reported beside the value of one input.
class Evaluation {
 public:
  Evaluation(const EvalOptions& options, const ChosenTable& chosen, Reporter& reporter)
      : options_(options),
        chosen_(chosen),
        info_(find_function(chosen.table->name)),
        policy_(policy_of(options)),
        reporter_(reporter) {
    const SetLayout layout = layout_of(chosen.set->functions);
    bkt_start_ =
        layout.functions[static_cast<std::size_t>(chosen.table - chosen.set->functions.data())].bkt_start;
  }

  float value(float x) const { return evaluate(*chosen_.table, x, policy_, options_.alpha); }

  void print(float x) {
    warn(x);
    const EvalTrace trace = evaluate_traced(*chosen_.table, x, policy_, options_.alpha);
    const std::optional<double> ulp = error(x, trace.value);
    if (options_.json)
      print_json(x, trace, ulp);
    else
      print_text(x, trace, ulp);
  }

  // Range warning, and the error of an input that the table does not hold.
  void warn(float x) {
    const FunctionTable& t = *chosen_.table;
    if (outside_bounds(t, x)) {
      Diagnostic d = make_warning(
          Code::out_of_range,
          fmt::format("{}({}) is outside the documented range of the function", t.name, number_text(x)));
      d.value = number_text(x);
      d.allowed =
          fmt::format("{}{}..{}", t.symmetry.enabled && !t.symmetry.use_neg_region ? "magnitude " : "",
                      number_text(t.lower_bound), number_text(t.upper_bound));
      reporter_.report(d);
    }
    if (evaluate_traced(t, x, policy_, options_.alpha).path != EvalPath::unhandled) return;
    Diagnostic d =
        make_error(Code::unhandled_section,
                   fmt::format("{}({}): the table has no section for this input", t.name, number_text(x)));
    d.value = fmt::format("0x{:08x}", float_bits(x));
    reporter_.report(d);
  }

 private:
  std::optional<double> error(float x, float got) const {
    if (info_ == nullptr) return std::nullopt;
    if (chosen_.table->fma_indirection_src_sel == kParametricSelector)
      return std::nullopt;  // depends on alpha
    return ulp_error(*info_, x, got);
  }

  std::string place(const EvalTrace& trace) const {
    std::string out(path_name(trace.path));
    if (trace.path == EvalPath::section) out += fmt::format(" {}", trace.record);
    if (trace.cubic != nullptr)
      out += fmt::format(" (record {} of {})", bkt_start_ + trace.record, chosen_.set->name());
    if (trace.reconstructed) out += ", folded";
    return out;
  }

  void print_text(float x, const EvalTrace& trace, std::optional<double> ulp) const {
    const std::string error = !ulp                  ? ""
                              : std::isfinite(*ulp) ? fmt::format("  {:.3g} ULP", *ulp)
                                                    : "  ULP unbounded";
    fmt::print("{}({})  0x{:08x} -> 0x{:08x}  {}  {}{}\n", chosen_.table->name, number_text(x), float_bits(x),
               float_bits(trace.value), number_text(trace.value), place(trace), error);
  }

  void print_json(float x, const EvalTrace& trace, std::optional<double> ulp) const {
    nlohmann::ordered_json j = {{"function", chosen_.table->name},
                                {"set", chosen_.set->name()},
                                {"input", fmt::format("0x{:08x}", float_bits(x))},
                                {"output", fmt::format("0x{:08x}", float_bits(trace.value))}};
    if (std::isfinite(trace.value))
      j["value"] = static_cast<double>(trace.value);
    else
      j["value"] = number_text(trace.value);
    j["path"] = path_name(trace.path);
    if (trace.path == EvalPath::section) j["section"] = trace.record;
    if (trace.cubic != nullptr) j["bkt_index"] = bkt_start_ + trace.record;
    if (trace.reconstructed) j["reconstructed"] = true;
    if (ulp && std::isfinite(*ulp)) j["ulp"] = *ulp;
    fmt::print("{}\n", j.dump());
  }

  const EvalOptions& options_;
  ChosenTable chosen_;
  const FunctionInfo* info_;
  EvalPolicy policy_;
  Reporter& reporter_;
  std::uint32_t bkt_start_ = 0;
};

void run_array(const EvalOptions& options, Evaluation& evaluation, Reporter& reporter) {
  auto array = value_or_report(read_npy(options.npy[0]), reporter);
  if (!array) return;
  if (!(array->type == npy_type<float>())) {
    Diagnostic d = make_error(Code::bad_value, "the array must hold binary32 numbers");
    d.where.file = options.npy[0];
    d.value = array->type.name();
    d.allowed = "f4";
    reporter.report(d);
    return;
  }
  std::vector<float> values = array->values<float>();
  for (float& v : values) v = evaluation.value(v);
  ok_or_report(write_npy(options.npy[1], NpyArray::from(array->shape, values)), reporter);
}

constexpr std::uint64_t kMaxInputBytes = std::uint64_t{1} << 24;

// The words of the command line, or those of standard input where one is -.
std::optional<std::vector<std::string>> input_words(const EvalOptions& options, Reporter& reporter) {
  std::vector<std::string> words;
  for (const std::string& text : options.inputs) {
    if (text != "-") {
      words.push_back(text);
      continue;
    }
    const auto content = value_or_report(read_text("-", kMaxInputBytes), reporter);
    if (!content) return std::nullopt;
    std::istringstream in(*content);
    for (std::string word; in >> word;) words.push_back(word);
  }
  return words;
}

void run(const EvalOptions& options, Reporter& reporter) {
  reporter.set_json(options.json);
  const auto catalog = open_catalog_or_report(options.catalog, reporter);
  if (!catalog) return;
  const auto chosen = choose_table(*catalog, options.function, options.set, reporter);
  if (!chosen) return;
  Evaluation evaluation(options, *chosen, reporter);
  const auto words = input_words(options, reporter);
  if (!words) return;
  for (const std::string& text : *words) {
    if (const auto x = parse_input(text)) {
      evaluation.print(*x);
      continue;
    }
    Diagnostic d = make_error(Code::bad_value, "the input is no number");
    d.value = text;
    d.allowed = "decimal, inf, -inf, nan, or a binary32 pattern 0x00000000..0xffffffff";
    reporter.report_usage({d});
  }
  if (!options.npy.empty()) run_array(options, evaluation, reporter);
}

}  // namespace

std::vector<std::string> with_plain_inputs(std::vector<std::string> arguments) {
  if (arguments.size() < 2 || arguments[0] != "pwp" || arguments[1] != "eval") return arguments;
  const auto negative = [](const std::string& a) { return a.size() > 1 && a[0] == '-' && parse_input(a).has_value(); };
  const auto mark = std::find(arguments.begin() + 2, arguments.end(), "--");
  const bool numbers_behind_mark = std::all_of(mark, arguments.end(), [&](const std::string& a) {
    return a == "--" || a == "-" || a[0] != '-' || negative(a);
  });
  for (auto at = arguments.begin() + 2; at != arguments.end(); ++at)
    if (negative(*at) && !std::isdigit(static_cast<unsigned char>((*at)[1])) && *(at - 1) != "--alpha")
      *at = fmt::format("0x{:08x}", float_bits(*parse_input(*at)));
  if (mark != arguments.end() && numbers_behind_mark) arguments.erase(mark);
  return arguments;
}

void add_pwp_eval(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* eval =
      add_command(pwp, "eval", "Values of a table, bit for bit, with the path taken and the error in ULP",
                  "  actkit pwp eval exp 0.5\n  actkit pwp eval sigmoid -2.5 0x40000000 --json\n"
                  "  actkit pwp eval tanh --npy in.npy out.npy\n  actkit pwp eval exp -- -inf");
  eval->add_option("FUNCTION", options->function, "Name of the function: gelu or Gelu")->required();
  eval->add_option("X", options->inputs, "Inputs: decimal or binary32 pattern 0x…; - reads them from standard input");
  add_catalog_option(*eval, options->catalog);
  eval->add_option("--set", options->set, "Set to take the table from; else the first that has the function");
  eval->add_option("--alpha", options->alpha, "Slope of parametric_relu")->capture_default_str();
  eval->add_option("--npy", options->npy, "Evaluate an array of binary32 numbers: IN.npy OUT.npy")
      ->expected(2);
  eval->add_option("--nan", options->nan,
                   "What a NaN gives: the stored result, or a quiet NaN as in the vendor's simulator")
      ->check(CLI::IsMember({"result", "propagate"}))
      ->capture_default_str();
  eval->add_option("--recon", options->recon,
                   "Which inputs the fold is undone for: those it changed, or (literal) negative ones")
      ->check(CLI::IsMember({"folded", "literal"}))
      ->capture_default_str();
  eval->add_flag("--json", options->json, "One object an input");
  eval->callback([options, &reporter] {
    if (options->inputs.empty() && options->npy.empty()) throw CLI::RequiredError("X or --npy");
    run(*options, reporter);
  });
}

}  // namespace act::tool
