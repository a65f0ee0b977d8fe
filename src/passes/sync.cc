// Order between engines: data dependences become waits and updates (05 section 5). Every instruction that touches memory or
// state counts on its engine's semaphore when it is complete; an instruction waits until the counts say that what it depends
// on is complete, once per engine at most. A bundle holds one wait; further ones stand in EVENT_SEMAPHOREs before it, two each.
#include "act/passes/sync.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "act/isa/event_modes.h"
#include "act/passes/passes.h"
#include "passes/access.h"
#include "passes/cover.h"

namespace act::passes {
namespace {

// In the compiler's order, which numbers the semaphores.
constexpr ir::EngineId kEngines[kSyncEngines] = {ir::EngineId::Pool, ir::EngineId::Activation, ir::EngineId::PE, ir::EngineId::DVE, ir::EngineId::SP};

std::size_t engine_index(ir::EngineId engine) {
  for (std::size_t e = 0; e < kSyncEngines; ++e)
    if (kEngines[e] == engine) return e;
  return kSyncEngines;
}

// Per engine, a number of finished instructions.
using Clock = std::array<std::uint32_t, kSyncEngines>;

void raise(Clock& a, const Clock& b) {
  for (std::size_t e = 0; e < kSyncEngines; ++e) a[e] = std::max(a[e], b[e]);
}

// The last accesses of something, per engine.
struct Last {
  Clock write{}, read{};
  void note(std::size_t engine, std::uint32_t count, bool writes) { (writes ? write : read)[engine] = count; }
  // What a read or a write has to wait for.
  void need(bool writes, Clock& reads_after, Clock& writes_after) const {
    raise(reads_after, write);
    if (!writes) return;
    raise(writes_after, read);
  }
};

// Last accesses of memory: exactly per piece that instructions name, as long as the pieces are not too entangled; what comes
// later then counts as being anywhere.
class MemoryLog {
 public:
  Last anywhere;  // of accesses that are not pinned down
  Last all;

  // Index of a piece, or nothing when it is to be treated as being anywhere.
  std::optional<std::size_t> piece(const Rect& r) {
    const auto [found, fresh] = index_.try_emplace(r, pieces_.size());
    if (!fresh) return found->second == kVague ? std::nullopt : std::optional(found->second);
    if (links_ > kMostLinks) {
      found->second = kVague;
      return std::nullopt;
    }
    add(r);
    return found->second;
  }
  Last& last(std::size_t piece) { return pieces_[piece].last; }
  // Calls visit(last) for the piece and every other that shares a byte with it.
  template <class Visit>
  void overlapping(std::size_t piece, Visit&& visit) {
    visit(pieces_[piece].last);
    for (const std::size_t other : pieces_[piece].neighbours) visit(pieces_[other].last);
  }

 private:
  struct Piece {
    Rect rect;
    Last last;
    std::vector<std::size_t> neighbours;
  };
  struct Hash {
    std::size_t operator()(const Rect& r) const {
      std::uint64_t h = std::uint64_t{r.low} << 32 | r.high;
      h = h * 0x9E3779B97F4A7C15U ^ (std::uint64_t{r.first} << 16 | std::uint64_t{r.last} << 8 | static_cast<std::uint64_t>(r.space));
      return static_cast<std::size_t>(h * 0xD6E8FEB86659FD93U);
    }
  };
  static constexpr std::size_t kVague = ~std::size_t{0};
  static constexpr std::size_t kMostLinks = 4'000'000;
  static constexpr std::uint32_t kBucketBytes = 256;

  void add(const Rect& r) {
    const std::size_t self = pieces_.size();
    pieces_.push_back({r, {}, {}});
    for (unsigned quadrant = r.first / kQuadrantPartitions; quadrant * kQuadrantPartitions < r.last; ++quadrant)
      for (std::uint32_t b = r.low / kBucketBytes; b * kBucketBytes < r.high; ++b) {
        std::vector<std::size_t>& bucket = buckets_[(std::uint64_t{b} << 8 | quadrant << 1) + static_cast<std::uint64_t>(r.space)];
        for (const std::size_t other : bucket) link(self, other);
        bucket.push_back(self);
        links_ += bucket.size();
      }
  }
  void link(std::size_t self, std::size_t other) {
    if (seen_.size() <= other) seen_.resize(pieces_.size(), 0);
    if (seen_[other] == self || !pieces_[self].rect.meets(pieces_[other].rect)) return;
    seen_[other] = self;
    pieces_[self].neighbours.push_back(other);
    pieces_[other].neighbours.push_back(self);
  }

