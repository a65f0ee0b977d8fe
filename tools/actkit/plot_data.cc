#include "plot_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "act/tables/evaluate.h"

namespace act::tool {
namespace {

constexpr double kWideError = 30;         // ULP
constexpr std::size_t kManyOctaves = 15;  // a side with more than this is drawn over log |x|

double pow2(int e) { return std::ldexp(1.0, e); }

// Magnitude where a side's last section ends: its high threshold.
double threshold(const Side& side) {
  const std::uint32_t bits = side.high.sat_point << 23 | side.high.mantissa_point;
  return std::min<double>(bits_float(std::min(bits, 0x7f7fffffu)), 0x1p127);
}

bool has_sections(const Side& side) { return side.section_count() != 0; }

bool many_octaves(const FunctionTable& t) {
  return std::max(t.neg.octaves.size(), t.pos.octaves.size()) > kManyOctaves;
}

// The magnitudes drawn on one side: a mirrored side shows what the stored one does.
struct Span {
  double low = 0, high = 0;
};
Span span_of(const FunctionTable& t, bool negative) {
  const Side& own = t.side(negative);
  const Side& side = t.symmetry.enabled && !has_sections(own) ? t.side(!negative) : own;
  if (!has_sections(side)) return {};
  return {pow2(side.octaves.front().exponent), threshold(side)};
}

PlotPanel linear_panel(const FunctionTable& t, const PlotOptions& o) {
  const double neg = span_of(t, true).high, pos = span_of(t, false).high;
  const double margin = 0.06 * std::max({neg + pos, 1e-3});
  PlotPanel panel{false, neg > 0 ? -neg - margin : -margin, pos > 0 ? pos + margin : margin};
  if (neg == 0 && pos == 0) panel = {false, -4, 4};  // a resident
  if (o.from) panel.from = *o.from;
  if (o.to) panel.to = *o.to;
  return panel;
}

// One panel a sign; a symmetric function shows its positive inputs, the other half being their mirror.
std::vector<PlotPanel> logarithmic_panels(const FunctionTable& t, const PlotOptions& o) {
  std::vector<PlotPanel> panels;
  for (const bool negative : {true, false}) {
    const Span span = span_of(t, negative);
    if (span.high == 0 || (negative && t.symmetry.enabled)) continue;
    PlotPanel panel{negative, span.low / 2, span.high * 1.5};
    if (o.from && *o.from > 0) panel.from = *o.from;
    if (o.to && *o.to > 0) panel.to = *o.to;
    panels.push_back(panel);
  }
  return panels;
}

double along(const PlotPanel& panel, bool logarithmic, double share) {
  if (logarithmic) return panel.from * std::pow(panel.to / panel.from, share);
  return panel.from + (panel.to - panel.from) * share;
}

void add_starts(const FunctionTable& t, const PlotPanel& panel, bool logarithmic, std::vector<float>& octaves,
                std::vector<float>& sections) {
  for (const bool negative : {true, false}) {
    const bool mirrored = t.symmetry.enabled && !has_sections(t.side(negative));
    const Side& side = t.side(mirrored ? !negative : negative);
    if (logarithmic && negative != panel.negative) continue;
    const float sign = negative && !logarithmic ? -1.0F : 1.0F;
    for (const Octave& o : side.octaves) {
      if (o.sections.empty()) continue;
      const auto start = static_cast<float>(pow2(o.exponent));
      octaves.push_back(sign * start);
      for (std::size_t s = 0; s < o.sections.size(); ++s)
        sections.push_back(sign * start * (1.0F + static_cast<float>(s) / static_cast<float>(o.capacity())));
    }
  }
  const auto outside = [&](float x) { return x < panel.from || x > panel.to; };
  std::erase_if(octaves, outside);
  std::erase_if(sections, outside);
}

PlotPoint point_at(const FunctionTable& t, const FunctionInfo* info, float x) {
  PlotPoint p{x, evaluate(t, x, {}, kLeakySlope), std::nullopt, std::nullopt};
  if (info == nullptr) return p;
  const double exact = exact_value(*info, x).hi;
  if (!std::isfinite(exact)) return p;
  p.exact = exact;
  // Below the normal range an error in ULP says nothing, and outside the bounds nothing is promised (G-8).
  if (!outside_bounds(t, x) && (std::fabs(exact) >= 0x1p-126 || exact == 0))
    if (const double ulp = ulp_error(*info, x, p.table); std::isfinite(ulp)) p.ulp = ulp;
  return p;
}

// A positive function over many decades is drawn over log y.
bool wants_logarithmic_value(const Plot& plot) {
  double low = INFINITY, high = 0;
  for (const auto& panel : plot.points)
    for (const PlotPoint& p : panel) {
      if (!std::isfinite(p.table) || p.table == 0) continue;
      if (p.table < 0) return false;
      low = std::min<double>(low, p.table);
      high = std::max<double>(high, p.table);
    }
  return high > 1e4 * low && low > 0;
}

std::string data_block(const std::string& name, const std::vector<PlotPoint>& points, bool magnitude) {
  std::string out = fmt::format("${} << EOD\n", name);
  for (const PlotPoint& p : points) {
    const auto shown = [](double v) { return std::isfinite(v) ? fmt::format("{:.9g}", v) : "NaN"; };
    out += fmt::format("{:.9g} {} {} {}\n", magnitude ? std::fabs(p.x) : p.x, shown(p.table),
                       p.exact ? shown(*p.exact) : "NaN", p.ulp ? shown(*p.ulp) : "NaN");
  }
  return out + "EOD\n";
}

std::string list_block(const std::string& name, const std::vector<float>& values) {
  std::string out = fmt::format("${} << EOD\n", name);
  for (const float v : values) out += fmt::format("{:.9g}\n", v);
  if (values.empty()) out += "NaN\n";
  return out + "EOD\n";
}

// The legend is drawn by hand: with two panels gnuplot would squeeze its own into one of them.
struct LegendEntry {
  const char* text;
  const char* colour;
};
constexpr LegendEntry kLegend[] = {{"▬ function", "#60a5fa"},
                                   {"― table", "#1e3a8a"},
                                   {"― error, right axis", "#ea580c"},
                                   {"∙ sections begin", "#4b5563"},
                                   {"│ octaves begin", "#9ca3af"}};

std::string legend() {
  std::string out;
  double at = 0.12;
  for (const LegendEntry& entry : kLegend) {
    out += fmt::format("set label \"{}\" at screen {:.3f},0.045 left textcolor rgb '{}' noenhanced\n",
                       entry.text, at, entry.colour);
    at += 0.165;
  }
  return out;
}

// Octave lines span the error axis, lowest..highest.
std::string panel_commands(const Plot& plot, std::size_t i, double lowest, double highest) {
  constexpr double kLeft = 0.11, kRight = 0.90, kGap = 0.05;
  const PlotPanel& panel = plot.panels[i];
  const bool first = i == 0, last = i + 1 == plot.panels.size();
  const auto count = static_cast<double>(plot.panels.size());
  const double width = (kRight - kLeft - kGap * (count - 1)) / count;
  const double left = kLeft + static_cast<double>(i) * (width + kGap);
  std::string out =
      fmt::format("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", left, left + width);
  // Negative inputs run towards zero from the left, as on a linear axis.
  out += panel.negative ? fmt::format("set xrange [{:.9g}:{:.9g}]\n", panel.to, panel.from)
                        : fmt::format("set xrange [{:.9g}:{:.9g}]\n", panel.from, panel.to);
  out += panel.negative     ? "set format x '-2^{%L}'\n"
         : plot.logarithmic ? "set format x '2^{%L}'\n"
                            : "set format x '%g'\n";
  out += first ? "set ytics textcolor rgb '#374151'\nset ylabel 'value' offset 2,0 textcolor rgb '#1e3a8a'\n"
               : "unset ytics\nunset ylabel\n";
  out += last ? "set y2tics textcolor rgb '#374151'\nset y2label 'error, ULP' offset -1,0 textcolor rgb '#c2410c'\n"
              : "unset y2tics\nunset y2label\n";
  out += fmt::format(
      "plot $octaves{0} using 1:({2:.9g}):(0):({1:.9g}) axes x1y2 with vectors nohead linecolor rgb "
      "'#e5e7eb' linewidth 1, \\\n"
      "  $points{0} using 1:($4 < {2:.9g} ? {2:.9g} : $4) axes x1y2 with lines linecolor rgb '#fdba74' "
      "linewidth 1, \\\n"
      "  $points{0} using 1:3 with lines linecolor rgb '#93c5fd' linewidth 6, \\\n"
      "  $points{0} using 1:2 with lines linecolor rgb '#1e3a8a' linewidth 1.5, \\\n"
      "  $sections{0} using 1:(section_y) with points pointtype 7 pointsize 0.25 linecolor rgb '#4b5563'\n",
      i, highest - lowest, lowest);
  return out;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

}  // namespace

Plot plot_of(const FunctionTable& table, const FunctionInfo* info, const PlotOptions& options) {
  Plot plot;
  plot.logarithmic = options.logarithmic.value_or(many_octaves(table));
  if (plot.logarithmic) plot.panels = logarithmic_panels(table, options);
  if (plot.panels.empty()) {
    plot.logarithmic = false;
    plot.panels = {linear_panel(table, options)};
  }
  for (const PlotPanel& panel : plot.panels) {
    std::vector<float> inputs, octaves, sections;
    const auto share =
        static_cast<double>(std::max(1u, options.points / static_cast<unsigned>(plot.panels.size()) - 1));
    for (double i = 0; i <= share; ++i) {
      const double at = along(panel, plot.logarithmic, i / share);
      inputs.push_back(static_cast<float>(panel.negative ? -at : at));
    }
    add_starts(table, panel, plot.logarithmic, octaves, sections);
    std::vector<PlotPoint> points;
    for (const float x : inputs) {
      points.push_back(point_at(table, info, x));
      if (points.back().ulp.value_or(0) > plot.worst_ulp) {
        plot.worst_ulp = *points.back().ulp;
        plot.worst_input = x;
      }
    }
    plot.points.push_back(std::move(points));
    plot.octaves.push_back(std::move(octaves));
    plot.sections.push_back(std::move(sections));
  }
  plot.logarithmic_value = wants_logarithmic_value(plot);
  return plot;
}

std::string gnuplot_script(const Plot& plot, const std::string& title, const std::string& subtitle) {
  std::string out =
      "set terminal svg size 1200,680 dynamic enhanced font 'DejaVu Sans,14' background rgb 'white'\n";
  out +=
      "set encoding utf8\nset bmargin at screen 0.15\nset tmargin at screen 0.885\nset tics nomirror "
      "out\nset border linecolor rgb '#9ca3af'\nset xtics textcolor rgb '#374151'\nset grid y linecolor rgb "
      "'#f3f4f6'\n";
  out += fmt::format(
      "set label \"{}\" at screen 0.11,0.96 left font ',18' noenhanced\nset label \"{}\" at screen 0.11,0.92 "
      "left textcolor rgb '#4b5563' noenhanced\n",
      title, subtitle);
  out += legend() + "unset key\n";
  Range value, error;
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    out += data_block(fmt::format("points{}", i), plot.points[i], plot.logarithmic);
    out += list_block(fmt::format("octaves{}", i), plot.octaves[i]);
    out += list_block(fmt::format("sections{}", i), plot.sections[i]);
    for (const PlotPoint& p : plot.points[i]) {
      if (!plot.logarithmic_value || p.table > 0) value.add(p.table);
      if (p.ulp) error.add(*p.ulp);
    }
  }
  if (!(value.high > value.low)) value = {value.low - 1, value.high + 1};
  // The curve takes the upper part; breakpoints lie in a strip below it.
  double bottom, top, strip;
  if (plot.logarithmic_value) {
    const double decades = std::log10(value.high / value.low);
    bottom = value.low / std::pow(10, 0.10 * decades), top = value.high * std::pow(10, 0.05 * decades),
    strip = value.low / std::pow(10, 0.07 * decades);
    out += "set logscale y 10\n";
  } else {
    const double height = value.high - value.low;
    bottom = value.low - 0.10 * height, top = value.high + 0.05 * height, strip = value.low - 0.07 * height;
  }
  if (plot.logarithmic) out += "set logscale x 2\n";
  out += fmt::format("section_y = {:.9g}\nset yrange [{:.9g}:{:.9g}]\n", strip, bottom, top);
  // A few bad inputs must not hide all others: large errors are drawn over a logarithmic axis.
  const bool wide = error.high > kWideError;
  const double lowest = wide ? 0.01 : 0, highest = error.high > 0 ? error.high * (wide ? 3 : 1.15) : 1;
  if (wide) out += "set logscale y2 10\n";
  out += fmt::format("set y2range [{}:{:.9g}]\n", lowest, highest);
  out += "set multiplot\n";
  for (std::size_t i = 0; i < plot.panels.size(); ++i) {
    out += panel_commands(plot, i, lowest, highest);
    out += "unset label\n";  // once is enough
  }
  return out + "unset multiplot\n";
}

}  // namespace act::tool
