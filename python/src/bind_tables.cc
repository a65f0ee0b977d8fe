// Catalogs of function tables: opening, evaluating, tracing, writing.
#include <cmath>

#include "act/passes/act_sets.h"
#include "act/tables/check.h"
#include "act/tables/embedded.h"
#include "act/tables/evaluate.h"
#include "act/tables/functions.h"
#include "act/tables/layout.h"
#include "common.h"
#include "tables.h"

namespace act::python {
namespace {

std::vector<py::ssize_t> shape_of(const py::array& a) { return {a.shape(), a.shape() + a.ndim()}; }

EvalPolicy eval_policy(const std::string& nan, const std::string& recon) {
  if (nan != "result" && nan != "propagate") throw bad_argument(Code::unknown_name, "nan", nan, "result, propagate", "no such choice");
  if (recon != "folded" && recon != "literal") throw bad_argument(Code::unknown_name, "recon", recon, "folded, literal", "no such choice");
  EvalPolicy policy;
  if (nan == "propagate") policy.nan = NanPolicy::propagate;
  if (recon == "literal") policy.recon = ReconPolicy::literal;
  return policy;
}

using FloatArray = py::array_t<float>;

// `in` and `out` hold the same number of elements densely in the same order; they may be the same memory.
void evaluate_into(const Table& f, const FloatArray& in, FloatArray& out, float alpha, const EvalPolicy& policy) {
  const float* from = in.data();
  float* to = out.mutable_data();
  const auto n = static_cast<std::size_t>(in.size());
  const bool dense = (in.flags() & out.flags() & (py::array::c_style | py::array::f_style)) != 0;
  if (!dense) throw bad_argument(Code::bad_value, "out", "strided arrays", "dense arrays of one memory order", "the arrays are not dense");
  const bool plain = policy.nan == NanPolicy::nan_result && policy.recon == ReconPolicy::folded;
  py::gil_scoped_release release;
  if (plain) f.vectors().evaluate({from, n}, {to, n}, alpha);
  else VectorTable(*f.table, policy).evaluate({from, n}, {to, n}, alpha);
}


py::tuple trace_arrays(const Table& f, const py::array_t<float, py::array::c_style>& x, float alpha, const EvalPolicy& policy) {
  const auto shape = shape_of(x);
  py::array_t<float> value(shape), selected(shape);
  py::array_t<std::uint8_t> path(shape);
  py::array_t<std::int32_t> record(shape);
  py::array_t<bool> negative(shape), reconstructed(shape);
  const auto n = static_cast<std::size_t>(x.size());
  const float* in = x.data();
  float* v = value.mutable_data();
  float* s = selected.mutable_data();
  std::uint8_t* p = path.mutable_data();
  std::int32_t* r = record.mutable_data();
  bool* neg = negative.mutable_data();
  bool* rec = reconstructed.mutable_data();
  {
    py::gil_scoped_release release;
    for (std::size_t i = 0; i < n; ++i) {
      const EvalTrace t = evaluate_traced(*f.table, in[i], policy, alpha);
      v[i] = t.value;
      s[i] = t.selected;
      p[i] = static_cast<std::uint8_t>(t.path);
      r[i] = t.cubic == nullptr ? -1 : static_cast<std::int32_t>(t.record);
      neg[i] = t.negative_side;
      rec[i] = t.reconstructed;
    }
  }
  return py::make_tuple(value, path, record, selected, negative, reconstructed);
}

const FunctionInfo& info_of(const Table& f) {
  if (const FunctionInfo* info = find_function(f.table->name)) return *info;
  throw bad_argument(Code::unknown_name, "function", f.table->name, "", "no reference values are known of this function");
}

py::array_t<double> error_array(const Table& f, const py::array_t<float, py::array::c_style>& x, float alpha) {
  const FunctionInfo& info = info_of(f);
  py::array_t<double> out(shape_of(x));
  const float* in = x.data();
  double* to = out.mutable_data();
  const auto n = static_cast<std::size_t>(x.size());
  py::gil_scoped_release release;
  for (std::size_t i = 0; i < n; ++i) to[i] = ulp_error(info, in[i], evaluate(*f.table, in[i], {}, alpha));
  return out;
}

py::array_t<float> reference_array(const std::string& name, const py::array_t<float, py::array::c_style>& x) {
  const FunctionInfo* info = find_function(name);
  if (info == nullptr) throw bad_argument(Code::unknown_name, "function", name, "", "no such function");
  py::array_t<float> out(shape_of(x));
  const float* in = x.data();
  float* to = out.mutable_data();
  const auto n = static_cast<std::size_t>(x.size());
  py::gil_scoped_release release;
  for (std::size_t i = 0; i < n; ++i) to[i] = correctly_rounded(*info, static_cast<double>(in[i]));
  return out;
}

py::object first_outside(const Table& f, const py::array_t<float, py::array::c_style>& x) {
  const float* in = x.data();
  const auto n = static_cast<std::size_t>(x.size());
  std::size_t i = 0;
  {
    py::gil_scoped_release release;
    while (i < n && !outside_bounds(*f.table, in[i])) ++i;
  }
  if (i == n) return py::none();
  return py::int_(i);
}

// The sections of a function in the order of the blob, then its four clamp slots.
struct RecordRow {
  std::uint8_t slot;  // 0 section, 1..4 clamp slots
  bool negative;
  std::int16_t exponent;
  std::uint16_t index;
  std::uint32_t low, high;  // magnitude patterns of the inputs, sections only
  float d0, d1, d2, d3, x;
};

void append_sections(const FunctionTable& t, bool negative, std::vector<RecordRow>& rows) {
  for (const Octave& o : t.side(negative).octaves)
    for (std::size_t i = 0; i < o.sections.size(); ++i) {
      const Section& s = o.sections[i];
      // Sections cut the mantissa evenly; the subnormal octave shares exponent field 0.
      const auto field = static_cast<std::uint32_t>(o.exponent + 127) << 23;
      const std::uint32_t step = (1U << 23) >> o.extract_size;
      const std::uint32_t low = field + static_cast<std::uint32_t>(i) * step;
      rows.push_back({0, negative, static_cast<std::int16_t>(o.exponent), static_cast<std::uint16_t>(i), low, low + step - 1, s.d0, s.d1, s.d2, s.d3, s.x});
    }
}

py::tuple record_arrays(const Table& f) {
  std::vector<RecordRow> rows;
  for (const bool negative : {true, false}) append_sections(*f.table, negative, rows);
  for (std::size_t k = 0; k < kSlots.size(); ++k) {
    const Section& s = clamp_of(*f.table, kSlots[k]).section;
    const bool negative = kSlots[k] == Slot::neg_low || kSlots[k] == Slot::neg_high;
    rows.push_back({static_cast<std::uint8_t>(k + 1), negative, 0, 0, 0, 0, s.d0, s.d1, s.d2, s.d3, s.x});
  }
  py::list columns;
  const auto n = static_cast<py::ssize_t>(rows.size());
  const auto column = [&]<class T>(T RecordRow::*member) {
    py::array_t<T> a(n);
    for (std::size_t i = 0; i < rows.size(); ++i) a.mutable_data()[i] = rows[i].*member;
    columns.append(a);
  };
  column(&RecordRow::slot);
  column(&RecordRow::negative);
  column(&RecordRow::exponent);
  column(&RecordRow::index);
  column(&RecordRow::low);
  column(&RecordRow::high);
  column(&RecordRow::d0);
  column(&RecordRow::d1);
  column(&RecordRow::d2);
  column(&RecordRow::d3);
  column(&RecordRow::x);
  return py::tuple(columns);
}

py::tuple open_named(const std::string& name) {
  Diagnostics warnings;
  std::optional<Result<Catalog>> catalog;
  {
    py::gil_scoped_release release;
    catalog.emplace(open_catalog(name, warnings));
  }
  auto made = std::make_shared<Catalog>(unwrap(std::move(*catalog)));
  return py::make_tuple(made, warnings);
}

void write_directory(const Catalog& catalog, const std::string& path, bool replace) {
  py::gil_scoped_release release;
  StagedDirectory out = unwrap(StagedDirectory::create(path, replace));
  unwrap(write_catalog(catalog, out));
  unwrap(out.commit());
}

std::vector<Diagnostic> check_sets(const Catalog& catalog) {
  Diagnostics all;
  py::gil_scoped_release release;
  for (const TableSet& set : catalog.sets) {
    if (!set.present) continue;
    Diagnostics found = check_tables(set, catalog.id_space);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

py::list set_rows(const Catalog& c) {
  py::list rows;
  for (const TableSet& s : c.sets) {
    py::list functions;
    for (const FunctionTable& f : s.functions) functions.append(py::make_tuple(f.name, f.budget));
    rows.append(py::make_tuple(s.name(), s.present, functions));
  }
  return rows;
}

Table table_at(const std::shared_ptr<Catalog>& c, std::size_t set, std::size_t function) {
  if (set >= c->sets.size() || function >= c->sets[set].functions.size()) throw py::index_error("no such table");
  return Table(c, &c->sets[set].functions[function]);
}

std::shared_ptr<Catalog> make_catalog(const std::string& label, const std::vector<std::pair<std::string, std::vector<Table>>>& sets) {
  auto catalog = std::make_shared<Catalog>();
  catalog->label = label;
  for (const auto& [name, tables] : sets) {
    std::vector<FunctionTable> functions;
    for (const Table& t : tables) functions.push_back(*t.table);
    catalog->sets.push_back(make_set(name, std::move(functions)));
  }
  return catalog;
}

py::dict function_dict(const FunctionInfo& f) {
  py::dict d;
  d["name"] = f.name;
  d["bir_name"] = f.bir_name;
  d["bir_ordinal"] = f.bir_ordinal;
  d["code"] = f.neuron_code;
  d["kind"] = f.has_table() ? "table" : "resident";
  d["shipped"] = f.origin == FunctionOrigin::shipped;
  d["lower_bound"] = f.lower_bound;
  d["upper_bound"] = f.upper_bound;
  d["formula"] = f.formula;
  return d;
}

void bind_table(py::module_& m) {
  py::class_<Table>(m, "Table", "One function table; keeps its catalog alive.")
      .def_property_readonly("name", [](const Table& t) { return t.table->name; })
      .def_property_readonly("budget", [](const Table& t) { return t.table->budget; })
      .def_property_readonly("func_id", [](const Table& t) { return t.table->func_id; })
      .def_property_readonly("sections", [](const Table& t) { return t.table->lut_size(); })
      .def_property_readonly("octaves", [](const Table& t) { return t.table->octave_count(); })
      .def_property_readonly("bounds", [](const Table& t) { return py::make_tuple(t.table->lower_bound, t.table->upper_bound); })
      .def_property_readonly("stem", [](const Table& t) { return budgeted_name(*t.table); })
      .def("evaluate", [](const Table& t, const FloatArray& in, FloatArray out, float alpha, const std::string& nan, const std::string& recon) {
        if (in.size() != out.size()) throw bad_argument(Code::bad_value, "out", std::to_string(out.size()), std::to_string(in.size()), "out has another number of elements");
        evaluate_into(t, in, out, alpha, eval_policy(nan, recon));
      }, py::arg("x").noconvert(), py::arg("out").noconvert(), py::arg("alpha"), py::arg("nan"), py::arg("recon"))
      .def("trace", [](const Table& t, const py::array_t<float, py::array::c_style>& x, float alpha, const std::string& nan, const std::string& recon) { return trace_arrays(t, x, alpha, eval_policy(nan, recon)); })
      .def("error", &error_array)
      .def("first_outside", &first_outside)
      .def("records", &record_arrays);
}

}  // namespace

void bind_tables(py::module_& m) {
  py::list paths;
  for (const EvalPath p : {EvalPath::special, EvalPath::clamp_low, EvalPath::clamp_high, EvalPath::section, EvalPath::direct, EvalPath::unhandled}) paths.append(path_name(p));
  m.attr("PATHS") = py::tuple(paths);
  m.attr("DEFAULT_CATALOG") = kDefaultCatalog;
  m.attr("DEFAULT_ALPHA") = kLeakySlope;
  bind_table(m);
  py::class_<Catalog, std::shared_ptr<Catalog>>(m, "Catalog", "The sets of a catalog directory.")
      .def_property_readonly("label", [](const Catalog& c) { return c.label; })
      .def_property_readonly("id_space", [](const Catalog& c) { return c.id_space == IdSpace::tonga ? "tonga" : "sunda"; })
      .def("sets", &set_rows)
      .def("table", &table_at)
      .def("known_sets", [](const Catalog& c) { return passes::known_sets(c); })
      .def("check", &check_sets)
      .def("write", &write_directory);
  m.def("embedded_catalogs", &embedded_catalogs);
  m.def("open_catalog", &open_named);
  m.def("check_directory", [](const std::string& path) {
    py::gil_scoped_release release;
    return check_catalog(DirectoryFolder(path));
  });
  m.def("make_catalog", &make_catalog);
  m.def("functions", [] {
    py::list rows;
    for (const FunctionInfo& f : all_functions()) rows.append(function_dict(f));
    return rows;
  });
  m.def("correctly_rounded", &reference_array);
}

}  // namespace act::python
