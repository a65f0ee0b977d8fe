// Runs the benchmarks of a program, prints them, and on request writes them as a table into a document.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace act::bench {

// One benchmark as it came out: the medians of its repetitions.
struct Row {
  std::string name;
  double items_per_second = 0, bytes_per_second = 0;
};

// What a program says about itself in the document.
struct Section {
  std::string marker;   // the section stands between "<!-- MARKER -->" and "<!-- /MARKER -->"
  std::string title;    // heading
  std::string text;     // what was measured
  std::string command;  // how to repeat it
  // The table, from the rows in the order in which they ran.
  std::function<std::string(const std::vector<Row>&)> table;
};

// main of a benchmark program. Takes Google Benchmark's options and --write=FILE, which replaces the section in FILE (or
// appends it), together with the processor, the compiler and the date of the measurement.
int run(int argc, char** argv, const Section& section);

// Puts a finished table into the document at `path`, as run() does; false when that cannot be written.
bool write_table(const std::string& path, const std::string& marker, const std::string& title, const std::string& text, const std::string& command,
                 const std::string& table);

// The row of a name; an empty row when it did not run.
Row find(const std::vector<Row>& rows, const std::string& name);

}  // namespace act::bench