  std::unordered_map<Rect, std::size_t, Hash> index_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> buckets_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> seen_;  // by piece: the newest that was linked to it
  std::size_t links_ = 0;
};

// What has to be complete before an instruction starts, from its accesses and those before it in program order.
class Dependences {
 public:
  explicit Dependences(Generation g) : generation_(g) {}

  // The counts to wait for. On its own engine an instruction waits for results, not for readers: those have started, and an
  // engine reads in order. State that an engine keeps is its own business.
  Clock before(const ir::Inst& inst, std::size_t engine) {
    accesses_of(inst, generation_, accesses_);
    Clock results{}, readers{}, state{};
    for (const Accesses::Memory& m : accesses_.memory) {
      memory_.anywhere.need(m.write, results, readers);
      const auto piece = memory_.piece(m.rect);
      if (!piece) memory_.all.need(m.write, results, readers);
      else memory_.overlapping(*piece, [&](const Last& last) { last.need(m.write, results, readers); });
    }
    if (accesses_.reads_anywhere) memory_.all.need(false, results, readers);
    if (accesses_.writes_anywhere) memory_.all.need(true, results, readers);
    for (const Accesses::State& s : accesses_.states) states_[static_cast<std::size_t>(s.keep)].need(s.write, state, state);
    readers[engine] = state[engine] = 0;
    raise(results, readers);
    raise(results, state);
    return results;
  }

  // Whether the instruction counts: it touches something that others may wait for. A load is ordered by its own stream, but
  // on v5, where another engine uses the tables.
  bool counts(const ir::Inst& inst) const { return !accesses_.empty() && (!inst.is_load() || generation_ == Generation::maverick); }

  // Enters the accesses of the instruction last given to before(), which is number `count` of its engine.
  void enter(std::size_t engine, std::uint32_t count) {
    const auto note = [&](Last& last, bool writes) { last.note(engine, count, writes); };
    for (const Accesses::Memory& m : accesses_.memory) {
      note(memory_.all, m.write);
      const auto piece = memory_.piece(m.rect);
      note(piece ? memory_.last(*piece) : memory_.anywhere, m.write);
    }
    for (Last* last : {&memory_.anywhere, &memory_.all}) {
      if (accesses_.reads_anywhere) note(*last, false);
      if (accesses_.writes_anywhere) note(*last, true);
    }
    for (const Accesses::State& s : accesses_.states) note(states_[static_cast<std::size_t>(s.keep)], s.write);
  }

 private:
  Generation generation_;
  Accesses accesses_;
  MemoryLog memory_;
  std::array<Last, kKeeps> states_;
};

// What an engine knows to be complete: its waits, and through them the waits of those it waited for.
class Knowledge {
 public:
  const Clock& known(std::size_t engine) const { return known_[engine]; }
  std::uint32_t count(std::size_t engine) const { return static_cast<std::uint32_t>(at_start_[engine].size()); }
  void learn(std::size_t engine, std::size_t other, std::uint32_t count) {
    Clock& mine = known_[engine];
    mine[other] = std::max(mine[other], count);
    if (count != 0 && count <= at_start_[other].size()) raise(mine, at_start_[other][count - 1]);
  }
  // The waits that are left of `needed`, those implied by others gone; the engine's own first.
  std::vector<std::pair<std::size_t, std::uint32_t>> missing(std::size_t engine, const Clock& needed) const {
    std::vector<std::pair<std::size_t, std::uint32_t>> waits;
    for (std::size_t k = 0; k < kSyncEngines; ++k) {
      const std::size_t e = k == 0 ? engine : k <= engine ? k - 1 : k;
      if (needed[e] > known_[engine][e] && !implied(e, needed, engine)) waits.emplace_back(e, needed[e]);
    }
    return waits;
  }
  // The next instruction of the engine counts; returns its number.
  std::uint32_t finish(std::size_t engine) {
    at_start_[engine].push_back(known_[engine]);
    return count(engine);
  }

