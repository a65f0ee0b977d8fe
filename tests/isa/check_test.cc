// The validator: golden bundles, one bad input per rule, exhaustive placement, whole streams.
#include "act/isa/check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "act/isa/memory_map.h"
#include "act/rows/json.h"

namespace act {
namespace {

constexpr CheckOptions kStrict{};

Bundle from_hex_text(const std::string& hex) {
  Bundle b;
  std::ranges::copy(from_hex(hex).value(), b.bytes.begin());
  return b;
}

Bundle with_fields(const char* opcode, const std::string& fields) {
  Bundle b;
  b.bytes[0] = parse_opcode(opcode).value();
  b.bytes[1] = kInstWordLen;
  const Status s = fields_from_json(b, *format_of(b), Json::parse(fields));
  EXPECT_TRUE(s) << opcode << ' ' << fields << ' ' << (s ? "" : to_text(s.error()[0]));
  return b;
}

std::string rules_of(const Diagnostics& list) {
  std::string out;
  for (const Diagnostic& d : list) out += to_text(d) + "\n";
  return out;
}

bool reports(const Diagnostics& list, std::string_view rule, Severity severity = Severity::error) {
  return std::ranges::any_of(list, [&](const Diagnostic& d) { return d.rule == rule && d.severity == severity; });
}

Diagnostics check(const Bundle& b, Generation g, const CheckOptions& o = kStrict) {
  Diagnostics out;
  check_bundle(b, g, o, out);
  return out;
}

TEST(Check, GoldenBundlesAreCleanOrBreakTheNamedRule) {
  std::ifstream in(std::string(ACTKIT_SHARED_DIR) + "/cases/bundles.jsonl");
  if (!in) GTEST_SKIP() << "the golden bundles are not here";
  for (std::string line; std::getline(in, line);) {
    const Json j = Json::parse(line);
    const Bundle b = from_hex_text(j["bytes"].get<std::string>());
    if (j["valid"].get<bool>()) {
      for (const Json& g : j["gens"]) {
        const Diagnostics d = check(b, *find_generation(g.get<std::string>()));
        EXPECT_FALSE(has_errors(d)) << j["name"] << ' ' << g << '\n' << rules_of(d);
      }
    } else {
      const Diagnostics d = check(b, *find_generation(j["gen"].get<std::string>()));
      EXPECT_TRUE(reports(d, j["rule"].get<std::string>())) << j["name"] << " wants " << j["rule"] << "\n" << rules_of(d);
    }
  }
}

// A valid instruction of each kind; the bad ones below are patches of these.
const char* const kActivate = R"({"bias_src_n":1,"src_mem_pattern":{"addr":33554432,"step":[1,1,1],"num":[64,1,1]},"in_bias_dtype":{"lo":"FP32","hi":"FP32"},
  "out_dtype":"FP32","num_active_channels":32,"activation_func":7,"scale_value":1065353216,"dst_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kQuantize = R"({"quant_scale_value":1065353216,"dequant_scale_value":1065353216,"src_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},
  "in_bias_dtype":{"lo":"FP32","hi":"FP32"},"out_dtype":"UINT8","num_active_channels":32,"activation_func":1,"dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kActivate2 = R"({"src_mem_pattern":{"addr":4096,"step":[1,1],"num":[64,1]},"imm_dtype":"FP32","op0":"MULT","op1":"ADD","in_dtype":"FP32","out_dtype":"FP32",
  "num_active_channels":32,"activation_func":7,"dst_mem_pattern":{"addr":8192,"step":[1,1],"num":[64,1]}})";
const char* const kMultipass = R"({"src_mem_pattern":{"addr":4096,"step":[1,1],"num":[64,1]},"imm_dtype":"FP32","op0":"MULT","op1":"ADD","in_dtype":"FP32","out_dtype":"FP32",
  "num_active_channels":32,"activation_func":10,"prev_pass_mem_pattern":{"addr":16384,"step":[1],"num":[64]},"dst_mem_pattern":{"addr":8192,"step":[1,1],"num":[64,1]}})";
const char* const kDrain = R"({"dst_element_count":1,"dtype":"FP32","num_active_channels":32,"dst_mem_pattern":{"addr":4096,"step":[1],"num":[1]}})";
const char* const kCopy = R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1,1],"num":[64,1,1,1]},"in_dtype":"FP32","out_dtype":"FP32","num_active_channels":32,
  "dst_mem_pattern":{"addr":8192,"step":[1,1,1,1],"num":[64,1,1,1]}})";
const char* const kReduce = R"({"src_mem_pattern":{"addr":4096,"step":[1,64,1,1],"num":[64,2,1,1]},"in_dtype":"FP32","out_dtype":"FP32","num_active_channels":32,"op":"ADD","op_dim":"X",
  "dst_mem_pattern":{"addr":8192,"step":[1,1,1,1],"num":[2,1,1,1]}})";
