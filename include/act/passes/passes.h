// Lowering: which table sets to load, where the loads stand, which of them are needed (03 sections 5 to 9). Each pass takes
// a module and returns the changed one.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "act/diag/result.h"
#include "act/ir/encode.h"
#include "act/passes/act_sets.h"

namespace act::passes {

enum class Cover : std::uint8_t {
  greedy,     // running intersection of the sets, lowest index wins (03 section 6.2)
  first_fit,  // every activation takes the lowest set that holds its function
  optimal,    // fewest executed loads for the given trip counts
};
enum class TableMode : std::uint8_t { dynamic, fixed };  // fixed: the book's static mode, one set for the whole module
using LoadForm = ir::LoadForm;

struct Options {
  std::vector<ActSet> sets;
  Cover cover = Cover::greedy;
  TableMode table_mode = TableMode::dynamic;
  LoadForm load_form = LoadForm::index;
  bool allow_named_loads = false;  // name form below v5 (L-22)
  std::chrono::milliseconds optimal_limit{10000};  // then greedy takes over, with a note
  std::uint64_t unroll_limit = 20'000'000;         // instructions and items of the straight-line module
  bool constant_registers = false;                 // the values that the module gives its registers decide branches
};

struct Pass {
  std::string_view name, doc;
  Result<ir::Module> (*run)(ir::Module, const Options&, Diagnostics& notes);
};

// All passes in their order: lower_act, prefetch_act, optimize_act, verify_act, which lower() runs; then unroll and sync,
// which code generation needs.
std::span<const Pass> all_passes();
const Pass* find_pass(std::string_view name);

// Chooses sets and inserts a load before each chunk (sections 6.1 to 6.4); in fixed mode chooses the one set and inserts
// nothing. Sets the module's attribute in dynamic mode. Error texts of the book, code lowering.
Result<ir::Module> lower_act(ir::Module module, const Options& options, Diagnostics& notes);
// Moves loads up to their earliest legal place in their block (section 7, L-15).
Result<ir::Module> prefetch_act(ir::Module module, const Options& options, Diagnostics& notes);
// Deletes loads whose set is resident already on every path, and loads that nothing uses (section 8, L-16). Idempotent.
Result<ir::Module> optimize_act(ir::Module module, const Options& options, Diagnostics& notes);
// Checks that on every path every activation finds its function in the resident set (L-17). Changes nothing.
Result<ir::Module> verify_act(ir::Module module, const Options& options, Diagnostics& notes);

// Straight-line code: loops unrolled, calls inlined, set expressions evaluated; one function of blocks is left, instruction
// names carry the iteration. Errors (code lowering): more than Options::unroll_limit, a branch that depends on registers, a
// set expression without a value. Idempotent.
Result<ir::Module> unroll(ir::Module module, const Options& options, Diagnostics& notes);

// Waits and updates for the data dependences of a straight-line module (sync.h). A module whose instructions use the
// engines' semaphores already is not changed, but an error where they do not order everything. Idempotent.
Result<ir::Module> sync(ir::Module module, const Options& options, Diagnostics& notes);

// Runs passes one after the other; `after` sees the module behind each.
using AfterPass = std::function<void(const Pass& pass, const ir::Module& module)>;
Result<ir::Module> run_passes(ir::Module module, std::span<const Pass* const> passes, const Options& options, Diagnostics& notes, const AfterPass& after = {});
// "lower_act,verify_act": the passes of a list with commas. Error unknown-name with the names there are.
Result<std::vector<const Pass*>> parse_pass_list(std::string_view list);

// Runs an unlowered module through the lowering passes, a lowered one through those behind lower_act.
Result<ir::Module> lower(ir::Module module, const Options& options, Diagnostics& notes);

}  // namespace act::passes