 private:
  // Whether another wait of the same instruction brings the knowledge of this one. Two that imply each other cannot be: each
  // would have finished before the other started.
  bool implied(std::size_t e, const Clock& needed, std::size_t engine) const {
    for (std::size_t other = 0; other < kSyncEngines; ++other) {
      if (other == e || needed[other] <= known_[engine][other]) continue;
      if (at_start_[other][needed[other] - 1][e] >= needed[e]) return true;
    }
    return false;
  }

  std::array<Clock, kSyncEngines> known_{};
  std::array<std::vector<Clock>, kSyncEngines> at_start_;  // by counted instruction: what its engine knew when it started
};

// The events of an instruction, wherever they stand.
ir::Sync events_of(const ir::Inst& inst) {
  if (inst.kind != ir::InstKind::Isa || !inst.sync.empty()) return inst.sync;
  const Bundle& b = inst.bundle();
  ir::Sync s;
  s.wait_mode = static_cast<WaitMode>(b.bytes[4]);
  s.wait_idx = b.bytes[5];
  s.update_mode = static_cast<UpdateMode>(b.bytes[6]);
  s.update_idx = b.bytes[7];
  s.sync_value = static_cast<std::uint32_t>(get_bits(b, 64, 32));
  return s;
}

bool is_event_semaphore(const ir::Inst& inst) {
  return inst.kind == ir::InstKind::Isa && static_cast<Opcode>(inst.bundle().opcode()) == Opcode::EVENT_SEMAPHORE;
}
bool is_engine_semaphore(std::uint8_t index) { return index >= kFirstEngineSemaphore && index < kFirstEngineSemaphore + kSyncEngines; }

// Whether the instruction uses a semaphore of the engines.
bool uses_engine_semaphores(const ir::Inst& inst) {
  const ir::Sync s = events_of(inst);
  if (s.wait_mode != WaitMode::NONE && is_engine_semaphore(s.wait_idx)) return true;
  if (s.update_mode != UpdateMode::NONE && is_engine_semaphore(s.update_idx)) return true;
  return is_event_semaphore(inst) && inst.bundle().bytes[32] != 0 && is_engine_semaphore(inst.bundle().bytes[33]);
}

class Synchroniser {
 public:
  explicit Synchroniser(ir::Module& m) : module_(m), dependences_(m.generation) {
    for (const ir::Node& n : m.functions[0].body)
      for (const ir::Inst& i : n.instructions)
        if (i.name.find(kWaitSuffix) != i.name.npos || i.name.find(kDoneSuffix) != i.name.npos) taken_.insert(i.name);
  }

  Result<ir::Module> run() {
    for (ir::Node& n : module_.functions[0].body) {
      std::vector<ir::Inst> out;
      out.reserve(n.instructions.size() + n.instructions.size() / 4);
      for (ir::Inst& i : n.instructions)
        if (const std::size_t e = engine_index(i.engine); e < kSyncEngines) instruction(std::move(i), e, out);
        else errors_.push_back(lowering_error(fmt::format("{}, but DMA, Unassigned and ALL are not valid TPB engines", i.name), &i));
      n.instructions = std::move(out);
    }
    if (!errors_.empty()) return std::move(errors_);
    return std::move(module_);
  }

 private:
  using Waits = std::vector<std::pair<std::size_t, std::uint32_t>>;