const char* const kMemset = R"({"dst_element_count":64,"dtype":"FP32","num_active_channels":32,"dst_mem_pattern":{"addr":8192,"step":[1,1,1,1],"num":[64,1,1,1]}})";
const char* const kPoolBuffer = R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1,1],"num":[512,1,1,1]},"in_dtype":"FP16","num_active_channels":32})";
const char* const kTensorScalar = R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},"in_dtype":"FP32","out_dtype":"FP32","num_active_channels":32,"op0":"MULT","op1":"ADD",
  "dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kBits = R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},"in_dtype":"INT32","out_dtype":"INT32","num_active_channels":32,"op0":"BITWISE_AND","op1":"BYPASS",
  "dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kCache = R"({"accumulator_cmd":"ZERO_ACCUMULATE","src_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},"in_dtype":"FP32","out_dtype":"FP32","num_active_channels":32,
  "op0":"MULT","op1":"ADD","dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kExponential = R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},"in_dtype":"FP32","out_dtype":"FP32","num_active_channels":32,
  "dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kTensorTensor = R"({"in0_in1_dtype":{"lo":"FP32","hi":"FP32"},"out_dtype":"FP32","op":"ADD","num_active_channels":32,"src0_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},
  "src1_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]},"dst_mem_pattern":{"addr":12288,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kPredicated = R"({"in0_in1_dtype":{"lo":"UINT8","hi":"FP32"},"out_dtype":"FP32","num_active_channels":32,"src0_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[64,1,1]},
  "src1_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[64,1,1]},"dst_mem_pattern":{"addr":12288,"step":[1,1,1],"num":[64,1,1]}})";
const char* const kAddress = R"({"src_mem_pattern":{"addr":4096,"step":[1,1],"num":[64,1]},"imm0":64,"imm1":4096,"imm0_imm1_dtype":{"lo":"INT32","hi":"UINT64"},"in_out_dtype":{"lo":"INT32","hi":"UINT64"},
  "op0":"MULT","op1":"ADD","num_active_channels":16,"dst_mem_pattern":{"addr":8192,"step":[1,1],"num":[64,1]}})";
const char* const kCustom = R"({"num_payloads":1})";

struct Bad {
  const char *opcode, *base, *patch, *rule;
  Generation g = Generation::cayman;
  Severity severity = Severity::error;
};
constexpr auto kV2 = Generation::sunda, kV4 = Generation::mariana, kV5 = Generation::maverick;
constexpr auto kWarn = Severity::warning;

const Bad kBad[] = {
    // header, events, generic fields
    {"ACTIVATE", kActivate, R"({"inst_word_len":15})", "has_valid_inst_len"},
    {"ACTIVATE", kActivate, R"({"inst_word_len":0})", "has_valid_inst_len"},
    {"ACTIVATE", kActivate, R"({"inst_flags":2})", "debug_cmd", Generation::cayman, kWarn},
    {"ACTIVATE", kActivate, R"({"inst_flags":1,"src_mem_pattern":{"addr":0,"step":[1,1,1],"num":[64,1,1]}})", "has_valid_active_channel_range", kV5},
    {"ACTIVATE", kActivate, R"({"wait_mode":8})", "has_valid_neuron_events"},
    {"ACTIVATE", kActivate, R"({"wait_mode":"INVALID"})", "has_valid_neuron_events"},
    {"ACTIVATE", kActivate, R"({"wait_mode":147})", "has_valid_neuron_events"},
    {"ACTIVATE", kActivate, R"({"update_mode":147})", "has_valid_neuron_events"},
    {"ACTIVATE", kActivate, R"({"wait_mode":"SEM_GE_IMM","update_mode":"SEM_ADD_REG_COMPLETE","sync_value":3})", "has_valid_neuron_events"},
    {"ACTIVATE", kActivate, R"({"sync_value":3})", "has_valid_neuron_events", Generation::cayman, kWarn},
    {"ACTIVATE", kActivate, R"({"wait_idx":3})", "has_valid_neuron_events", Generation::cayman, kWarn},
    {"ACTIVATE", kActivate, R"({"update_idx":3})", "has_valid_neuron_events", Generation::cayman, kWarn},
    {"ACTIVATE2", kActivate2, "{}", "has_valid_neuron_header", Generation::cayman},
    {"ACTIVATE_MULTIPASS", kMultipass, "{}", "has_valid_neuron_header", kV4},
    {"EXPONENTIAL", kExponential, "{}", "unsupported_opcode", kV2},
    {"ACTIVATE2", kActivate2, "{}", "has_valid_neuron_header", kV2},
    {"OP_0x03", "{}", "{}", "unsupported_opcode"},
    {"POOL", "{}", "{}", "unsupported_opcode"},
    {"ACTIVATION_TABLE_LOAD", "{}", R"({"reserved_36":"00000000000000010000000000000000000000000000000000000000"})", "reserved_zero"},
    {"ACTIVATE", kActivate, R"({"scale_src":3})", "is_valid_enum"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"MOD"})", "tensor_tensor_valid_types"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"MOD","in0_in1_dtype":{"lo":"INT32","hi":"INT32"},"out_dtype":"UINT32"})", "tensor_tensor_valid_types"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"POW","out_dtype":"INT32"})", "tensor_tensor_valid_types"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"POW","in0_in1_dtype":{"lo":"FP32","hi":"FP8_EXP4"}})", "tensor_tensor_valid_types"},
    {"COPY", kCopy, R"({"dst_mem_pattern":{"addr":4100,"step":[1,1,1,1],"num":[64,1,1,1]}})", "operand_overlap", Generation::cayman, kWarn},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"ABS_MAX"})", "is_valid_enum"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":30})", "is_valid_enum", kV5},
    {"ACTIVATE", kActivate, R"({"out_dtype":"INT64"})", "is_valid_dtype"},
    {"ACTIVATE", kActivate, R"({"in_bias_dtype":{"lo":"FP32R","hi":"FP32"}})", "is_valid_dtype"},
    {"ACTIVATE", kActivate, R"({"out_dtype":"FP4_EXP2"})", "is_valid_dtype", kV4},
    {"ACTIVATE", kActivate, R"({"num_active_channels":0})", "has_valid_active_channel_range"},
    {"ACTIVATE", kActivate, R"({"num_active_channels":129})", "has_valid_active_channel_range"},
    {"REG_STORE", R"({"num_active_channels":200})", "{}", "has_valid_active_channel_range"},
    // descriptors
    {"DVE_READ_ACCUMULATOR", kDrain, R"({"dst_mem_pattern":{"addr":67108864,"step":[1],"num":[1]}})", "tensor1d_valid"},
    {"TENSOR_SCALAR_ADDR", kAddress, R"({"src_mem_pattern":{"addr":33554432,"step":[1,1],"num":[64,1]}})", "tensor2d_valid"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":33554432,"step":[1,1,1],"num":[64,0,1]}})", "tensor3d_valid"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":536870976,"step":[1,1,1],"num":[64,1,1]}})", "tensor3d_valid", kV4},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":1610612736,"step":[1,1,1],"num":[64,1,1]}})", "tensor3d_valid"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":2147483712,"step":[1,1,1],"num":[64,1,1]}})", "tensor3d_valid"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":2147483904,"step":[1,1,1],"num":[64,1,1]}})", "tensor3d_valid"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":1073741824,"step":[1,1,1],"num":[0,0,0]}})", "tensor3d_valid", kV2},
    {"POOL_BUFFER_LOAD", kPoolBuffer, R"({"src_mem_pattern":{"addr":33554432,"step":[1,1,1,1],"num":[64,1,1,1]}})", "tensor4d_valid"},
    {"ACTIVATE2", kActivate2, R"({"src_mem_pattern":{"addr":536870976,"step":[1,1],"num":[64,1]}})", "mem2d_valid", kV4},
    {"ACTIVATE_MULTIPASS", kMultipass, R"({"prev_pass_mem_pattern":{"addr":16384,"step":[1],"num":[0]}})", "tensor1d_valid", kV5},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"src_mem_pattern":{"index_addr":536870976,"data_addr":4096,"count":0}})", "mem3d_valid", kV4},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"src_mem_pattern":{"index_addr":536870976,"data_addr":2147483648,"count":64}})", "mem3d_valid", kV4},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"src_mem_pattern":{"index_addr":536870976,"data_addr":4096,"count":64}})", "tensor3d_valid", Generation::cayman},
    {"COPY", kCopy, R"({"src_mem_pattern":{"index_addr":2684354624,"data_addr":4096,"count":64}})", "mem4d_valid", kV4},
    {"COPY", kCopy, R"({"src_mem_pattern":{"index_addr":545259584,"data_addr":4096,"count":64}})", "indirect_quadrant_check_src4d", kV4},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"src_mem_pattern":{"index_addr":545259584,"data_addr":4096,"count":64}})", "indirect_quadrant_check_src3d_dst3d", kV4},
    {"ACTIVATE", kActivate, R"({"dst_mem_pattern":{"addr":4098,"step":[1,1,1],"num":[64,1,1]}})", "addr_aligned_dtype"},
    {"ACTIVATE", kActivate, R"({"out_dtype":"BFLOAT16","dst_mem_pattern":{"addr":33554432,"step":[1,1,1],"num":[64,1,1]}})", "psum_write_needs_4_byte_dtype"},
    {"ACTIVATION_READ_ACCUMULATOR", kDrain, R"({"dtype":"FP16","dst_mem_pattern":{"addr":33554432,"step":[1],"num":[1]}})", "psum_write_needs_4_byte_dtype", Generation::cayman, kWarn},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"dst_mem_pattern":{"addr":33554432,"step":[1,1,1],"num":[64,1,1]}})", "psum_write_needs_4_byte_dtype", Generation::cayman, kWarn},
    {"ACTIVATE", kActivate, R"({"num_active_channels":36,"dst_mem_pattern":{"addr":12582912,"step":[1,1,1],"num":[64,1,1]}})", "start_addr_active_channels"},
    {"ACTIVATE", kActivate, R"({"dst_mem_pattern":{"addr":229376,"step":[1,1,1],"num":[64,1,1]}})", "start_addr_active_channels"},
    {"ACTIVATE", kActivate, R"({"dst_mem_pattern":{"addr":229124,"step":[1,1,1],"num":[64,1,1]}})", "tensor_bounds"},
    {"ACTIVATE", kActivate, R"({"dst_mem_pattern":{"addr":248,"step":[-1,1,1],"num":[64,1,1]}})", "tensor_bounds"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":1073741824,"step":[64,1,1],"num":[0,0,0]}})", "shape_register"},
    {"ACTIVATE", kActivate, R"({"src_mem_pattern":{"addr":1073741824,"step":[3,1,1],"num":[64,0,0]}})", "shape_register", Generation::cayman, kWarn},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"src1_mem_pattern":{"addr":8388608,"step":[1,1,1],"num":[64,1,1]}})", "tt_valid_partitions"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"src0_mem_pattern":{"addr":33554432,"step":[1,1,1],"num":[64,1,1]},"src1_mem_pattern":{"addr":33554432,"step":[1,1,1],"num":[64,1,1]}})", "tt_valid_partitions"},
    // counts
    {"ACTIVATE", kActivate, R"({"dst_mem_pattern":{"addr":4096,"step":[1,1,1],"num":[63,1,1]}})", "same_element_count_t3d"},
    {"ACTIVATE2", kActivate2, R"({"dst_mem_pattern":{"addr":4096,"step":[1,1],"num":[63,1]}})", "same_element_count_m2d", kV4},
    {"TENSOR_SCALAR_ADDR", kAddress, R"({"dst_mem_pattern":{"addr":8192,"step":[1,1],"num":[63,1]}})", "same_element_count_t2d"},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[63,1,1]}})", "same_element_count_m3d"},
    {"COPY", kCopy, R"({"dst_mem_pattern":{"addr":8192,"step":[1,1,1,1],"num":[63,1,1,1]}})", "s4d4_tr_same_src_dst_count"},
    {"STREAM_TRANSPOSE", kCopy, R"({"dst_mem_pattern":{"addr":8192,"step":[1,1,1,1],"num":[65,1,1,1]}})", "s4d4_tr_transpose_src_dst_count"},
    {"STREAM_TRANSPOSE", kCopy, R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1,1],"num":[65,1,1,1]}})", "has_transpose_src_element_count_t4d"},
    {"TENSOR_REDUCE_ARITH_OP", kReduce, R"({"dst_mem_pattern":{"addr":8192,"step":[1,1,1,1],"num":[1,1,1,1]}})", "s4d4_tr_reduce_src_dst_count"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"src1_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[63,1,1]}})", "s3s3d3_tt_src_element_cnt_check"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"dst_mem_pattern":{"addr":8192,"step":[1,1,1],"num":[63,1,1]}})", "s3s3d3_tt_dst_element_cnt_check"},
    {"STREAM_SHUFFLE", kCopy, R"({"num_active_channels":31})", "has_multiple_32_channels"},
    // activation
    {"ACTIVATE", kActivate, R"({"scale_src":1,"scale_value":258})", "s3d3_ac_scale_checks"},
    {"ACTIVATE", kActivate, R"({"scale_src":2,"scale_value":64})", "s3d3_ac_scale_checks"},
    {"ACTIVATE", kActivate, R"({"scale_src":2,"scale_value":256})", "s3d3_ac_scale_checks"},
    {"ACTIVATE", kActivate, R"({"imm_src":1,"imm":2147483648})", "s3d3_ac_imm_checks"},
    {"ACTIVATE", kActivate, R"({"bias_src_n":0,"bias":2})", "s3d3_ac_bias_checks"},
    {"ACTIVATE", kActivate, R"({"bias_src_n":0,"bias":262144})", "s3d3_ac_bias_checks"},
    {"ACTIVATE", kActivate, R"({"bias_src_n":2,"bias":64})", "s3d3_ac_bias_checks"},
    {"ACTIVATE", kActivate, R"({"in_bias_dtype":{"lo":"FP32","hi":"INT8"}})", "s3d3_ac_bias_checks"},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"quant_scale_value":2147483648})", "s3d3_aq_scale_check"},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"dequant_scale_value":2143289344})", "s3d3_aq_scale_check", Generation::cayman, kWarn},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"out_dtype":"INT8"})", "s3d3_aq_type_check"},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"in_bias_dtype":{"lo":"INT32","hi":"INT32"}})", "s3d3_aq_type_check"},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"bias_addr":6})", "s3d3_aq_bias_check"},
    {"ACTIVATE_QUANTIZE", kQuantize, R"({"activation_func":4})", "s3d3_aq_activation_func", Generation::cayman, kWarn},
    {"ACTIVATE2", kActivate2, R"({"op0":"ADD"})", "has_valid_activation_ts_ops", kV4},
    {"ACTIVATE2", kActivate2, R"({"reduce_op":"ADD"})", "has_valid_reduce_op", kV4},
    {"ACTIVATE2", kActivate2, R"({"reduce_cmd":"REDUCE"})", "has_valid_reduce_op", kV4},
    {"ACTIVATE2", kActivate2, R"({"relu_param_src":1,"relu_param":6})", "has_valid_activation_immediate", kV4},
    {"ACTIVATE2", kActivate2, R"({"imm0_src":1,"imm0":8388608})", "act2_quadrant_restrictions_errata_3071", kV4},
    {"ACTIVATE2", kActivate2, R"({"src_mem_pattern":{"addr":33554432,"step":[1,1],"num":[64,1]},"imm0_src":1,"imm0":8388608,"imm1_src":1,"imm1":4})", "act2_quadrant_restrictions_errata_3071", kV4},
    {"ACTIVATE2", kActivate2, R"({"src_mem_pattern":{"addr":33554432,"step":[1,1],"num":[64,1]},"imm0_src":1,"imm0":33554432})", "act2_quadrant_restrictions_errata_3071", kV4},
    {"ACTIVATION_READ_ACCUMULATOR", kDrain, R"({"dst_element_count":2})", "read_accumulator_dst_size"},
    {"ACTIVATION_READ_ACCUMULATOR", kDrain, R"({"dtype":"FP8_EXP4"})", "activation_read_accumulator_type_check"},
    {"DVE_READ_ACCUMULATOR", kDrain, R"({"dtype":"INT32"})", "dve_read_accumulator_type_check"},
    {"ACTIVATION_READ_ACCUMULATOR", kDrain, R"({"negated":1})", "d1_rd_has_zero_negated_field"},
    {"DVE_READ_ACCUMULATOR", kDrain, R"({"negated":2})", "d1_rd_has_valid_negated_field"},
    {"DRAIN", "{}", R"({"act_tbl_sel":1})", "zero_act_tbl_sel"},
    // S4D4_TR
    {"RECIPROCAL", kCopy, R"({"op":"ADD"})", "s4d4_tr_op_bypass"},
    {"COPY", kCopy, R"({"out_dtype":"INT32"})", "s4d4_tr_same_src_dst_type"},
    {"CAST", kCopy, R"({"op_dim":"XY"})", "is_zero_subdim"},
    {"TENSOR_REDUCE_ARITH_OP", kReduce, R"({"op_dim":"UNUSED"})", "is_valid_subdim"},
    {"CAST", kCopy, R"({"negated":1})", "has_zero_negated_field"},
    {"TENSOR_REDUCE_ARITH_OP", kReduce, R"({"negated":2})", "has_valid_negated_field"},
    {"CAST", kCopy, R"({"mask_enable":1})", "mask_enable_zero"},
    {"STREAM_TRANSPOSE", kCopy, R"({"mask_enable":2})", "mask_enable_valid"},
    {"TENSOR_REDUCE_ARITH_OP", kReduce, R"({"op":"DIVIDE"})", "tensor_reduce_valid_ops"},
    {"TENSOR_REDUCE_ARITH_OP", kReduce, R"({"op":"MAX_INT"})", "tensor_reduce_valid_ops"},
    {"TENSOR_REDUCE_ARITH_OP", kReduce, R"({"in_dtype":"INT64","out_dtype":"INT64","op":"ADD"})", "tensor_reduce_valid_ops"},
    {"TENSOR_REDUCE_BITVEC_OP", kReduce, R"({"op":"ADD","in_dtype":"INT32","out_dtype":"INT32"})", "tensor_reduce_valid_ops"},
    // S3D3_TS, S3S3D3_TT
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"op0":"DIVIDE"})", "tensor_scalar_valid_ops"},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"op0":"BYPASS"})", "tensor_scalar_valid_ops"},
    {"TENSOR_SCALAR_BITVEC_OP", kBits, R"({"op0":"ADD"})", "tensor_scalar_valid_ops"},
    {"TENSOR_SCALAR_BITVEC_OP", kBits, R"({"in_dtype":"INT16","out_dtype":"INT16","op0":"ARITH_SHIFT_RIGHT"})", "tensor_scalar_shift_chk"},
    {"TENSOR_SCALAR_BITVEC_OP", kBits, R"({"out_dtype":"UINT32"})", "tensor_scalar_valid_types"},
    {"TENSOR_SCALAR_BITVEC_OP", kBits, R"({"in_dtype":"INT16","out_dtype":"INT16","imm0":65536})", "tensor_scalar_immediates_check"},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"imm0_src":1,"imm0":2})", "tensor_scalar_immediates_check"},
    {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"accumulator_cmd":"ZERO"})", "has_zero_accum_cmd_field"},
    {"TRANSPOSE_TENSOR_SCALAR_ARITH_OP", kTensorScalar, R"({"num_active_channels":31})", "s3d3_transpose_check"},
    {"TENSOR_SCALAR_CACHE_REDUCE", kCache, R"({"accumulator_cmd":"IDLE"})", "has_valid_cache_accum_cmd"},
    {"TENSOR_SCALAR_CACHE_CUMULATIVE", kCache, R"({"op1":"LOGICAL_AND"})", "tensor_scalar_valid_ops"},
    {"EXPONENTIAL", kExponential, R"({"imm1":1})", "exponential_imm1_check", kV4},
    {"EXPONENTIAL", kExponential, R"({"op0":"ADD"})", "tensor_scalar_valid_ops", kV4},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"DIVIDE"})", "tensor_tensor_valid_ops"},
    {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, R"({"op":"ADD_INT"})", "tensor_tensor_valid_types"},
    {"TENSOR_TENSOR_BITVEC_OP", kTensorTensor, R"({"op":"BITWISE_AND"})", "tensor_tensor_valid_types"},
    {"COPY_PREDICATED", kPredicated, R"({"in0_in1_dtype":{"lo":"FP16","hi":"FP32"}})", "s3s3d3_copy_pred_src0_dtype"},
    {"COPY_PREDICATED", kPredicated, R"({"out_dtype":"INT32"})", "s3s3d3_copy_cast_pred_src1_dst_dtype"},
    {"CAST_PREDICATED", kPredicated, R"({"op":"ADD"})", "s3s3d3_tt_is_zero_op"},
    {"CAST_PREDICATED", kPredicated, R"({"out_dtype":"FP32R"})", "is_valid_dtype"},
    // memset, pool, control
    {"MEMSET", kMemset, R"({"dtype":"BFLOAT16","set_value":65536})", "memset_set_value_type"},
    {"MEMSET", kMemset, R"({"dtype":"FP32R"})", "memset_set_value_type"},
    {"MEMSET", kMemset, R"({"serialization_mode":1})", "is_valid_enum"},
    {"MEMSET", kMemset, R"({"dst_element_count":1})", "memset_dst_element_count", Generation::cayman, kWarn},
    {"POOL_BUFFER_LOAD", kPoolBuffer, R"({"src_mem_pattern":{"addr":4096,"step":[1,1,1,1],"num":[513,1,1,1]}})", "valid_pool_buffer_load_element_count"},
    {"LOAD_MASK_SELECT", "{}", R"({"param_ram_offset":1})", "has_zero_pram_offset"},
    {"LOAD_PARAMETER_RAM", "{}", R"({"imm_ptr_select":1})", "ctrl_imm_ptr_select_zero"},
    {"LOAD_MASK_SELECT", "{}", R"({"immediate":"4000000000000000000000000000000000000000000000000000000000000000"})", "has_valid_masksel_data"},
    {"LOAD_POOL_ARGUMENT", "{}", R"({"imm_ptr_select":1,"immediate":"0000040000000000000000000000000000000000000000000000000000000000"})", "ld_pool_arg_has_valid_imm_ptrs"},
    {"ENGINE_NOP", "{}", R"({"immediate":"0000000000000000000000000000000000000000000000000000000000000001"})", "zero_immediate"},
    {"TENSOR_SCALAR_ADDR", kAddress, R"({"op1":"SUBTRACT"})", "ts_addr_valid_ops"},
    {"TENSOR_SCALAR_ADDR", kAddress, R"({"in_out_dtype":{"lo":"INT16","hi":"UINT64"}})", "ts_addr_valid_types"},
    {"TENSOR_SCALAR_ADDR", kAddress, R"({"imm1_is_ptr":1,"imm1":4294967296})", "has_valid_immediates"},
    {"CUSTOM_OP_HEADER", kCustom, R"({"has_scratch_space":1})", "scratch_space_valid"},
    {"CUSTOM_OP_HEADER", kCustom, R"({"scratch_space_size":1})", "scratch_space_valid"},
    {"CUSTOM_OP_PAYLOAD", "{}", "{}", "is_valid_enum"},
    {"MODIFY_POOL_CONFIG", R"({"modify_op":"LoadLib"})", R"({"library_size":65537})", "has_valid_modify_pool_config_library_size"},
    {"MODIFY_POOL_CONFIG", "{}", "{}", "is_valid_enum"},
};

