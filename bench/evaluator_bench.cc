// The vector evaluator against the scalar reference, the math libraries, and memcpy.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "act/fit/sweep.h"
#include "act/tables/embedded.h"
#include "act/tables/evaluate.h"
#include "act/tables/vector_evaluate.h"
#include "numpy_peer.h"
#include "paired.h"
#include "peers.h"

namespace act::bench {
namespace {

constexpr std::size_t kInCache = 32768;           // 128 KiB of inputs, as many of results: the second cache
constexpr std::size_t kInMemory = std::size_t{1} << 25;  // 128 MiB each way
constexpr std::uint64_t kSweepShards = 4096, kSampledShards = 64;

const FunctionTable& table(const char* name) {
  Diagnostics warnings;
  static const Catalog catalog = open_catalog(std::string(kDefaultCatalog), warnings).value();
  return *catalog.set_with(name)->find(name);
}

// Inputs in -10..10 but zero, the range where activations live.
std::shared_ptr<Buffer> inputs(std::size_t n) {
  auto buffer = std::make_shared<Buffer>(n);
  std::mt19937 gen(1);
  for (std::size_t i = 0; i < n; ++i) {
    const float v = static_cast<float>(static_cast<int>(gen() % 20001) - 10000) / 1000;
    buffer->data()[i] = v == 0 ? 1 : v;
  }
  return buffer;
}

// The evaluation of 02 section 12 as published: the cube by the library's pow.
float published(const FunctionTable& t, float v) {
  EvalPath path = EvalPath::unhandled;
  const float selected = fold(t, v);
  const Section* s = find_section(t, selected, path);
  const float x = selected - s->x, p = x * s->d1 + s->d0;
  const double wide = x;
  double r = static_cast<double>(p) + wide * wide * static_cast<double>(s->d2);
  r = std::pow(wide, 3.0) * static_cast<double>(s->d3) + r;
  float y = static_cast<float>(r);
  if (t.symmetry.enabled && (v < 0) != (selected < 0)) y = (t.symmetry.invert_sign ? -y : y) + t.symmetry.point;
  return y;
}

class Suite {
 public:
  std::vector<Pair> pairs() {
    in_cache();
    peers();
    in_memory();
    sweeps();
    return std::move(pairs_);
  }

 private:
  // A call of the vector evaluator on one instruction set.
  std::function<void()> vector(const char* function, std::string_view target, std::shared_ptr<Buffer> in, std::shared_ptr<Buffer> out) {
    auto t = std::make_shared<VectorTable>(table(function));
    return [=] {
      select_vector_target(target);
      t->evaluate({in->data(), in->size()}, {out->data(), out->size()});
      select_vector_target({});
    };
  }
  template <class Each>
  std::function<void()> loop(std::shared_ptr<Buffer> in, std::shared_ptr<Buffer> out, Each each) {
    return [=] {
      for (std::size_t i = 0; i < in->size(); ++i) out->data()[i] = each(in->data()[i]);
      asm volatile("" ::"r"(out->data()) : "memory");
    };
  }

  void in_cache() {
    const FunctionTable& exp = table("exp");
    const auto scalar = loop(in_, other_out_, [&exp](float v) { return evaluate(exp, v); });
    for (const std::string_view target : vector_targets()) {
      if (target == "scalar") continue;
      const double wanted = target == "AVX-512" ? 7 : target == "AVX2" ? 5 : 0;
      pairs_.push_back({fmt::format("exp, {}", target), "scalar reference", kInCache, vector("exp", target, in_, out_), scalar, {}, wanted, 0});
    }
    for (const char* name : {"tanh", "silu", "sqrt", "reciprocal"}) {
      const FunctionTable& t = table(name);
      pairs_.push_back({name, "scalar reference", kInCache, vector(name, {}, in_, out_), loop(in_, other_out_, [&t](float v) { return evaluate(t, v); }), {}, 0, 0});
    }
    pairs_.push_back({"exp", "reference model as published (libm pow)", kInCache, vector("exp", {}, in_, out_), loop(in_, other_out_, [&exp](float v) { return published(exp, v); }), {}, 20, 0});
  }

