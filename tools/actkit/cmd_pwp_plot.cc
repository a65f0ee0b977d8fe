// actkit pwp plot: a picture of a function and its table, drawn by gnuplot.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "plot_data.h"
#include "pwp.h"

namespace act::tool {
namespace {

struct PlotCommand {
  std::string catalog, function, set, out, axis = "auto";
  PlotOptions plot;
  bool json = false;
};

Diagnostic tool_error(std::string message) { return make_error(Code::io_error, std::move(message)); }

// Runs gnuplot on the script and returns what it drew. The script goes through a file, so that both
// directions need no second process of ours.
Result<std::string> draw(const std::string& script) {
  std::array<char, 32> name{"/tmp/actkit-plot-XXXXXX"};
  const int fd = ::mkstemp(name.data());
  if (fd < 0) return tool_error("a temporary file for gnuplot cannot be made");
  ::close(fd);
  const auto clean = [&] { ::unlink(name.data()); };
  if (Status written = write_text(name.data(), script); !written) {
    clean();
    return written.error();
  }
  std::FILE* const pipe = ::popen(fmt::format("gnuplot {} 2>&1", name.data()).c_str(), "r");
  if (pipe == nullptr) {
    clean();
    return tool_error("gnuplot cannot be started");
  }
  std::string out;
  std::array<char, 4096> piece;
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe))
    out.append(piece.data(), got);
  const int status = ::pclose(pipe);
  clean();
  if (status == 0 && out.find("</svg>") != out.npos) return out;
  return tool_error(
      fmt::format("gnuplot did not draw the picture (is it installed?): {}", out.substr(0, 300)));
}

// What --from and --to must be; the axis is known after the function is.
std::optional<Diagnostic> range_problem(const PlotOptions& asked, const Plot& plot) {
  const auto problem = [](std::string field, double value, std::string allowed) {
    Diagnostic d = make_error(Code::bad_value, "the range to draw");
    d.field = std::move(field);
    d.value = fmt::format("{}", value);
    d.allowed = std::move(allowed);
    return d;
  };
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (const auto& [field, value] : {std::pair{"--from", asked.from}, std::pair{"--to", asked.to}}) {
    if (!value) continue;
    if (!(std::fabs(*value) <= kLargest)) return problem(field, *value, "a finite binary32 number");
    if (plot.logarithmic && !(*value > 0)) return problem(field, *value, "a magnitude above 0: the axis is logarithmic");
  }
  for (const PlotPanel& panel : plot.panels) {
    if (static_cast<float>(panel.from) < static_cast<float>(panel.to)) continue;
    if (asked.to) return problem("--to", *asked.to, fmt::format("above {:.9g}, where the axis begins", panel.from));
    return problem("--from", asked.from.value_or(panel.from), fmt::format("below {:.9g}, where the axis ends", panel.to));
  }
  return std::nullopt;
}

void run(const PlotCommand& options, Reporter& reporter) {
  const auto catalog = open_catalog_or_report(options.catalog, reporter);
  if (!catalog) return;
  const auto chosen = choose_table(*catalog, options.function, options.set, reporter);
  if (!chosen) return;
  const FunctionTable& table = *chosen->table;
  PlotOptions plot_options = options.plot;
  if (options.axis != "auto")
    plot_options.logarithmic = options.axis == "log";
  else if (plot_options.from.value_or(1) <= 0)  // no magnitude
    plot_options.logarithmic = false;
  const Plot plot = plot_of(table, find_function(table.name), plot_options);
  if (const auto problem = range_problem(options.plot, plot)) {
    reporter.report(*problem);
    return;
  }
  const auto printable = [](std::string text) {
    std::erase_if(text, [](char c) { return c == '"' || c == '\\' || c == '\n'; });
    return text;
  };
  std::string subtitle = fmt::format("{}, set {}: {} sections in {} octaves", catalog->label,
                                     chosen->set->name(), table.lut_size(), table.octave_count());
  if (plot.worst_ulp > 0)
    subtitle +=
        fmt::format("; worst error drawn {:.3g} ULP at {:.6g}", plot.worst_ulp, plot.worst_input);
  if (table.symmetry.enabled && plot.logarithmic) subtitle += "; the other sign mirrors";
  const std::string script = gnuplot_script(plot, printable(budgeted_name(table)), printable(subtitle));
  const auto written = [&](const std::string& text) {
    if (!ok_or_report(write_text(options.out, text), reporter) || !options.json || options.out == "-") return;
    fmt::print("{}\n", nlohmann::ordered_json({{"file", options.out}, {"function", table.name}, {"set", chosen->set->name()}, {"worst_ulp", plot.worst_ulp}, {"worst_input", plot.worst_input}})
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  };
  if (options.out.ends_with(".gp")) return written(script);
  if (const auto svg = value_or_report(draw(script), reporter)) written(*svg);
}

}  // namespace

void add_pwp_plot(CLI::App& pwp, Reporter& reporter) {
  auto options = std::make_shared<PlotCommand>();
  CLI::App* plot = add_command(pwp, "plot",
                               "An SVG of a function and its table: both curves, where octaves and sections "
                               "begin, and the error in ULP on the\n"
                               "right axis. Needs gnuplot; -o FILE.gp writes the gnuplot script instead.",
                               "  actkit pwp plot gelu -o gelu.svg\n  actkit pwp plot sqrt --catalog "
                               "trainium-minimax --axis log -o sqrt.svg");
  plot->add_option("FUNCTION", options->function, "Name of the function")->required();
  plot->add_option("-o,--output", options->out, "File to write; - for standard output")->required();
  add_catalog_option(*plot, options->catalog);
  plot->add_option("--set", options->set, "Set to take the table from; else the first that has the function");
  plot->add_option("--axis", options->axis, "Input axis; auto is logarithmic for functions over many octaves")
      ->check(CLI::IsMember({"auto", "linear", "log"}))
      ->capture_default_str();
  plot->add_option("--from", options->plot.from, "First input drawn (a magnitude on a logarithmic axis)");
  plot->add_option("--to", options->plot.to, "Last input drawn");
  plot->add_option("--points", options->plot.points, "Inputs drawn")
      ->check(CLI::Range(10u, 200000u))
      ->capture_default_str();
  plot->add_flag("--json", options->json, "Diagnostics as JSON objects, and one that names the file");
  plot->callback([options, &reporter] {
    reporter.set_json(options->json);
    run(*options, reporter);
  });
}

}  // namespace act::tool
