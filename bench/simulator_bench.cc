// Simulated instructions against memcpy, and the example programs in the shapes of real layers against numpy.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>

#include "act/asm/text.h"
#include "act/sim/simulator.h"
#include "act/tables/embedded.h"
#include "numpy_peer.h"
#include "paired.h"

namespace act::bench {
namespace {

constexpr unsigned kChannels = 128, kColumns = 4096;

const Catalog& catalog() {
  Diagnostics warnings;
  static const Catalog kCatalog = open_catalog(std::string(kDefaultCatalog), warnings).value();
  return kCatalog;
}

// An example program with 128 channels and rows of 4096 elements, every tensor in SBUF, one behind the other.
std::string enlarged(const std::string& text) {
  std::istringstream in(text);
  std::string out, line;
  std::size_t at = 0;
  while (std::getline(in, line)) {
    if (line.starts_with("#")) continue;
    for (const char* few : {"channels=2", "channels=4", "channels=8"})
      if (const auto p = line.find(few); p != std::string::npos)
        line.replace(p, std::strlen(few), "channels=128");
    if (const auto p = line.find("imm0=0.125"); p != std::string::npos)
      line.replace(p, 10, "imm0=0.000244140625");  // 1 / columns
    if (!line.starts_with(".tensor")) {
      out += line + "\n";
      continue;
    }
    std::istringstream words(line);
    std::string keyword, name, role, place, type, shape;
    words >> keyword >> name >> role >> place >> type >> shape;
    unsigned columns = static_cast<unsigned>(std::stoul(shape.substr(shape.find(',') + 1)));
    if (columns != 1 && columns != kColumns / 2) columns = kColumns;
    out += fmt::format(".tensor {} {} sbuf[p0+{:#x}] {} [{},{}]\n", name, role, at, type, kChannels, columns);
    at += columns * (type == "fp32" || type == "int32" ? 4 : type == "bfloat16" ? 2 : 1);
    at = (at + 63) / 64 * 64;
  }
  return out;
}

std::string example(const std::string& name) {
  std::ifstream in(std::string(ACTKIT_SOURCE_DIR) + "/examples/" + name + ".act");
  return enlarged({std::istreambuf_iterator<char>(in), {}});
}

// A program ready to run any number of times.
class Runner {
 public:
  explicit Runner(const std::string& text) {
    Result<Program> program = parse_text(text, "benchmark");
    if (!program) stop(program.error());
    program_ = *std::move(program);
    options_.catalog = &catalog();
    simulator_ = std::make_unique<sim::Simulator>(program_, options_);
    std::mt19937 gen(3);
    for (const TensorBinding& t : program_.tensors)
      if (t.role == TensorBinding::Role::input) fill(t, gen);
    run();
  }
  void run() {
    simulator_->machine().semaphores.fill(0);
    if (!simulator_->run()) stop(simulator_->reports());
  }

 private:
  [[noreturn]] static void stop(const Diagnostics& errors) {
    for (const Diagnostic& d : errors) fmt::print(stderr, "{}\n", to_text(d));
    std::exit(2);
  }
  // Values between 0.01 and 3, of the tensor's type.
  void fill(const TensorBinding& t, std::mt19937& gen) {
    const unsigned bytes = dtype_bits(t.dtype) / 8;
    std::size_t count = 1;
    for (std::size_t dim = 1; dim < t.shape.size(); ++dim) count *= static_cast<std::size_t>(t.shape[dim]);
    std::vector<std::uint8_t> row(count * bytes);
    for (unsigned p = 0; p < kChannels; ++p) {
      for (std::size_t k = 0; k < count; ++k) {
        const std::uint64_t code = narrow(t.dtype, 0.01F + static_cast<float>(gen() % 1000) * 0.003F);
        std::memcpy(row.data() + k * bytes, &code, bytes);
      }
      sim::Memory& memory = simulator_->machine().memory;
      Location where = memory.locate(t.addr);
      where.partition += p;
      memory.write(where, row);
    }
  }

