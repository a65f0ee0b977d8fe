// Containers.
#include "act/neff/container.h"
#include "act/neff/listing.h"
#include "act/tables/catalog_io.h"
#include "common.h"

namespace act::python {
namespace {

using neff::Container;
using Handle = std::shared_ptr<const Container>;

py::tuple read(const Bytes& bytes, const std::string& label) {
  Diagnostics problems;
  std::optional<Result<Container>> container;
  {
    py::gil_scoped_release release;
    container.emplace(neff::read_container(bytes, label, {}, problems));
  }
  std::shared_ptr<Container> made = std::make_shared<Container>(unwrap(std::move(*container)));
  return py::make_tuple(made, problems);
}

py::tuple open(const std::string& path) {
  Bytes bytes;
  {
    py::gil_scoped_release release;
    bytes = unwrap(read_file(path));
  }
  return read(bytes, path);
}

// A read-only array over bytes of the container, which it keeps alive.
py::array view(const Handle& owner, std::span<const std::uint8_t> bytes) {
  const py::capsule base(new Handle(owner), [](void* p) { delete static_cast<Handle*>(p); });
  py::array_t<std::uint8_t> a({static_cast<py::ssize_t>(bytes.size())}, bytes.data(), base);
  a.attr("setflags")(py::arg("write") = false);
  return a;
}

std::string engine_key(const neff::EngineRow& row) {
  std::string key(row.key);
  for (char& c : key) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return key;
}

py::list streams(const std::shared_ptr<Container>& c, const std::string& graph, const std::string& engine) {
  py::list list;
  for (const neff::StreamView& s : unwrap(c->streams(graph, engine)))
    list.append(py::make_tuple(std::string(s.graph), engine_key(*s.engine), std::string(s.member), view(c, s.bytes)));
  return list;
}

py::tuple catalog(const std::shared_ptr<Container>& c) {
  Diagnostics warnings;
  const neff::ContainerFolder folder(c);
  auto made = std::make_shared<Catalog>(unwrap(read_catalog(folder, {}, warnings)));
  return py::make_tuple(made, warnings);
}

py::array member(const std::shared_ptr<Container>& c, const std::string& name) {
  const neff::Member* m = c->archive.find(name);
  if (m == nullptr) throw bad_argument(Code::missing_member, "name", name, "a name of members", "the container has no member of this name");
  return view(c, m->data);
}

}  // namespace

void bind_neff(py::module_& m) {
  py::class_<Container, std::shared_ptr<Container>>(m, "Container")
      .def_property_readonly("label", [](const Container& c) { return c.archive.label; })
      .def_property_readonly("target", [](const Container& c) { return c.target; })
      .def_property_readonly("tool_version", [](const Container& c) { return c.tool_version; })
      .def_property_readonly("features", [](const Container& c) { return neff::feature_names(c.archive.header.feature_mask()); })
      .def_property_readonly("graphs", [](const Container& c) {
        std::vector<std::string> names;
        for (const neff::Graph& g : c.graphs) names.push_back(g.name);
        return names;
      })
      .def_property_readonly("members", [](const Container& c) {
        std::vector<std::string> names;
        for (const neff::Member& x : c.archive.members) names.push_back(x.name);
        return names;
      })
      .def("streams", &streams)
      .def("member", &member)
      .def("catalog", &catalog)
      .def("listing", [](const Container& c) { return to_python(neff::listing_json(c)); })
      .def("extract", [](const Container& c, const std::string& target) {
        py::gil_scoped_release release;
        unwrap(neff::extract(c.archive, target));
      });
  m.def("open_container", &open);
  m.def("read_container", [](const py::buffer& b, const std::string& label) { return read(bytes_of(b), label); });
  m.def("looks_like_container", [](const py::buffer& b) { return neff::looks_like_container(bytes_of(b)); });
  m.def("engine_files", [] {
    py::list rows;
    for (const neff::EngineRow& row : neff::kEngines) rows.append(py::make_tuple(engine_key(row), std::string(row.stem) + ".bin"));
    return rows;
  });
}

}  // namespace act::python