TEST(Check, EveryBadInputBreaksItsRuleAndTheGoodOneDoesNot) {
  for (const Bad& bad : kBad) {
    Bundle b = with_fields(bad.opcode, bad.base);
    ASSERT_TRUE(fields_from_json(b, *format_of(b), Json::parse(bad.patch))) << bad.patch;
    const Diagnostics d = check(b, bad.g);
    EXPECT_TRUE(reports(d, bad.rule, bad.severity)) << bad.opcode << ' ' << bad.patch << " wants " << bad.rule << '\n' << rules_of(d);
  }
}

TEST(Check, TheUnpatchedInstructionsAreClean) {
  struct Good { const char *opcode, *fields; Generation g; };
  for (const Good& good : {Good{"ACTIVATE", kActivate, Generation::cayman}, {"ACTIVATE_QUANTIZE", kQuantize, Generation::cayman}, {"ACTIVATE2", kActivate2, kV4}, {"ACTIVATE_MULTIPASS", kMultipass, kV5},
                           {"ACTIVATION_READ_ACCUMULATOR", kDrain, Generation::cayman}, {"DVE_READ_ACCUMULATOR", kDrain, Generation::cayman}, {"COPY", kCopy, Generation::cayman}, {"CAST", kCopy, kV4},
                           {"RECIPROCAL", kCopy, Generation::cayman}, {"STREAM_SHUFFLE", kCopy, Generation::cayman}, {"STREAM_TRANSPOSE", kCopy, Generation::cayman}, {"TENSOR_REDUCE_ARITH_OP", kReduce, Generation::cayman},
                           {"MEMSET", kMemset, Generation::cayman}, {"POOL_BUFFER_LOAD", kPoolBuffer, Generation::cayman}, {"TENSOR_SCALAR_ARITH_OP", kTensorScalar, Generation::cayman}, {"TENSOR_SCALAR_BITVEC_OP", kBits, kV2},
                           {"TRANSPOSE_TENSOR_SCALAR_ARITH_OP", kTensorScalar, Generation::cayman}, {"TENSOR_SCALAR_CACHE_REDUCE", kCache, Generation::cayman}, {"EXPONENTIAL", kExponential, kV4},
                           {"TENSOR_TENSOR_ARITH_OP", kTensorTensor, Generation::cayman}, {"COPY_PREDICATED", kPredicated, kV5}, {"TENSOR_SCALAR_ADDR", kAddress, Generation::cayman}, {"CUSTOM_OP_HEADER", kCustom, kV2},
                           {"NOP", "{}", Generation::cayman}, {"EVENT_SEMAPHORE", "{}", Generation::cayman}, {"LOAD_MASK_SELECT", "{}", kV5}}) {
    const Diagnostics d = check(with_fields(good.opcode, good.fields), good.g);
    EXPECT_TRUE(d.empty()) << good.opcode << '\n' << rules_of(d);
  }
}