  void instruction(ir::Inst inst, std::size_t engine, std::vector<ir::Inst>& out) {
    const Clock needed = dependences_.before(inst, engine);
    Waits waits = knowledge_.missing(engine, needed);
    for (const auto& [e, count] : waits) knowledge_.learn(engine, e, count);
    const bool counts = dependences_.counts(inst);
    if (counts) dependences_.enter(engine, knowledge_.finish(engine));

    ir::Sync events = events_of(inst);
    const bool has_wait = events.wait_mode != WaitMode::NONE, has_update = events.update_mode != UpdateMode::NONE;
    // The value is shared: an update of the module's own that uses it leaves no room for a wait.
    const bool takes_wait = !has_wait && !uses_value(events.update_mode);
    const std::size_t outside = waits.size() - (takes_wait && !waits.empty() ? 1 : 0);
    for (std::size_t k = 0; k < outside; k += 2) out.push_back(event_semaphore(inst, kWaitSuffix, std::span(waits).subspan(k, std::min<std::size_t>(2, outside - k)), false));
    if (outside < waits.size()) put_wait(events, waits.back());
    if (counts && !has_update) put_update(events, engine);
    std::optional<ir::Inst> behind;
    if (counts && has_update) behind = event_semaphore(inst, kDoneSuffix, {}, true);
    set_events(inst, events);
    out.push_back(std::move(inst));
    if (behind) out.push_back(std::move(*behind));
  }

  static void put_wait(ir::Sync& s, const std::pair<std::size_t, std::uint32_t>& wait) {
    s.wait_mode = WaitMode::SEM_GE_IMM;
    s.wait_idx = static_cast<std::uint8_t>(kFirstEngineSemaphore + wait.first);
    s.sync_value = wait.second;
  }
  static void put_update(ir::Sync& s, std::size_t engine) {
    s.update_mode = UpdateMode::SEM_INC_COMPLETE;
    s.update_idx = static_cast<std::uint8_t>(kFirstEngineSemaphore + engine);
  }

  // Where the instruction keeps its events: a record of an opcode in its bundle.
  static void set_events(ir::Inst& inst, const ir::Sync& s) {
    auto* b = std::get_if<Bundle>(&inst.fields);
    if (b == nullptr) {
      inst.sync = s;
      return;
    }
    inst.sync = {};
    b->bytes[4] = static_cast<std::uint8_t>(s.wait_mode);
    b->bytes[5] = s.wait_idx;
    b->bytes[6] = static_cast<std::uint8_t>(s.update_mode);
    b->bytes[7] = s.update_idx;
    put_bits(*b, 64, 32, s.sync_value);
  }

  // One or two waits for the instruction, or its count.
  ir::Inst event_semaphore(const ir::Inst& inst, std::string_view suffix, std::span<const std::pair<std::size_t, std::uint32_t>> waits, bool update) {
    ir::Inst event;
    event.kind = ir::InstKind::Isa;
    event.engine = inst.engine;
    event.line = inst.line;
    event.name = event_name(inst, suffix);
    Bundle b;
    b.bytes[0] = static_cast<std::uint8_t>(Opcode::EVENT_SEMAPHORE);
    b.bytes[1] = kInstWordLen;
    if (waits.size() > 1) {
      b.bytes[32] = static_cast<std::uint8_t>(WaitMode::SEM_GE_IMM);
      b.bytes[33] = static_cast<std::uint8_t>(kFirstEngineSemaphore + waits[1].first);
      put_bits(b, 36 * 8, 32, waits[1].second);
    }
    event.fields = b;
    ir::Sync s;
    if (!waits.empty()) put_wait(s, waits[0]);
    if (update) put_update(s, engine_index(inst.engine));
    set_events(event, s);
    return event;
  }

  // The instruction's name with the suffix. Names being distinct, another instruction has it only if it ends that way itself,
  // or the instruction has got such an event before.
  std::string event_name(const ir::Inst& inst, std::string_view suffix) {
    const std::string base = inst.name + std::string(suffix);
    if (base != last_event_) events_ = 0;
    last_event_ = base;
    std::string name;
    do {
      name = events_ == 0 ? base : fmt::format("{}.{}", base, events_);
      ++events_;
    } while (taken_.contains(name));
    return name;
  }

  ir::Module& module_;
  Dependences dependences_;
  Knowledge knowledge_;
  static constexpr std::string_view kWaitSuffix = "-wait", kDoneSuffix = "-done";
  std::unordered_set<std::string> taken_;  // names that an event might get
  std::string last_event_;
  unsigned events_ = 0;  // of that name
  Diagnostics errors_;
};

// A module whose instructions use the engines' semaphores already: says whether all its dependences are ordered by them. Any
// instruction may count; what comes before a counted one on its engine is complete with it.
class Checker {
 public:
  explicit Checker(Generation g) : dependences_(g) {}

