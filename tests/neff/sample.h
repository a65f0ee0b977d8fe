// A small whole container for tests: one graph, five engines, a roster with one set present and one absent.
#pragma once

#include <string>

#include "act/neff/writer.h"

namespace act::neff::sample {

inline Bytes bundles(std::initializer_list<std::uint8_t> opcodes) {
  Bytes stream;
  for (const std::uint8_t opcode : opcodes) {
    const std::size_t at = stream.size();
    stream.resize(at + 64);
    stream[at] = opcode;
    stream[at + 1] = 0x10;
  }
  return stream;
}

inline Member text(const std::string& name, const std::string& content) {
  return {name, Bytes(content.begin(), content.end())};
}

inline std::string roster_text() {
  return R"({"pwp_file_keys":["bkt_bin","ctrl_bin","profile_json"],"act_func_sets":[)"
         R"({"name":"one","bkt_bin":"one_bkt.bin","ctrl_bin":"one_ctrl.bin","profile_json":"one.json","act":{"copy":1}},)"
         R"({"name":"two","bkt_bin":"two_bkt.bin","ctrl_bin":"two_ctrl.bin","profile_json":"two.json","act":{"copy":1}}]})";
}

inline ContainerSpec spec() {
  GraphSpec graph;
  graph.engines = {{"act", bundles({0xB1, 0xCC, 0x23, 0x21})},
                   {"pool", bundles({0xB1, 0xCC})},
                   {"pe", bundles({0xB1, 0xCC})},
                   {"dve", bundles({0xB1, 0xCC, 0xA0})},
                   {"sp", bundles({0xB1, 0xCC})}};
  graph.activation_function_sets = {"one"};
  graph.files = {text("act_info.json", roster_text()), text("one.json", "{}"), text("one_bkt.bin", "b"),
                 text("one_ctrl.bin", "c")};
  graph.queues = {{"qSPDynamicHW", "sp", "dynamic", {8, 9, 10}}};
  ContainerSpec spec;
  spec.name = "sample.neff";
  spec.graphs = {graph};
  spec.tensors = {{"x", "float32", {128, 4}, false}, {"y", "bfloat16", {4}, true}};
  return spec;
}

}  // namespace act::neff::sample