TEST(Check, EveryRuleHasABadInput) {
  std::set<std::string_view> covered = {"stream_length", "custom_op_payloads", "pseudo_opcode", "table_loaded_before_use", "max_table_sets", "valid_act_tbl_sel"};  // Stream tests below
  for (const Bad& bad : kBad) covered.insert(bad.rule);
  for (const RuleInfo& rule : all_rules()) {
    EXPECT_TRUE(covered.contains(rule.name)) << rule.name;
    EXPECT_GT(rule.why.size(), 10u) << rule.name;
  }
}

TEST(Check, AllViolationsAreReportedWithFieldByteValueAndAllowed) {
  Bundle b = with_fields("ACTIVATE", kActivate);
  ASSERT_TRUE(fields_from_json(b, *format_of(b), Json::parse(R"({"num_active_channels":200,"out_dtype":"INT64","scale_src":7,"wait_mode":8})")));
  const Diagnostics d = check(b, Generation::cayman);
  for (const char* rule : {"has_valid_active_channel_range", "is_valid_dtype", "is_valid_enum", "has_valid_neuron_events"}) EXPECT_TRUE(reports(d, rule)) << rule;
  const auto nac = std::ranges::find(d, "has_valid_active_channel_range", &Diagnostic::rule);
  EXPECT_EQ(nac->field, "num_active_channels");
  EXPECT_EQ(nac->where.byte, 34u);
  EXPECT_EQ(nac->value, "200");
  EXPECT_EQ(nac->allowed, "1..128");
}