  Program program_;
  sim::RunOptions options_;
  std::unique_ptr<sim::Simulator> simulator_;
};

// The simulator is made by the first call, which is not measured.
std::function<void()> running(const std::string& text) {
  auto runner = std::make_shared<std::unique_ptr<Runner>>();
  return [runner, text] {
    if (*runner == nullptr) *runner = std::make_unique<Runner>(text);
    (*runner)->run();
  };
}

// One activation of 128 rows; `options` behind it.
std::string activation(const char* function, const char* type, unsigned columns, const char* options = "") {
  const int set = catalog().set_index(catalog().set_with(function)->name());
  const unsigned bytes = columns * (std::string_view(type) == "fp32" ? 4 : 2);
  return fmt::format(
      ".gen cayman\n.tensor a input sbuf[p0] {1} [128,{2}]\n.tensor b output sbuf[p0+{3:#x}] {1} "
      "[128,{2}]\n.engine ACT\n"
      "activation_table_load set={4}\nactivate {0} src=a dst=b channels=128 {5}\n",
      function, type, columns, bytes, set, options);
}

std::function<void()> copying(std::size_t bytes) {
  auto from = std::make_shared<Buffer>(bytes / 4), to = std::make_shared<Buffer>(bytes / 4);
  return [=] {
    std::memcpy(to->data(), from->data(), bytes);
    asm volatile("" ::"r"(to->data()) : "memory");
  };
}

// The calls one after the other, one a time: what each works on has left the caches when its turn comes again.
std::function<void()> in_turn(std::vector<std::function<void()>> calls) {
  auto next = std::make_shared<std::size_t>(0);
  return [calls = std::move(calls), next] {
    if (*next == 0)
      for (const auto& call : calls) call();  // what has to be made is made now
    calls[(*next)++ % calls.size()]();
  };
}

constexpr const char* kNumpySetup = R"(
f = np.float32
g = np.random.default_rng(3)
def t(*s): return (g.random(s, dtype=f) * f(2.99) + f(0.01))
a, b, c, r, s, u, v, w = [t(128, 4096) for _ in range(8)]
n = t(128, 1); eps = f(1e-5)
q = np.empty((128, 4096), np.int8); whole = np.empty((128, 4096), np.int32)
)";

struct Workload {
  const char* name;
  const char* numpy;
};
constexpr Workload kWorkloads[] = {
    {"w1_flash_attention",
     "neg0 = -a.max(1, keepdims=True)\nneg = np.minimum(neg0, -b.max(1, keepdims=True))\nnp.add(a, neg0, "
     "out=r); np.exp(r, out=r); sum0 = r.sum(1, keepdims=True)\n"
     "corr = np.exp(neg - neg0)\nnp.add(b, neg, out=s); np.exp(s, out=s); total = sum0 * corr + s.sum(1, "
     "keepdims=True)\nnp.multiply(c, 1 / total, out=u)"},
    {"w2_rmsnorm",
     "np.square(a, out=r); acc = r[:, :2048].sum(1, keepdims=True) + r[:, 2048:].sum(1, "
     "keepdims=True)\nnp.multiply(a, 1 / np.sqrt(acc * f(1 / 4096) + eps), out=u)"},
    {"w3_layernorm",
     "np.copyto(r, a); mean = r.sum(1, keepdims=True) * f(1 / 4096)\nnp.square(a, out=r); var = r.sum(1, "
     "keepdims=True) * f(1 / 4096) - mean * mean\n"
     "rstd = 1 / np.sqrt(var + eps)\nnp.subtract(a, mean, out=u); np.multiply(u, rstd, out=u)"},
    {"w4_mlp_gate",
     "def sigmoid(o):\n    np.negative(a, out=o); np.exp(o, out=o); np.add(o, f(1), out=o); np.divide(f(1), "
     "o, out=o)\n"
     "sigmoid(r); np.multiply(a, r, out=s); np.multiply(s, b, out=u); np.multiply(s, b, out=v); "
     "np.multiply(v, n, out=w)\n"
     "np.clip(w, f(-127), f(127), out=w); np.rint(w, out=w); np.copyto(q, w, casting='unsafe')\n"
     "sigmoid(r); np.subtract(f(1), r, out=w); np.multiply(w, a, out=w); np.add(w, f(1), out=w); "
     "np.multiply(w, r, out=w)\nsigmoid(r); np.multiply(a, r, out=s)"},
    {"w5_rope",
     "for shift in (f(3.1415927), f(4.712389)):\n    np.multiply(a, n, out=r); np.add(r, shift, out=r); "
     "np.multiply(r, f(0.15915494), out=s); np.subtract(s, f(0.5), out=s)\n"
     "    np.rint(s, out=s); np.copyto(whole, s, casting='unsafe'); np.copyto(u, whole, casting='unsafe'); "
     "np.multiply(u, f(6.2831855), out=u)\n"
     "    np.subtract(r, u, out=v); np.subtract(v, f(3.1415927), out=v); np.sin(v, out=w)"},
};

std::vector<Pair> pairs() {
  std::vector<Pair> all;
  constexpr double kElements = kChannels * kColumns;
  constexpr unsigned kOnes = 4096;
  std::string ones =
      ".gen cayman\n.tensor a input sbuf[p0] fp32 [128,1]\n.tensor b output sbuf[p0+0x40] fp32 "
      "[128,1]\n.engine ACT\nactivation_table_load set=0\n";
  for (unsigned i = 0; i < kOnes; ++i) ones += "activate exp src=a dst=b channels=1\n";
  all.push_back({"one instruction, exp of 1 element (an element here)",
                 "250 ns",
                 kOnes,
                 running(ones),
                 {},
                 [] { return 250e-9 * kOnes; },
                 0,
                 1});

  constexpr unsigned kLong = 32768;
  for (const char* name : {"silu", "relu", "sqrt"})
    all.push_back({fmt::format("{}, bf16 to bf16, 128 x {}, in the last cache", name, kLong),
                   "memcpy of the same bytes",
                   kChannels * static_cast<double>(kLong),
                   running(activation(name, "bfloat16", kLong)),
                   copying(std::size_t{kChannels} * kLong * 2),
                   {},
                   0,
                   2});
  constexpr unsigned kMachines = 6;  // 16 MiB each: more than the last cache holds
  for (const char* name : {"silu", "relu", "sqrt"}) {
    std::vector<std::function<void()>> ours, other;
    for (unsigned i = 0; i < kMachines; ++i) {
      ours.push_back(running(activation(name, "bfloat16", kLong)));
      other.push_back(copying(std::size_t{kChannels} * kLong * 2));
    }
    all.push_back({fmt::format("{}, bf16 to bf16, 128 x {}, memory-resident", name, kLong),
                   "memcpy of the same bytes",
                   kChannels * static_cast<double>(kLong),
                   in_turn(std::move(ours)),
                   in_turn(std::move(other)),
                   {},
                   0,
                   2});
  }
  for (const char* name : {"exp", "relu"})
    all.push_back({fmt::format("{}, fp32 to fp32, 128 x 16384", name),
                   "memcpy of the same bytes",
                   kChannels * 16384.0,
                   running(activation(name, "fp32", 16384)),
                   copying(std::size_t{kChannels} * 16384 * 4),
                   {},
                   0,
                   0});
  all.push_back({"exp with a running sum, element by element in order",
                 "exp without",
                 kElements,
                 running(activation("exp", "fp32", kColumns, "accumulator_cmd=ZERO_ACCUMULATE")),
                 running(activation("exp", "fp32", kColumns)),
                 {},
                 0,
                 0});
  static Numpy numpy(kNumpySetup);
  for (const Workload& w : kWorkloads)
    if (numpy.running())
      all.push_back({fmt::format("{}, 128 x {}", w.name, kColumns),
                     "numpy, float32",
                     kElements,
                     running(example(w.name)),
                     {},
                     [w] { return numpy.seconds(w.numpy, 5); },
                     0,
                     1.5});
  return all;
}

}  // namespace
}  // namespace act::bench

int main(int argc, char** argv) {
  return act::bench::run_pairs(
      argc, argv,
      {.marker = "simulator",
       .title = "Simulator",
       .text = "Instructions and whole programs on one core. The programs are those of `examples/` with 128 "
               "channels and rows of 4096 elements; numpy does the same "
               "operations in float32 with its results in arrays made beforehand, in a process of its own. "
               "The simulator rounds every step, adds in the "
               "documented order, converts to the data types of the program and keeps track of which bytes "
               "are defined.",
       .command = "make bench",
       .notes = {"What the order of a running sum costs is the line \"exp with a running sum\": channels are "
                 "summed eight side by side, each in its own order.",
                 "BF16 tensors of 128 x 32768 take 16 MiB with their results. In the last cache memcpy has "
                 "them at its best and a lookup an element is what limits us; memory-resident lines work on "
                 "six such pairs in turn, so that none is still in a cache. The section on inner loops "
                 "counts what an element costs."}},
      act::bench::pairs);
}
