// Modules built with the words of act::ir::Builder. In C++ an instruction is refined before the next is added; here objects may
// be kept, so each carries the number of the step it belongs to and refuses to be used later.
#include "act/ir/builder.h"

#include <pybind11/functional.h>

#include "act/rows/check.h"
#include "act/tables/functions.h"
#include "common.h"

namespace act::python {
namespace {

using ir::Builder;
using ir::ScalarOperand;
using ir::View;

struct Session {
  Session(const std::string& name, Generation g) : builder(name, g) {}
  Builder builder;
  std::uint64_t step = 0;
  bool finished = false;
};
using Handle = std::shared_ptr<Session>;

// The builder, for its next step.
Builder& next(const Handle& s) {
  if (s->finished) throw bad_argument(Code::bad_module, "", "", "", "the builder has made its module");
  ++s->step;
  return s->builder;
}

class Refinement {
 public:
  Refinement(const Handle& session, ir::Added added) : session_(session), step_(session->step), added_(added) {}
  ir::Added& get() {
    if (session_->finished || session_->step != step_) throw bad_argument(Code::bad_module, "", "", "", "an instruction is refined before the next is added");
    return added_;
  }

 private:
  Handle session_;
  std::uint64_t step_;
  ir::Added added_;
};

template <class Enum>
Enum enumerator(const EnumTable& table, const std::string& name, const char* field) {
  for (const Choice& c : table.choices)
    if (numeric_detail::same_name(c.name, name)) return static_cast<Enum>(c.value);
  throw bad_argument(Code::unknown_name, field, name, allowed_values(Field{.name = field, .choices = &table}), "no such name");
}
AluOp alu_op(const std::string& name) { return enumerator<AluOp>(kAluOpTable, name, "op"); }

constexpr std::pair<std::string_view, ir::Accumulation> kAccumulations[] = {
    {"Idle", ir::Accumulation::Idle}, {"Zero", ir::Accumulation::Zero}, {"Accumulate", ir::Accumulation::Accumulate},
    {"ZeroAccumulate", ir::Accumulation::ZeroAccumulate}, {"AddAccumulate", ir::Accumulation::AddAccumulate}, {"LoadAccumulate", ir::Accumulation::LoadAccumulate}};

ir::Accumulation accumulation(const std::string& name) {
  std::string names;
  for (const auto& [known, value] : kAccumulations) {
    if (numeric_detail::same_name(known, name)) return value;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw bad_argument(Code::unknown_name, "accumulate", name, names, "no such command");
}

ir::EngineId engine_id(const std::string& name) {
  if (const auto e = ir::find_engine_id(name)) return *e;
  throw bad_argument(Code::unknown_name, "engine", name, "Pool, Activation, PE, DMA, DVE, SP", "no such engine");
}

Space space_of(const std::string& name) {
  if (name == "sbuf") return Space::sbuf;
  if (name == "psum") return Space::psum;
  throw bad_argument(Code::unknown_name, "space", name, "sbuf, psum", "no such memory");
}

// A view, a number, actkit.Bits, or actkit.Register.
ScalarOperand scalar(const py::object& value) {
  if (py::isinstance<View>(value)) return value.cast<const View&>();
  const py::module_ types = py::module_::import("actkit.instructions");
  if (py::isinstance(value, types.attr("Register"))) return ScalarOperand::reg(value.attr("number").cast<std::uint8_t>());
  if (py::isinstance(value, types.attr("Bits"))) return ScalarOperand::bits(value.cast<std::uint32_t>());
  return static_cast<float>(value.cast<double>());
}

std::string bir_name(const std::string& name) {
  const FunctionInfo* f = find_function(name);
  return f != nullptr && !f->bir_name.empty() ? std::string(f->bir_name) : name;
}

ir::Condition condition(const std::string& compare, unsigned reg, std::uint32_t value, bool against_register) {
  using Compare = ir::Condition::Compare;
  for (const Compare c : {Compare::ALWAYS, Compare::LT, Compare::LE, Compare::EQ, Compare::NE, Compare::GE, Compare::GT})
    if (numeric_detail::same_name(ir::compare_name(c), compare)) return {c, static_cast<std::uint8_t>(reg), against_register, value};
  throw bad_argument(Code::unknown_name, "compare", compare, "ALWAYS, LT, LE, EQ, NE, GE, GT", "no such comparison");
}

ir::Affine affine(std::int64_t constant, const std::vector<std::tuple<std::string, std::int64_t, std::string, std::int64_t>>& terms) {
  using Op = ir::Affine::Op;
  ir::Affine a{constant, {}};
  for (const auto& [index, coefficient, op, k] : terms) {
    if (op != "mul" && op != "floordiv" && op != "mod") throw bad_argument(Code::unknown_name, "op", op, "mul, floordiv, mod", "no such operation");
    a.terms.push_back({index, coefficient, op == "mul" ? Op::mul : op == "mod" ? Op::mod : Op::floordiv, k});
  }
  return a;
}

std::array<std::uint8_t, 32> mask_entries(const std::vector<unsigned>& entries) {
  std::array<std::uint8_t, 32> mask{};
  if (entries.size() != mask.size()) throw bad_argument(Code::bad_size, "entries", std::to_string(entries.size()), "32", "a mask has 32 entries");
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (entries[i] > 255) throw bad_argument(Code::bad_value, "entries", std::to_string(entries[i]), "0..255", "no mask entry");
    mask[i] = static_cast<std::uint8_t>(entries[i]);
  }
  return mask;
}

void bind_view(py::module_& m) {
  py::class_<View>(m, "View", "Elements of a tensor, all of them or a part.")
      .def_property_readonly("addr", [](const View& v) { return v.pattern.value; })
      .def_property_readonly("dtype", [](const View& v) { return dtype_name(v.pattern.dtype); })
      .def_property_readonly("partitions", [](const View& v) { return v.pattern.channels; })
      .def_property_readonly("elements", [](const View& v) { return v.pattern.elements(); }, "per channel")
      .def("columns", [](const View& v, unsigned begin, unsigned end) {
        if (v.pattern.dims != 1 || begin >= end || end > v.pattern.num[0]) throw bad_argument(Code::out_of_bounds, "columns", std::to_string(begin) + ":" + std::to_string(end), "0.." + std::to_string(v.pattern.num[0]) + " of one free dimension", "no such columns");
        return v.columns(begin, end);
      }, py::arg("begin"), py::arg("end"), "Elements [begin, end) of the innermost dimension of a view of one free dimension.")
      .def("walked", [](const View& v, const std::vector<std::uint16_t>& num, const std::vector<std::int16_t>& step) {
        if (num.empty() || num.size() > 4 || num.size() != step.size()) throw bad_argument(Code::bad_size, "num", std::to_string(num.size()), "1..4, as many steps", "a walk has one to four dimensions");
        View w = v;
        w.pattern.dims = static_cast<std::uint8_t>(num.size());
        w.pattern.num.fill(1);
        w.pattern.step.fill(1);
        std::copy(num.begin(), num.end(), w.pattern.num.begin());
        std::copy(step.begin(), step.end(), w.pattern.step.begin());
        return w;
      }, py::arg("num"), py::arg("step"), "The same memory walked with these counts and steps in elements, dimension 0 innermost.")
      .def("channels", [](const View& v, unsigned begin, unsigned end, const std::string& gen) {
        if (begin >= end || end > v.pattern.channels) throw bad_argument(Code::out_of_bounds, "channels", std::to_string(begin) + ":" + std::to_string(end), "0.." + std::to_string(v.pattern.channels), "no such channels");
        return v.channels(begin, end, generation_of(gen));
      }, py::arg("begin"), py::arg("end"), py::arg("gen") = generation_name(kDefaultGeneration), "Channels [begin, end).");
}

void bind_refinement(py::module_& m) {
  const auto self = py::return_value_policy::reference_internal;
  py::class_<Refinement>(m, "Added", "The instruction added last; every method gives it back.")
      .def("name", [](Refinement& r, const std::string& text) -> Refinement& { return r.get().name(text), r; }, self, py::arg("text"))
      .def("line", [](Refinement& r, std::uint32_t n) -> Refinement& { return r.get().line(n), r; }, self, py::arg("number"), "Source line, for messages.")
      .def("on", [](Refinement& r, const std::string& e) -> Refinement& { return r.get().on(engine_id(e)), r; }, self, py::arg("engine"))
      .def("wait", [](Refinement& r, std::uint8_t s, std::uint32_t n) -> Refinement& { return r.get().wait(s, n), r; }, self, py::arg("semaphore"), py::arg("at_least"))
      .def("increment", [](Refinement& r, std::uint8_t s) -> Refinement& { return r.get().increment(s), r; }, self, py::arg("semaphore"))
      .def("update", [](Refinement& r, const std::string& mode, std::uint8_t i, std::uint32_t v) -> Refinement& { return r.get().update(enumerator<UpdateMode>(kUpdateModeTable, mode, "mode"), i, v), r; },
           self, py::arg("mode"), py::arg("index"), py::arg("value") = 0)
      .def("bias", [](Refinement& r, const py::object& x) -> Refinement& { return r.get().bias(scalar(x)), r; }, self, py::arg("operand"))
      .def("scale", [](Refinement& r, const py::object& x) -> Refinement& { return r.get().scale(scalar(x)), r; }, self, py::arg("operand"))
      .def("alpha", [](Refinement& r, const py::object& x) -> Refinement& { return r.get().alpha(scalar(x)), r; }, self, py::arg("operand"))
      .def("accumulate", [](Refinement& r, const std::string& c) -> Refinement& { return r.get().accumulate(accumulation(c)), r; }, self, py::arg("command"))
      .def("drain", [](Refinement& r, const View& v) -> Refinement& { return r.get().drain(v), r; }, self, py::arg("sums"), "Reads the accumulators out as a second output.")
      .def("stages", [](Refinement& r, const std::string& op0, const std::string& op1, const std::string& reduce) -> Refinement& { return r.get().stages(alu_op(op0), alu_op(op1), alu_op(reduce)), r; },
           self, py::arg("op0"), py::arg("op1"), py::arg("reduce_op") = "BYPASS", "Makes it an ACTIVATE2.")
      .def("set", [](Refinement& r, const std::string& field, const py::object& x) -> Refinement& {
        if (py::isinstance<View>(x)) return r.get().set(field, x.cast<const View&>()), r;
        if (py::isinstance<py::float_>(x)) return r.get().set(field, scalar(x)), r;
        return r.get().set(field, x.cast<std::uint64_t>()), r;
      }, self, py::arg("field"), py::arg("value"), "A field of the record by its name: an integer, a view, or a float with its selector.");
}

void bind_instructions(py::class_<Session, Handle>& c) {
  c.def("activate", [](const Handle& s, const std::string& f, const View& src, const View& dst) { Builder& b = next(s); return Refinement(s, b.activate(bir_name(f), src, dst)); },
        py::arg("func"), py::arg("src"), py::arg("dst"), "func(src), by name; refine it with scale, bias, alpha, accumulate, drain, stages.")
      .def("load", [](const Handle& s, std::int64_t set) { Builder& b = next(s); return Refinement(s, b.load(set)); }, py::arg("set"), "Loads a table set by index; lowering does this for you.")
      .def("load_expression", [](const Handle& s, std::int64_t constant, const std::vector<std::tuple<std::string, std::int64_t, std::string, std::int64_t>>& terms) {
        Builder& b = next(s);
        return Refinement(s, b.load(affine(constant, terms)));
      }, py::arg("constant"), py::arg("terms"), "Set index = constant + sum of coefficient * (loop index op k); terms are (index, coefficient, 'mul'|'floordiv'|'mod', k).")
      .def("drain", [](const Handle& s, const View& v) { Builder& b = next(s); return Refinement(s, b.drain(v)); }, py::arg("sums"))
      .def("dve_drain", [](const Handle& s, const View& v, bool negated) { Builder& b = next(s); return Refinement(s, b.dve_drain(v, negated)); }, py::arg("sums"), py::arg("negated") = false)
      .def("reciprocal", [](const Handle& s, const View& src, const View& dst) { Builder& b = next(s); return Refinement(s, b.reciprocal(src, dst)); }, py::arg("src"), py::arg("dst"))
      .def("exponential", [](const Handle& s, const View& src, const View& dst, const py::object& shift, const std::string& command) {
        Builder& b = next(s);
        return Refinement(s, b.exponential(src, dst, scalar(shift), enumerator<AccumCmd>(kAccumCmdTable, command, "command")));
      }, py::arg("src"), py::arg("dst"), py::arg("shift"), py::arg("command") = "IDLE")
      .def("copy", [](const Handle& s, const View& src, const View& dst) { Builder& b = next(s); return Refinement(s, b.copy(src, dst)); }, py::arg("src"), py::arg("dst"))
      .def("cast", [](const Handle& s, const View& src, const View& dst) { Builder& b = next(s); return Refinement(s, b.cast(src, dst)); }, py::arg("src"), py::arg("dst"))
      .def("tensor_tensor", [](const Handle& s, const std::string& op, const View& l, const View& r, const View& dst) { Builder& b = next(s); return Refinement(s, b.tensor_tensor(alu_op(op), l, r, dst)); },
           py::arg("op"), py::arg("left"), py::arg("right"), py::arg("dst"))
      .def("tensor_scalar", [](const Handle& s, const View& src, const View& dst, const std::string& op0, const py::object& x0, const std::string& op1, const py::object& x1) {
        Builder& b = next(s);
        if (op1.empty()) return Refinement(s, b.tensor_scalar(src, dst, alu_op(op0), scalar(x0)));
        return Refinement(s, b.tensor_scalar(src, dst, alu_op(op0), scalar(x0), alu_op(op1), scalar(x1)));
      }, py::arg("src"), py::arg("dst"), py::arg("op0"), py::arg("operand0"), py::arg("op1") = "", py::arg("operand1") = 0.0)
      .def("reduce", [](const Handle& s, const std::string& op, const std::string& dims, const View& src, const View& dst, bool negated) {
        Builder& b = next(s);
        return Refinement(s, b.reduce(alu_op(op), enumerator<TensorSubdim>(kTensorSubdimTable, dims, "dims"), src, dst, negated));
      }, py::arg("op"), py::arg("dims"), py::arg("src"), py::arg("dst"), py::arg("negated") = false)
      .def("memset", [](const Handle& s, const View& dst, std::uint32_t element) { Builder& b = next(s); return Refinement(s, b.memset(dst, element)); }, py::arg("dst"), py::arg("element"), "Fills with a bit pattern.")
      .def("copy_predicated", [](const Handle& s, const View& mask, const View& src, const View& dst) { Builder& b = next(s); return Refinement(s, b.copy_predicated(mask, src, dst)); },
           py::arg("mask"), py::arg("src"), py::arg("dst"))
      .def("mask_select", [](const Handle& s, const std::vector<unsigned>& entries) { Builder& b = next(s); return Refinement(s, b.mask_select(mask_entries(entries))); }, py::arg("entries"))
      .def("stream_shuffle", [](const Handle& s, const View& src, const View& dst) { Builder& b = next(s); return Refinement(s, b.stream_shuffle(src, dst)); }, py::arg("src"), py::arg("dst"))
      .def("isa", [](const Handle& s, const std::string& opcode, const std::string& engine) {
        Builder& b = next(s);
        return Refinement(s, b.isa(static_cast<Opcode>(unwrap(parse_opcode(opcode))), engine_id(engine)));
      }, py::arg("opcode"), py::arg("engine"), "A record of any opcode, all fields zero; set() fills them.");
}

void bind_structure(py::class_<Session, Handle>& c) {
  c.def("tensor", [](const Handle& s, const std::string& name, const std::string& role, const std::string& dtype, Builder::Shape shape, const std::string& space) {
     if (s->finished) throw bad_argument(Code::bad_module, "", "", "", "the builder has made its module");
     if (shape.empty()) throw bad_argument(Code::bad_value, "shape", "()", "channels first", "a tensor needs a shape");
     const TensorBinding::Role r = role == "input" ? TensorBinding::Role::input : role == "output" ? TensorBinding::Role::output : role == "both" ? TensorBinding::Role::both : TensorBinding::Role::scratch;
     return s->builder.tensor(name, r, dtype_of(dtype), std::move(shape), space_of(space));
   }, py::arg("name"), py::arg("role"), py::arg("dtype"), py::arg("shape"), py::arg("space") = "sbuf", "A named tensor, channels first; placed behind the ones before.")
      .def("reg", [](const Handle& s, std::uint8_t number, std::uint32_t value) { s->builder.reg(number, value); }, py::arg("number"), py::arg("value"))
      .def("block", [](const Handle& s, const std::string& name) { next(s).block(name); }, py::arg("name"), "Opens a block.")
      .def("_loop", [](const Handle& s, const std::string& index, std::int64_t trip, const Builder::Body& body) { next(s).loop(index, trip, body); ++s->step; })
      .def("_branch", [](const Handle& s, const std::string& compare, unsigned reg, std::uint32_t value, bool against, const Builder::Body& then, const std::optional<Builder::Body>& otherwise) {
        next(s).branch(condition(compare, reg, value, against), then, otherwise.value_or(Builder::Body{}));
        ++s->step;
      })
      .def("_function", [](const Handle& s, const std::string& name, const Builder::Body& body) { next(s).function(name, body); ++s->step; })
      .def("call", [](const Handle& s, const std::string& function) { next(s).call(function); }, py::arg("function"))
      .def("_finish", [](const Handle& s) {
        Result<ir::Module> made = next(s).finish();
        s->finished = true;
        return std::make_shared<ir::Module>(unwrap(std::move(made)));
      });
}

}  // namespace

void bind_builder(py::module_& m) {
  bind_view(m);
  bind_refinement(m);
  py::class_<Session, Handle> c(m, "Builder");
  c.def(py::init([](const std::string& name, const std::string& gen) { return std::make_shared<Session>(name, generation_of(gen)); }), py::arg("name"),
        py::arg("gen") = generation_name(kDefaultGeneration));
  bind_instructions(c);
  bind_structure(c);
}

}  // namespace act::python