TEST(Check, LenientTurnsTheNamedErrorsIntoWarnings) {
  const CheckOptions lenient{.lenient = true, .final_stream = false, .sets = {}};
  Bundle reserved = with_fields("NOP", "{}");
  reserved.bytes[63] = 1;
  EXPECT_TRUE(reports(check(reserved, Generation::cayman), "reserved_zero"));
  EXPECT_TRUE(reports(check(reserved, Generation::cayman, lenient), "reserved_zero", Severity::warning));
  EXPECT_FALSE(has_errors(check(with_fields("POOL", "{}"), Generation::cayman, lenient)));
  EXPECT_FALSE(has_errors(check(with_fields("NOP", R"({"inst_flags":3})"), Generation::maverick, lenient)));
  EXPECT_TRUE(has_errors(check(with_fields("NOP", R"({"inst_word_len":3})"), Generation::cayman, lenient)));
}

// The publicly documented table of 01 section 8.5, for every channel count and partition, SBUF and PSUM, every generation.
TEST(Check, StartPartitionTableHoldsEverywhere) {
  for (const Generation g : kGenerations)
    for (const Space space : {Space::sbuf, Space::psum}) {
      if (space == Space::psum && g == Generation::maverick) continue;
      for (unsigned n = 1; n <= 128; ++n)
        for (unsigned p = 0; p < 128; ++p) {
          const bool want = n <= 32 ? p % 32 == 0 : n <= 64 ? p == 0 || p == 64 : p == 0;
          S4d4Tr x = make<S4d4Tr>(Opcode::COPY);
          x.in_dtype = x.out_dtype = Dtype::fp32;
          x.num_active_channels = static_cast<std::uint8_t>(n);
          x.src_mem_pattern.step = x.dst_mem_pattern.step = {1, 1, 1, 1};
          x.src_mem_pattern.num = x.dst_mem_pattern.num = {8, 1, 1, 1};
          x.dst_mem_pattern.addr = make_address(space, p, 64, g);
          ASSERT_EQ(check(encode(x), g).empty(), want) << n << " channels from " << p;
        }
    }
}