  Diagnostics run(const ir::Module& m) {
    for (const ir::Node& n : m.functions[0].body)
      for (const ir::Inst& i : n.instructions) instruction(i);
    return std::move(errors_);
  }

 private:
  void error(const ir::Inst& inst, std::string message) {
    if (errors_.size() < kMaxErrors) errors_.push_back(lowering_error(std::move(message), &inst));
  }

  void instruction(const ir::Inst& inst) {
    const std::size_t engine = engine_index(inst.engine);
    if (engine == kSyncEngines) return error(inst, fmt::format("{}, but DMA, Unassigned and ALL are not valid TPB engines", inst.name));
    const ir::Sync s = events_of(inst);
    learn(inst, engine, s.wait_mode, s.wait_idx, s.sync_value);
    if (is_event_semaphore(inst)) learn(inst, engine, static_cast<WaitMode>(inst.bundle().bytes[32]), inst.bundle().bytes[33], static_cast<std::uint32_t>(get_bits(inst.bundle(), 36 * 8, 32)));
    const Clock needed = dependences_.before(inst, engine);
    for (std::size_t e = 0; e < kSyncEngines; ++e)
      if (needed[e] > knowledge_.known(engine)[e])
        error(inst, fmt::format("the module uses the engines' semaphores, but nothing makes this instruction wait for what it needs of {}", ir::engine_id_name(kEngines[e])));
    if (dependences_.counts(inst)) dependences_.enter(engine, knowledge_.finish(engine));
    if (s.update_mode == UpdateMode::NONE || !is_engine_semaphore(s.update_idx)) return;
    if (s.update_idx != kFirstEngineSemaphore + engine || (s.update_mode != UpdateMode::SEM_INC_COMPLETE && s.update_mode != UpdateMode::SEM_INC_READ))
      return error(inst, "an engine's semaphore counts what its engine finishes: SEM_INC_COMPLETE of its own");
    finished_at_[engine].push_back(s.update_mode == UpdateMode::SEM_INC_COMPLETE ? knowledge_.count(engine) : 0);
  }

  void learn(const ir::Inst& inst, std::size_t engine, WaitMode mode, std::uint8_t index, std::uint32_t value) {
    if (mode == WaitMode::NONE || !is_engine_semaphore(index)) return;
    const std::size_t other = index - kFirstEngineSemaphore;
    if (mode != WaitMode::SEM_GE_IMM) return error(inst, "the engines' semaphores count; waits for them are SEM_GE_IMM");
    if (value > finished_at_[other].size()) return error(inst, fmt::format("waits for count {} of {}, which is {} here", value, ir::engine_id_name(kEngines[other]), finished_at_[other].size()));
    if (value != 0) knowledge_.learn(engine, other, finished_at_[other][value - 1]);
  }

  static constexpr std::size_t kMaxErrors = 100;
  Dependences dependences_;
  Knowledge knowledge_;
  std::array<std::vector<std::uint32_t>, kSyncEngines> finished_at_;  // by value of the semaphore: instructions complete then
  Diagnostics errors_;
};

}  // namespace

std::optional<std::uint8_t> engine_semaphore(ir::EngineId engine) {
  const std::size_t e = engine_index(engine);
  return e == kSyncEngines ? std::nullopt : std::optional(static_cast<std::uint8_t>(kFirstEngineSemaphore + e));
}

Result<ir::Module> sync(ir::Module module, const Options&, Diagnostics&) {
  if (module.functions.size() != 1) return lowering_error("sync works on straight-line modules of one function: run unroll before it");
  bool synchronised = false;
  for (const ir::Node& n : module.functions[0].body) {
    if (n.kind != ir::Node::Kind::block) return lowering_error("sync works on straight-line modules of one function: run unroll before it");
    for (const ir::Inst& i : n.instructions) synchronised = synchronised || uses_engine_semaphores(i);
  }
  if (!synchronised) return Synchroniser(module).run();
  Diagnostics errors = Checker(module.generation).run(module);
  if (!errors.empty()) return errors;
  return module;
}

}  // namespace act::passes
