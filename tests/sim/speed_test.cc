// The fast ways of activations - tabulated 8- and 16-bit inputs, groups of channels, vector kernels, threads
// - against one element at a time.
#include <limits>
#include <set>

#include "build.h"

namespace act::sim::plain {
namespace {

struct Case {
  const char* set;
  const char* function;
  Dtype in, out;
  float scale;
  AccumCmd accumulate;
  float bias = 0.125F;
};

constexpr unsigned kSource = 0, kDestination = 0x8000;

std::uint64_t input_code(Dtype t, unsigned p, unsigned k) {
  const std::uint64_t mixed = (std::uint64_t{p} * 4096 + k) * 0x9e3779b97f4a7c15u;
  return (mixed >> 20) & element_mask(t);
}

// Results of every channel by the scalar functions alone.
struct Expected {
  std::vector<std::uint64_t> codes;
  float sum = 0;
};
Expected expected_row(const Case& c, unsigned p, unsigned count) {
  const FunctionTable& table = *trainium().find_set(c.set)->find(c.function);
  Expected e;
  for (unsigned k = 0; k < count; ++k) {
    const float in = widen(c.in, input_code(c.in, p, k));
    const float result = evaluate(table, prescale(in, c.scale, c.bias));
    e.codes.push_back(narrow(c.out, result));
    e.sum = e.sum + result;
  }
  e.sum = canonical(e.sum);
  return e;
}

void check(const Case& c, unsigned count, unsigned channels, unsigned threads) {
  Twins t(Generation::cayman, {}, threads);
  t.load_set(c.set);
  auto i = activation(code_of_function(c.set, c.function), kSource, kDestination, static_cast<int>(count),
                      channels, c.in, c.out);
  i.scale_value.bits = bits_of(c.scale);
  i.bias.bits = bits_of(c.bias);
  i.accumulator_cmd = c.accumulate;
  t.add(i);
  t.add(i);  // once more, what is kept from the first time included
  const unsigned in_bytes = dtype_bits(c.in) / 8;
  for (unsigned p = 0; p < channels; ++p) {
    std::vector<std::uint8_t> row(count * in_bytes);
    for (unsigned k = 0; k < count; ++k) {
      const std::uint64_t code = input_code(c.in, p, k);
      std::memcpy(row.data() + k * in_bytes, &code, in_bytes);
    }
    t.machine().memory.write(t.machine().memory.locate(p * 0x40000 + kSource), row);
  }
  ASSERT_TRUE(t.run());
  const std::string what = std::string(c.function) + ", threads " + std::to_string(threads);
  for (unsigned p = 0; p < channels; ++p) {
    const Expected e = expected_row(c, p, count);
    for (unsigned k = 0; k < count; ++k)
      ASSERT_EQ(t.code(p * 0x40000 + kDestination + k * (dtype_bits(c.out) / 8), c.out), e.codes[k])
          << what << " channel " << p << " element " << k;
    if (c.accumulate == AccumCmd::ZERO_ACCUMULATE) {
      ASSERT_EQ(bits_of(t.machine().accumulators(Engine::ACT)[p]), bits_of(e.sum))
          << what << " sum of channel " << p;
    }
  }
}

constexpr Case kCases[] = {
    {"exp_and_others", "exp", Dtype::bfloat16, Dtype::bfloat16, 1, AccumCmd::IDLE},
    {"exp_and_others", "tanh", Dtype::fp16, Dtype::fp8_exp4, 0.5F, AccumCmd::IDLE},
    {"trig_and_small", "sin", Dtype::bfloat16, Dtype::fp16, 1, AccumCmd::IDLE},  // has a documented range
    {"exp_and_others", "relu", Dtype::int8, Dtype::bfloat16, 0.25F, AccumCmd::IDLE},
    {"exp_and_others", "exp", Dtype::fp8_exp5, Dtype::uint8, 1, AccumCmd::IDLE},
    // Few runs of patterns: compared instead of looked up.
    {"exp_and_others", "relu", Dtype::bfloat16, Dtype::bfloat16, 1, AccumCmd::IDLE, 0},
    {"exp_and_others", "abs", Dtype::fp16, Dtype::fp16, 1, AccumCmd::IDLE, 0},
    {"exp_and_others", "copy", Dtype::bfloat16, Dtype::bfloat16, -1, AccumCmd::IDLE, 0},
    {"exp_and_others", "sign", Dtype::bfloat16, Dtype::bfloat16, 1, AccumCmd::IDLE, 0},
    {"exp_and_others", "relu", Dtype::int8, Dtype::int8, 1, AccumCmd::IDLE, 0},
    {"exp_and_others", "exp", Dtype::bfloat16, Dtype::bfloat16, 1, AccumCmd::ZERO_ACCUMULATE},
    {"exp_and_others", "tanh", Dtype::fp32, Dtype::fp32, 3, AccumCmd::ZERO_ACCUMULATE},
    {"exp_and_others", "square", Dtype::fp32, Dtype::bfloat16, 1, AccumCmd::ZERO_ACCUMULATE},
};

// 128 x 2049 elements are enough for a table of 65536 patterns, twelve channels for a group and a rest.
TEST(FastWays, LargeTensors) {
  for (const Case& c : kCases)
    for (const unsigned threads : {1u, 2u}) check(c, 2049, 128, threads);
}
TEST(FastWays, GroupsWithARest) {
  for (const Case& c : kCases)
    for (const unsigned channels : {1u, 7u, 8u, 12u}) check(c, 700, channels, 1);
}

// The first input outside the range is told, whichever way the values come.
TEST(FastWays, TheRangeWarningNamesTheSameElement) {
  std::vector<std::string> reports;
  for (const unsigned count : {1024u, 2048u}) {  // by the way of blocks, and tabulated
    Twins t;
    t.load_set("trig_and_small");
    t.add(activation(code_of_function("trig_and_small", "sin"), kSource, kDestination,
                     static_cast<int>(count), 128, Dtype::bfloat16, Dtype::bfloat16));
    for (unsigned p = 0; p < 128; ++p) {
      std::vector<std::uint16_t> row(count, bf16_from_f32(1));
      if (p >= 3) row[1000 - p] = bf16_from_f32(5);
      t.machine().memory.write(t.machine().memory.locate(p * 0x40000 + kSource),
                               {reinterpret_cast<const std::uint8_t*>(row.data()), 2 * row.size()});
    }
    ASSERT_TRUE(t.run());
    EXPECT_TRUE(t.reported(Code::out_of_range));
    reports.push_back(t.reports());
  }
  EXPECT_EQ(reports[0], reports[1]);
  EXPECT_NE(reports[0].find("channel 3, element 997"), std::string::npos) << reports[0];
}

// Around the bounds of every function, and the values that every comparison of patterns must get right.
std::vector<float> telling_values(const FunctionTable& table) {
  std::vector<float> values = {0.0F, 1e-45F, 1, 3e38F, std::numeric_limits<float>::max(), INFINITY, std::nanf("")};
  for (const float bound : {table.lower_bound, table.upper_bound})
    for (const float v : {std::nextafter(bound, -INFINITY), bound, std::nextafter(bound, INFINITY)})
      values.push_back(v);
  for (std::size_t k = values.size(); k-- != 0;) values.push_back(-values[k]);
  return values;
}

// Each value stands alone among inputs that no function warns of.
TEST(FastWays, TheRangeWarningComesExactlyWhereAnInputIsOutside) {
  std::set<std::string> seen;
  unsigned warned = 0;
  for (const TableSet& set : trainium().sets)
    for (const FunctionTable& table : set.functions) {
      if (!seen.insert(table.name).second || table.use_multipass) continue;
      for (const float v : telling_values(table)) {
        Twins t;
        t.load_set(set.row.name);
        t.add(activation(static_cast<std::uint8_t>(table.func_id), kSource, kDestination, 40, 1));
        for (unsigned k = 0; k < 40; ++k) t.set(4 * k, Dtype::fp32, k == 23 ? v : 0.0F);
        ASSERT_TRUE(t.run()) << t.reports();
        EXPECT_EQ(t.reported(Code::out_of_range), outside_bounds(table, v)) << table.name << " at " << v;
        warned += t.reported(Code::out_of_range);
      }
    }
  EXPECT_GT(warned, 50u);
}

// Everything is outside a range whose ends are NaN, of either sign.
TEST(FastWays, TheRangeWarningWithBoundsThatAreNoNumbers) {
  Catalog catalog = trainium();
  for (TableSet& set : catalog.sets)
    for (FunctionTable& table : set.functions) {
      table.lower_bound = -std::nanf("");
      table.upper_bound = std::nanf("");
    }
  for (const float v : {0.0F, 1.0F, -1.0F}) {
    Twins t;
    t.options.catalog = &catalog;
    t.load_set("trig_and_small");
    t.add(activation(code_of_function("trig_and_small", "sin"), kSource, kDestination, 1, 1));
    t.set(kSource, Dtype::fp32, v);
    ASSERT_TRUE(t.run()) << t.reports();
    EXPECT_EQ(t.reported(Code::out_of_range), v != 0) << v;
  }
}

}  // namespace
}  // namespace act::sim::plain
