// Short forms for instructions in tests.
#pragma once

#include "plain.h"

namespace act::sim::plain {

// A dense 3-D activation of `count` elements in `channels` channels with scale 1 and bias 0.
inline S3d3Ac activation(std::uint8_t code, std::uint32_t src, std::uint32_t dst, int count, unsigned channels, Dtype in = Dtype::fp32,
                         Dtype out = Dtype::fp32) {
  auto i = make<S3d3Ac>(Opcode::ACTIVATE);
  Walk{src, in, {1}, {count}}.put(i.src_mem_pattern);
  Walk{dst, out, {1}, {count}}.put(i.dst_mem_pattern);
  i.in_bias_dtype = DtypePair::of(in, Dtype::fp32);
  i.out_dtype = out;
  i.num_active_channels = static_cast<std::uint8_t>(channels);
  i.activation_func = code;
  i.scale_value.bits = bits_of(1.0F);
  i.bias_src_n = ImmSrcN::INSTRUCTION;
  return i;
}

inline std::uint8_t code_of_function(std::string_view set, std::string_view function) {
  return static_cast<std::uint8_t>(trainium().find_set(set)->find(function)->func_id);
}

inline D1Rd drain(std::uint32_t dst, unsigned channels = 1, Opcode opcode = Opcode::ACTIVATION_READ_ACCUMULATOR) {
  auto i = make<D1Rd>(opcode);
  i.dst_element_count = 1;
  i.dtype = Dtype::fp32;
  i.num_active_channels = static_cast<std::uint8_t>(channels);
  Walk{dst, Dtype::fp32, {1}, {1}}.put(i.dst_mem_pattern);
  return i;
}

inline S4d4Tr transfer(Opcode opcode, Dtype in, std::uint32_t src, Dtype out, std::uint32_t dst, int count, unsigned channels = 1) {
  auto i = make<S4d4Tr>(opcode);
  Walk{src, in, {1}, {count}}.put(i.src_mem_pattern);
  Walk{dst, out, {1}, {count}}.put(i.dst_mem_pattern);
  i.in_dtype = in;
  i.out_dtype = out;
  i.num_active_channels = static_cast<std::uint8_t>(channels);
  return i;
}

// A copy of four FP32 values from 0 to 0x100, with the set that has it.
inline void add_copy(Twins& t, std::uint32_t src = 0, std::uint32_t dst = 0x100, int count = 4, unsigned channels = 1) {
  t.load_set("small");
  t.add(activation(code_of_function("small", "copy"), src, dst, count, channels));
}

}  // namespace act::sim::plain