  void peer(const char* name, void (*call)(const float*, float*, std::size_t)) {
    pairs_.push_back({"exp", name, kInCache, vector("exp", {}, in_, out_), [this, call] { call(in_->data(), other_out_->data(), kInCache); }, {}, 0, 0});
  }
  void peers() {
    pairs_.push_back({"exp", "glibc expf", kInCache, vector("exp", {}, in_, out_), loop(in_, other_out_, [](float v) { return std::exp(v); }), {}, 1.8, 0});
    if (have_avx512_peers()) {
      peer("glibc libmvec, AVX-512", libmvec_expf);
#if ACTKIT_HAVE_SLEEF
      peer("SLEEF expf 1.0 ULP, AVX-512", sleef_expf);
#endif
#if ACTKIT_HAVE_EIGEN
      peer("Eigen exp, AVX-512", eigen_exp);
#endif
    }
    if (have_xnnpack())
      pairs_.push_back({"sigmoid", "XNNPACK sigmoid operator", kInCache, vector("sigmoid", {}, in_, out_), [this] { xnnpack_sigmoid(in_->data(), other_out_->data(), kInCache); }, {}, 0, 0});
    if (numpy_.running())
      pairs_.push_back({"exp", "numpy exp, float32", kInCache, vector("exp", {}, in_, out_), {}, [this] { return numpy_.seconds("np.exp(x, out=y)", 100); }, 0, 0});
  }

  void in_memory() {
    const auto in = inputs(kInMemory), out = std::make_shared<Buffer>(kInMemory), copy = std::make_shared<Buffer>(kInMemory);
    const auto memcpy_all = [=] {
      std::memcpy(copy->data(), in->data(), kInMemory * sizeof(float));
      asm volatile("" ::"r"(copy->data()) : "memory");
    };
    memcpy_all();
    for (const char* name : {"exp", "tanh"})
      pairs_.push_back({fmt::format("{}, memory-resident", name), "memcpy of the same bytes", kInMemory, vector(name, {}, in, out), memcpy_all, {}, 0, 4.6});
    for (const char* name : {"relu", "copy", "abs", "sign", "square"})
      pairs_.push_back({fmt::format("{}, memory-resident", name), "memcpy of the same bytes", kInMemory, vector(name, {}, in, out), memcpy_all, {}, 0, 1.3});
  }

  // Every 64th of 4096 shards stands for all; the time of all inputs is that of an element times 2^32.
  void sweeps() {
    const FunctionTable& exp = table("exp");
    const auto sampled = [&exp](const FunctionTable* compared) {
      for (std::uint64_t i = 0; i < kSampledShards; ++i) fit::sweep(exp, compared, fit::shard_range({}, i * (kSweepShards / kSampledShards) + i % 64, kSweepShards), 1);
    };
    constexpr double kInputs = static_cast<double>(fit::kAllInputs) * kSampledShards / kSweepShards;
    pairs_.push_back({"sweep of exp, digest only: at most 2.3 ns are 10 s for all inputs", "the same with the scalar reference: at most 11.6 ns are 50 s", kInputs,
                      [sampled] { sampled(nullptr); }, [sampled, &exp] { sampled(&exp); }, {}, 0, 0});
  }

  std::vector<Pair> pairs_;
  std::shared_ptr<Buffer> in_ = inputs(kInCache), out_ = std::make_shared<Buffer>(kInCache), other_out_ = std::make_shared<Buffer>(kInCache);
  Numpy numpy_{"x = np.linspace(-10, 10, 32768, dtype=np.float32); np.random.default_rng(1).shuffle(x); y = np.empty_like(x)"};
};

}  // namespace
}  // namespace act::bench

int main(int argc, char** argv) {
  static act::bench::Suite suite;
  return act::bench::run_pairs(argc, argv,
                               {.marker = "evaluator",
                                .title = "Vector evaluator",
                                .text = "Evaluation of function tables of the embedded catalog `trainium`, one core; bit for bit the scalar reference. Where nothing else is said, 32768 inputs "
                                        "in -10..10 and as many results in the second cache, on the preferred instruction set.",
                                .command = "make bench",
                                .notes = {}},
                               [] { return suite.pairs(); });
}
