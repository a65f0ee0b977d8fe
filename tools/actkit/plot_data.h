// What a picture of a function table shows, as numbers; the drawing is gnuplot's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "act/tables/functions.h"
#include "act/tables/records.h"

namespace act::tool {

struct PlotOptions {
  std::optional<double> from, to;   // inputs; unset: where the table has sections, and a little more
  std::optional<bool> logarithmic;  // unset: as the number of octaves suggests
  unsigned points = 3000;           // inputs drawn, spread evenly over the axis
};

// One stretch of the input axis: all inputs of one sign (logarithmic), or everything (linear).
struct PlotPanel {
  bool negative = false;    // logarithmic panel of the negative inputs, drawn over |x|
  double from = 0, to = 0;  // ends of the axis, as drawn
};

struct PlotPoint {
  float x = 0, table = 0;
  std::optional<double> exact, ulp;  // of the function, where it is known and finite
};

struct Plot {
  bool logarithmic = false, logarithmic_value = false;
  std::vector<PlotPanel> panels;
  std::vector<std::vector<PlotPoint>> points;         // per panel, ascending along the axis
  std::vector<std::vector<float>> octaves, sections;  // per panel, where octaves and sections begin
  double worst_ulp = 0;
  float worst_input = 0;
};

// `info` may be nullptr: then the table alone is drawn.
Plot plot_of(const FunctionTable& table, const FunctionInfo* info, const PlotOptions& options);

// A gnuplot script, data included, that draws the plot to standard output as SVG.
std::string gnuplot_script(const Plot& plot, const std::string& title, const std::string& subtitle);

}  // namespace act::tool