TEST(Check, SuggestsNeighbouringStartPartitions) {
  S4d4Tr x = make<S4d4Tr>(Opcode::COPY);
  x.in_dtype = x.out_dtype = Dtype::fp32;
  x.num_active_channels = 8;
  x.src_mem_pattern.num = x.dst_mem_pattern.num = {1, 1, 1, 1};
  x.dst_mem_pattern.addr = make_address(Space::sbuf, 48, 0, Generation::cayman);
  const Diagnostics d = check(encode(x), Generation::cayman);
  ASSERT_EQ(d.size(), 1u);
  EXPECT_NE(d[0].message.find("nearest starts are 32 and 64"), std::string::npos) << d[0].message;
}

// One element past the end of a partition, on every generation.
TEST(Check, BoundsAreExactToTheByte) {
  for (const Generation g : kGenerations) {
    const std::uint32_t active = geometry(g).sbuf_active;
    for (const int past : {0, 4}) {
      S3d3Ts x = make<S3d3Ts>(Opcode::TENSOR_SCALAR_ARITH_OP);
      x.in_dtype = x.out_dtype = Dtype::fp32;
      x.num_active_channels = 32;
      x.src_mem_pattern = {{active - 4 * 16 + static_cast<std::uint32_t>(past), {1, 8, 1}, {8, 2, 1}}};
      x.dst_mem_pattern = {{0, {1, 1, 1}, {16, 1, 1}}};
      const Diagnostics d = check(encode(x), g);
      EXPECT_EQ(reports(d, "tensor_bounds"), past != 0) << generation_name(g) << rules_of(d);
    }
  }
}

