// The example modules, each as short as the kernel it stands for. The JSON files beside this one are what write_module makes
// of them; a test keeps the two equal (ACTKIT_REBASE=1 writes the files anew).
#pragma once

#include "act/ir/builder.h"

namespace act::examples {

using ir::Accumulation;
using ir::Builder;
using ir::ScalarOperand;
using ir::View;

inline constexpr ir::EngineId kScalar = ir::EngineId::Activation;  // the activation engine

// Softmax of rows, one per channel: e^(x - max) / sum.
inline Result<ir::Module> softmax() {
  Builder b("softmax");
  const View rows = b.input("rows", Dtype::fp32, {128, 64}), y = b.output("y", Dtype::fp32, {128, 64});
  const View weight = b.scratch("weight", Dtype::fp32, {128, 64}), negmax = b.scratch("negmax", Dtype::fp32, {128, 1});
  const View total = b.scratch("total", Dtype::fp32, {128, 1}), recip = b.scratch("recip", Dtype::fp32, {128, 1});
  b.block("softmax");
  b.reduce(AluOp::max, TensorSubdim::X, rows, negmax, true).name("row-max");
  b.activate("Exp", rows, weight).bias(negmax).accumulate(Accumulation::ZeroAccumulate).name("weights");
  b.drain(total).name("row-sum");
  b.reciprocal(total, recip).name("row-reciprocal");
  b.activate("Copy", weight, y).scale(recip).name("normalise");
  return b.finish();
}

// Flash attention over two tiles of keys: running maximum, correction factor, running sum, scaled output. s0 and s1 are the
// scores of the tiles, o the product with the values, as the matrix engine leaves them in PSUM.
inline Result<ir::Module> w1_flash_attention() {
  Builder b("w1_flash_attention");
  const View s0 = b.input("s0", Dtype::fp32, {4, 8}, Space::psum), s1 = b.input("s1", Dtype::fp32, {4, 8}, Space::psum);
  const View o = b.input("o", Dtype::fp32, {4, 16}, Space::psum);
  const View p0 = b.output("p0", Dtype::bfloat16, {4, 8}), p1 = b.output("p1", Dtype::bfloat16, {4, 8});
  const View total = b.output("total", Dtype::fp32, {4, 1}), out = b.output("out", Dtype::bfloat16, {4, 16});
  const auto column = [&](const char* name) { return b.scratch(name, Dtype::fp32, {4, 1}); };
  const View neg0 = column("neg0"), neg1 = column("neg1"), neg = column("neg"), prev = column("prev"), corr = column("corr");
  const View sum0 = column("sum0"), sum1 = column("sum1"), moved = column("moved"), recip = column("recip");
  b.block("tile-0");
  b.reduce(AluOp::max, TensorSubdim::X, s0, neg0, true).name("max-0");
  b.activate("Exp", s0, p0).bias(neg0).accumulate(Accumulation::ZeroAccumulate).drain(sum0).name("exp-0");
  b.block("tile-1");
  b.reduce(AluOp::max, TensorSubdim::X, s1, neg1, true).name("max-1");
  b.tensor_tensor(AluOp::min, neg0, neg1, neg).name("running-max");
  b.activate("Copy", neg0, prev).scale(-1.0F).name("previous");
  b.activate("Exp", prev, corr).bias(neg).name("correction");
  b.activate("Exp", s1, p1).bias(neg).accumulate(Accumulation::ZeroAccumulate).drain(sum1).name("exp-1");
  b.tensor_tensor(AluOp::mult, sum0, corr, moved).name("move-sum");
  b.tensor_tensor(AluOp::add, moved, sum1, total).name("running-sum");
  b.block("output");
  b.reciprocal(total, recip).name("reciprocal");
  b.activate("Copy", o, out).scale(recip).name("scale-output");
  return b.finish();
}

// RMSNorm of rows of 4096: sum of squares in two chunks through the accumulators, rsqrt(sum / H + eps), scaled copy.
inline Result<ir::Module> w2_rmsnorm() {
  Builder b("w2_rmsnorm");
  const View rows = b.input("rows", Dtype::fp32, {2, 4096}), eps = b.input("eps", Dtype::fp32, {2, 1});
  const View out = b.output("out", Dtype::bfloat16, {2, 4096}), acc = b.output("acc", Dtype::fp32, {2, 1}), rstd = b.output("rstd", Dtype::fp32, {2, 1});
  const View junk = b.scratch("junk", Dtype::bfloat16, {2, 2048});
  b.block("rmsnorm");
  b.activate("Square", rows.columns(0, 2048), junk).accumulate(Accumulation::ZeroAccumulate).name("square-0");
  b.activate("Square", rows.columns(2048, 4096), junk).accumulate(Accumulation::AddAccumulate).drain(acc).name("square-1");
  b.activate("Rsqrt", acc, rstd).scale(1.0F / 4096).bias(eps).name("rsqrt");
  b.activate("Copy", rows, out).scale(rstd).name("scale");
  return b.finish();
}

// LayerNorm with the variance as E[x^2] - E[x]^2, which cancels in binary32: the first row has variance 0 instead of 0.25.
inline Result<ir::Module> w3_layernorm() {
  Builder b("w3_layernorm");
  const View rows = b.input("rows", Dtype::fp32, {4, 8}), eps = b.input("eps", Dtype::fp32, {4, 1});
  const View out = b.output("out", Dtype::bfloat16, {4, 8}), var = b.output("var", Dtype::fp32, {4, 1});
  const View junk = b.scratch("junk", Dtype::fp32, {4, 8}), mean = b.scratch("mean", Dtype::fp32, {4, 1}, Space::psum);
  const auto column = [&](const char* name) { return b.scratch(name, Dtype::fp32, {4, 1}); };
  const View sumx = column("sumx"), sumq = column("sumq"), msq = column("msq"), sqm = column("sqm"), rstd = column("rstd");
  b.block("statistics");
  b.activate("Copy", rows, junk).accumulate(Accumulation::ZeroAccumulate).drain(sumx).name("sum");
  b.activate("Square", rows, junk).accumulate(Accumulation::ZeroAccumulate).drain(sumq).name("sum-of-squares");
  b.tensor_scalar(sumx, mean, AluOp::mult, 0.125F).name("mean");
  b.tensor_scalar(sumq, msq, AluOp::mult, 0.125F).name("mean-of-squares");
  b.activate("Square", mean, sqm).name("square-of-mean");
  b.tensor_tensor(AluOp::subtract, msq, sqm, var).name("variance");
  b.block("normalise");
  b.activate("Rsqrt", var, rstd).bias(eps).name("rsqrt");
  b.tensor_scalar(rows, out, AluOp::subtract, mean, AluOp::mult, rstd).name("centre-and-scale");
  return b.finish();
}

// Gated MLP: silu(gate) * up with an INT8 form, then the derivative of silu, then silu again. silu and its derivative live in
// different sets, so going forth and back costs three loads.
inline Result<ir::Module> w4_mlp_gate() {
  Builder b("w4_mlp_gate");
  const View gate = b.input("gate", Dtype::fp32, {4, 16}, Space::psum), up = b.input("up", Dtype::fp32, {4, 16}), factor = b.input("factor", Dtype::fp32, {4, 1});
  const View out = b.output("out", Dtype::bfloat16, {4, 16}), ds = b.output("ds", Dtype::bfloat16, {4, 16});
  const View q = b.output("q", Dtype::int8, {4, 16}), back = b.output("back", Dtype::bfloat16, {4, 16});
  const View act = b.scratch("act", Dtype::fp32, {4, 16}), prod = b.scratch("prod", Dtype::fp32, {4, 16}), scaled = b.scratch("scaled", Dtype::fp32, {4, 16});
  b.block("forward");
  b.activate("Silu", gate, act).name("silu");
  b.tensor_tensor(AluOp::mult, act, up, out).name("gate-bf16");
  b.tensor_tensor(AluOp::mult, act, up, prod).name("gate-fp32");
  b.activate("Copy", prod, scaled).scale(factor).name("rescale");
  b.tensor_scalar(scaled, q, AluOp::max, -127.0F, AluOp::min, 127.0F).name("clamp");
  b.block("backward");
  b.activate("Derivative_silu", gate, ds).name("derivative");
  b.block("again");
  b.activate("Silu", gate, back).name("silu-again");
  return b.finish();
}

// Rotary position embedding: sine and cosine of position * frequency, reduced to -pi..pi in binary32. The cast to INT32 rounds
// to nearest even, which the reduction depends on.
inline Result<ir::Module> w5_rope() {
  Builder b("w5_rope");
  const View position = b.input("position", Dtype::fp32, {8, 4}), frequency = b.input("frequency", Dtype::fp32, {8, 1});
  const View sine = b.output("sine", Dtype::fp32, {8, 4}), cosine = b.output("cosine", Dtype::fp32, {8, 4});
  const View angle = b.scratch("angle", Dtype::fp32, {8, 4}), turns = b.scratch("turns", Dtype::fp32, {8, 4});
  const View whole = b.scratch("whole", Dtype::int32, {8, 4}), full = b.scratch("full", Dtype::fp32, {8, 4}), reduced = b.scratch("reduced", Dtype::fp32, {8, 4});
  const ScalarOperand pi = ScalarOperand::bits(0x40490FDB), half_pi = ScalarOperand::bits(0x3FC90FDB);
  const ScalarOperand two_pi = ScalarOperand::bits(0x40C90FDB), per_turn = ScalarOperand::bits(0x3E22F983);
  // turns = angle / 2 pi - 1/2, to the nearest integer; angle - turns * 2 pi - pi
  const auto wrapped_sine = [&](const View& dst) {
    b.tensor_scalar(angle, turns, AluOp::mult, per_turn, AluOp::add, -0.5F);
    b.cast(turns, whole);
    b.cast(whole, full);
    b.tensor_scalar(full, full, AluOp::mult, two_pi);
    b.tensor_tensor(AluOp::subtract, angle, full, reduced);
    b.tensor_scalar(reduced, reduced, AluOp::subtract, pi);
    b.activate("Sin", reduced, dst);
  };
  b.block("sine");
  b.tensor_scalar(position, angle, AluOp::mult, frequency, AluOp::add, pi);
  wrapped_sine(sine);
  b.block("cosine");
  b.tensor_scalar(position, angle, AluOp::mult, frequency, AluOp::add, half_pi);
  b.tensor_scalar(angle, angle, AluOp::add, pi);
  wrapped_sine(cosine);
  return b.finish();
}

// Expert router: sigmoid gates, softmax over all experts, and the two-phase form whose maximum is that of the first four
// experts only, so that exp sees positive inputs.
inline Result<ir::Module> w7_router() {
  Builder b("w7_router");
  const View logits = b.input("logits", Dtype::fp32, {4, 8}, Space::psum);
  const View gate = b.output("gate", Dtype::fp32, {4, 8}), soft = b.output("soft", Dtype::fp32, {4, 8}), two_phase = b.output("two_phase", Dtype::fp32, {4, 8});
  const View neg = b.scratch("neg", Dtype::fp32, {4, 1}), total = b.scratch("total", Dtype::fp32, {4, 1}), recip = b.scratch("recip", Dtype::fp32, {4, 1});
  const View weight = b.scratch("weight", Dtype::fp32, {4, 8});
  const auto softmax_of = [&](const View& maximum_over, const View& dst) {
    b.reduce(AluOp::max, TensorSubdim::X, maximum_over, neg, true);
    b.activate("Exp", logits, weight).bias(neg).accumulate(Accumulation::ZeroAccumulate).drain(total);
    b.reciprocal(total, recip);
    b.tensor_scalar(weight, dst, AluOp::mult, recip);
  };
  b.block("gates");
  b.activate("Sigmoid", logits, gate).name("gates");
  b.block("softmax");
  softmax_of(logits, soft);
  b.block("two-phase");
  softmax_of(logits.columns(0, 4), two_phase);
  return b.finish();
}

// Row quantisation: FP8 with the scale of each row from its largest magnitude, and UINT8 from INT32 sums in PSUM.
inline Result<ir::Module> w9_quantise() {
  Builder b("w9_quantise", Generation::mariana);
  const View rows = b.input("rows", Dtype::fp32, {4, 16}), ints = b.input("ints", Dtype::int32, {4, 16}, Space::psum), shift = b.input("shift", Dtype::bfloat16, {4, 1});
  const View row_scale = b.output("row_scale", Dtype::fp32, {4, 1}), q = b.output("q", Dtype::fp8_exp4, {4, 16}), u8out = b.output("u8out", Dtype::uint8, {4, 16});
  const View junk = b.scratch("junk", Dtype::fp32, {4, 16}), top = b.scratch("top", Dtype::fp32, {4, 1}), recip = b.scratch("recip", Dtype::fp32, {4, 1});
  b.block("fp8");
  b.activate("Copy", rows, junk).stages(AluOp::bypass, AluOp::bypass, AluOp::abs_max).accumulate(Accumulation::ZeroAccumulate).name("largest");
  b.drain(top).name("largest-of-row");
  b.activate("Copy", top, row_scale).scale(ScalarOperand::bits(0x3B888889)).name("scale");
  b.tensor_scalar(row_scale, row_scale, AluOp::max, 1e-12F).name("floor");
  b.reciprocal(row_scale, recip).name("reciprocal");
  b.activate("Copy", rows, q).scale(recip).name("quantise");
  b.block("uint8");
  b.isa(Opcode::ACTIVATE_QUANTIZE, kScalar)
      .name("requantise")
      .set("src_mem_pattern", ints)
      .set("dst_mem_pattern", u8out)
      .set("in_bias_dtype", DtypePair::of(Dtype::int32, Dtype::bfloat16).byte)
      .set("out_dtype", static_cast<std::uint64_t>(Dtype::uint8))
      .set("num_active_channels", 4)
      .set("activation_func", 2)  // relu
      .set("dequant_scale_value", ScalarOperand(0.01F))
      .set("bias_addr", ScalarOperand(shift))
      .set("quant_scale_value", ScalarOperand(10.0F))
      .set("quant_zero_value", ScalarOperand(3.0F));
  return b.finish();
}

// Helpers around attention: a causal mask by predicated copy over a fill value, and shuffles of partitions within each
// quadrant: broadcast of the first, rotation in place, and a shift that leaves the first partition as it is.
inline Result<ir::Module> w10_predicated() {
  Builder b("w10_predicated");
  const auto bytes = [&](const char* name, TensorBinding::Role role) { return b.tensor(name, role, Dtype::uint8, {128, 32}); };
  const View data = bytes("data", TensorBinding::Role::input), mask = bytes("mask", TensorBinding::Role::input);
  const View causal = bytes("causal", TensorBinding::Role::output), broadcast = bytes("broadcast", TensorBinding::Role::output);
  const View rotated = bytes("rotated", TensorBinding::Role::output), kept = bytes("kept", TensorBinding::Role::output);
  std::array<std::uint8_t, 32> first{}, rotate{}, down{};
  for (std::uint8_t k = 0; k < 32; ++k) {
    rotate[k] = static_cast<std::uint8_t>((k + 1) % 32);
    down[k] = static_cast<std::uint8_t>(k - 1);  // the first entry is 255: that partition keeps what it holds
  }
  b.block("mask");
  b.memset(causal, 7).name("fill");
  b.copy_predicated(mask, data, causal).name("where");
  b.call("shuffles");
  b.function("shuffles", [&] {
    b.block("broadcast");
    b.mask_select(first);
    b.stream_shuffle(data, broadcast);
    b.block("rotate");
    b.copy(data, rotated);
    b.mask_select(rotate);
    b.stream_shuffle(rotated, rotated);
    b.block("shift");
    b.memset(kept, 7);
    b.mask_select(down);
    b.stream_shuffle(data, kept);
  });
  return b.finish();
}

// A gated recurrence: exp outside the loop, sigmoid and tanh inside. The greedy cover loads their common set in every round;
// the optimal one once, in front of the loop.
inline Result<ir::Module> gated_recurrence() {
  Builder b("gated_recurrence");
  const View x = b.input("x", Dtype::fp32, {32, 16}), dt = b.input("dt", Dtype::fp32, {32, 16});
  const View c = b.output("c", Dtype::fp32, {32, 16}), h = b.output("h", Dtype::fp32, {32, 16});
  const auto tile = [&](const char* name) { return b.scratch(name, Dtype::fp32, {32, 16}); };
  const View decay = tile("decay"), pre = tile("pre"), gate = tile("gate"), candidate = tile("candidate");
  b.block("setup");
  b.memset(c, 0).name("clear-c");
  b.memset(h, 0).name("clear-h");
  b.activate("Exp", dt, decay).scale(-1.0F).name("decay");
  b.loop("step", 8, [&] {
    b.block("cell");
    b.tensor_tensor(AluOp::add, x, h, pre).name("pre");
    b.activate("Sigmoid", pre, gate).name("gate");
    b.activate("Tanh", pre, candidate).name("candidate");
    b.tensor_tensor(AluOp::mult, candidate, gate, candidate).name("gated");
    b.tensor_tensor(AluOp::mult, c, decay, c).name("decayed");
    b.tensor_tensor(AluOp::add, c, candidate, c).name("state");
    b.activate("Tanh", c, h).name("hidden");
  });
  return b.finish();
}

// Fixed-point refinement: sigmoid once, then tanh in a loop. One set holds both functions, but not the lowest that has tanh:
// the greedy cover switches to the lowest in every round, the optimal one never.
inline Result<ir::Module> refinement() {
  Builder b("refinement");
  const View x = b.input("x", Dtype::fp32, {16, 16}), y = b.output("y", Dtype::fp32, {16, 16});
  b.block("start");
  b.activate("Sigmoid", x, y).name("start");
  b.loop("round", 6, [&] {
    b.block("round");
    b.tensor_tensor(AluOp::add, x, y, y).name("sum");
    b.activate("Tanh", y, y).scale(0.5F).name("squash");
  });
  return b.finish();
}

struct Example {
  const char* name;
  Result<ir::Module> (*make)();
  unsigned greedy, first_fit, optimal;  // loads executed
};

inline constexpr Example kExamples[] = {
    {"softmax", softmax, 1, 1, 1},
    {"w1_flash_attention", w1_flash_attention, 1, 1, 1},
    {"w2_rmsnorm", w2_rmsnorm, 1, 3, 1},
    {"w3_layernorm", w3_layernorm, 2, 2, 1},
    {"w4_mlp_gate", w4_mlp_gate, 3, 4, 3},
    {"w5_rope", w5_rope, 1, 1, 1},
    {"w7_router", w7_router, 2, 2, 2},
    {"w9_quantise", w9_quantise, 1, 1, 1},
    {"w10_predicated", w10_predicated, 0, 0, 0},
    {"gated_recurrence", gated_recurrence, 9, 17, 2},
    {"refinement", refinement, 7, 7, 1},
};

}  // namespace act::examples