// --- streams -----------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> stream_of(const std::vector<Bundle>& bundles) {
  std::vector<std::uint8_t> out;
  for (const Bundle& b : bundles) out.insert(out.end(), b.bytes.begin(), b.bytes.end());
  return out;
}

CheckOptions with_sets(bool final_stream) {
  CheckOptions o{.lenient = false, .final_stream = final_stream, .sets = {}};
  for (int i = 0; i < 21; ++i) o.sets.push_back({"set" + std::to_string(i), {}});
  o.sets[0].functions.set(7);
  return o;
}

Diagnostics check_all(const std::vector<Bundle>& bundles, bool final_stream) {
  static CheckOptions keep;
  keep = with_sets(final_stream);
  return check_stream(stream_of(bundles), Generation::cayman, keep);
}

TEST(StreamRules, ActivationNeedsItsSet) {
  const Bundle activate = with_fields("ACTIVATE", kActivate);
  const Bundle load0 = with_fields("ACTIVATION_TABLE_LOAD", R"({"act_tbl_sel":0})"), load1 = with_fields("ACTIVATION_TABLE_LOAD", R"({"act_tbl_sel":1})");
  const Bundle by_name = with_fields("PSEUDO_LOAD_ACT_FUNC_SET", R"({"act_set_name":"7365743000000000000000000000000000000000000000000000000000000000"})");
  EXPECT_TRUE(check_all({load0, activate}, true).empty());
  EXPECT_TRUE(reports(check_all({activate}, false), "table_loaded_before_use", Severity::warning));
  EXPECT_TRUE(reports(check_all({activate}, true), "table_loaded_before_use"));
  const Diagnostics wrong = check_all({load1, activate}, true);
  ASSERT_TRUE(reports(wrong, "table_loaded_before_use"));
  EXPECT_EQ(wrong[0].where.instruction, 1u);
  EXPECT_FALSE(reports(check_all({by_name, activate}, false), "table_loaded_before_use", Severity::warning));
}

TEST(StreamRules, SetIndexIsComparedWithTheCatalog) {
  EXPECT_TRUE(check_all({with_fields("ACTIVATION_TABLE_LOAD", R"({"act_tbl_sel":20})")}, true).empty());
  for (const char* sel : {R"({"act_tbl_sel":21})", R"({"act_tbl_sel":255})"}) {
    const Diagnostics d = check_all({with_fields("ACTIVATION_TABLE_LOAD", sel)}, false);
    ASSERT_TRUE(reports(d, "valid_act_tbl_sel")) << rules_of(d);
    EXPECT_EQ(d[0].field, "act_tbl_sel");
    EXPECT_EQ(d[0].allowed, "0..20");
  }
}

TEST(Check, ModTakesIntegersAndPowFloats) {
  const auto tensor_tensor = [](const char* op, const char* in, const char* out) {
    return with_fields("TENSOR_TENSOR_ARITH_OP", fmt::format(R"({{"in0_in1_dtype":{{"lo":"{1}","hi":"{1}"}},"out_dtype":"{2}","op":"{0}","num_active_channels":32,"src0_mem_pattern":{{"addr":4096,"step":[1,1,1],"num":[64,1,1]}},
      "src1_mem_pattern":{{"addr":8192,"step":[1,1,1],"num":[64,1,1]}},"dst_mem_pattern":{{"addr":12288,"step":[1,1,1],"num":[64,1,1]}}}})", op, in, out));
  };
  for (const char* type : {"INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32"}) {
    EXPECT_FALSE(has_errors(check(tensor_tensor("MOD", type, type), Generation::cayman))) << type;
    EXPECT_TRUE(has_errors(check(tensor_tensor("POW", type, type), Generation::cayman))) << type;
  }
  for (const char* type : {"FP32", "FP16", "BFLOAT16"}) {
    EXPECT_FALSE(has_errors(check(tensor_tensor("POW", type, type), Generation::cayman))) << type;
    EXPECT_TRUE(has_errors(check(tensor_tensor("MOD", type, type), Generation::cayman))) << type;
  }
  EXPECT_FALSE(has_errors(check(tensor_tensor("POW", "FP32", "FP32R"), Generation::cayman)));
}

// 01 section 3.1: the count of a gather whose index address is in a register is unknown to the count checks.
TEST(Check, CountsBehindARegisterAreNotCompared) {
  const auto copy = [](std::uint32_t index_addr) {
    return with_fields("COPY", fmt::format(R"({{"src_mem_pattern":{{"index_addr":{},"data_addr":4096,"count":16}},"in_dtype":"FP32","out_dtype":"FP32","num_active_channels":128,
      "dst_mem_pattern":{{"addr":8192,"step":[1,1,1,1],"num":[32,1,1,1]}}}})", index_addr));
  };
  EXPECT_FALSE(has_errors(check(copy(0xA0000005), kV4))) << rules_of(check(copy(0xA0000005), kV4));
  EXPECT_TRUE(reports(check(copy(0x20000100), kV4), "s4d4_tr_same_src_dst_count"));
}

TEST(Check, LenientSoftensMembersWithoutRules) {
  CheckOptions lenient;
  lenient.lenient = true;
  for (const auto& [opcode, g] : {std::pair{0x30, kV2}, std::pair{0x30, Generation::cayman}, std::pair{0x7B, kV2}, std::pair{0x45, kV2}}) {
    Bundle b;
    b.bytes[0] = static_cast<std::uint8_t>(opcode);
    b.bytes[1] = kInstWordLen;
    EXPECT_TRUE(reports(check(b, g), "unsupported_opcode")) << opcode;
    EXPECT_TRUE(reports(check(b, g, lenient), "unsupported_opcode", Severity::warning)) << opcode;
  }
}

TEST(StreamRules, NinthSetIsAnError) {
  std::vector<Bundle> loads;
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(has_errors(check_all(loads, true)));
    loads.push_back(with_fields("ACTIVATION_TABLE_LOAD", R"({"act_tbl_sel":)" + std::to_string(i) + "}"));
  }
  EXPECT_TRUE(reports(check_all(loads, false), "max_table_sets"));
}

TEST(StreamRules, PseudoOpcodesDoNotStayInFinalStreams) {
  const Bundle by_name = with_fields("PSEUDO_LOAD_ACT_FUNC_SET", R"({"act_set_name":"7365743000000000000000000000000000000000000000000000000000000000"})");
  EXPECT_TRUE(reports(check_all({by_name}, false), "pseudo_opcode", Severity::warning));
  EXPECT_TRUE(reports(check_all({by_name}, true), "pseudo_opcode"));
  for (const char* held : {"PSEUDO_DMATRIGGER", "PSEUDO_BRANCH_LABEL", "PSEUDO_DMA_DIRECT2D"}) EXPECT_TRUE(check_all({with_fields(held, "{}")}, true).empty()) << held;
}

TEST(StreamRules, CustomOpPayloadsFollowTheirHeader) {
  const Bundle header = with_fields("CUSTOM_OP_HEADER", R"({"num_payloads":2})"), payload = with_fields("CUSTOM_OP_PAYLOAD", R"({"arg_type":"TENSOR"})"), nop = with_fields("NOP", "{}");
  EXPECT_TRUE(check_all({header, payload, payload, nop}, true).empty());
  EXPECT_TRUE(reports(check_all({header, payload}, true), "custom_op_payloads"));
  EXPECT_TRUE(reports(check_all({header, payload, nop}, false), "custom_op_payloads", Severity::warning));
  EXPECT_TRUE(reports(check_all({payload}, true), "custom_op_payloads"));
  EXPECT_EQ(check_all({header, payload}, true)[0].where.instruction, 0u);
}

// D-55: behind an array of n tensors stand n payloads of a tensor each.
TEST(StreamRules, ArrayArgumentsAreFollowedByTheirTensors) {
  const auto header = [](int payloads) { return with_fields("CUSTOM_OP_HEADER", fmt::format(R"({{"num_payloads":{}}})", payloads)); };
  const auto array = [](std::uint8_t tensors) {
    Bundle b = with_fields("CUSTOM_OP_PAYLOAD", R"({"arg_type":"ARRAY_OF_TENSOR"})");
    b.bytes[16] = tensors;
    return b;
  };
  const Bundle tensor = with_fields("CUSTOM_OP_PAYLOAD", R"({"arg_type":"TENSOR"})");
  EXPECT_TRUE(check_all({header(3), array(2), tensor, tensor}, true).empty());
  EXPECT_TRUE(check_all({header(4), array(2), tensor, tensor, array(0)}, true).empty());
  EXPECT_TRUE(reports(check_all({header(1), array(2)}, true), "custom_op_payloads"));
  EXPECT_TRUE(reports(check_all({header(3), array(2), array(0), tensor}, true), "custom_op_payloads"));
}

TEST(StreamRules, LengthIsAMultipleOf64) {
  for (const std::size_t size : {1u, 63u, 65u, 64u * 5u + 1u}) {
    const std::vector<std::uint8_t> bytes(size);
    const Diagnostics d = check_stream(bytes, Generation::cayman, kStrict);
    ASSERT_TRUE(reports(d, "stream_length")) << size;
    EXPECT_EQ(d.back().where.byte, size / 64 * 64);
    EXPECT_EQ(d.back().code, Code::bad_size);
  }
  EXPECT_TRUE(check_stream({}, Generation::cayman, kStrict).empty());
}

TEST(Check, NothingCrashesOnAnyOpcodeByteOnAnyGeneration) {
  for (const Generation g : kGenerations)
    for (unsigned fill : {0x00u, 0xFFu, 0x20u, 0x80u})
      for (unsigned op = 0; op < 256; ++op) {
        Bundle b;
        b.bytes.fill(static_cast<std::uint8_t>(fill));
        b.bytes[0] = static_cast<std::uint8_t>(op);
        if (opcode_generations(b.bytes[0]).contains(g)) continue;
        EXPECT_TRUE(reports(check(b, g), "has_valid_neuron_header"));
      }
}

}  // namespace
}  // namespace act
