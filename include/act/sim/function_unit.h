// The function hardware: which table set is resident, and the evaluation of spans through its tables.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "act/sim/device_tables.h"
#include "act/sim/policies.h"
#include "act/tables/records.h"
#include "act/tables/vector_evaluate.h"

namespace act::sim {

// Where values of functions come from.
enum class FunctionSource : std::uint8_t {
  catalog,      // the tables of the resident set
  device,       // the same through the four device tables that a load stages
  closed_form,  // the mathematical function in binary64, rounded once: what a table is compared with
};

// The layout of a table for the vector units, made when a block is first evaluated, by whichever thread gets there.
class LazyVector {
 public:
  LazyVector(const FunctionTable& table, const EvalPolicy& policy) : table_(table), policy_(policy) {}
  const VectorTable& get() {
    std::call_once(made_, [this] { vector_.emplace(table_, policy_); });
    return *vector_;
  }

 private:
  const FunctionTable& table_;
  EvalPolicy policy_;
  std::once_flag made_;
  std::optional<VectorTable> vector_;
};

// A function as an instruction finds it.
struct Function {
  const FunctionTable* table = nullptr;  // null: nowhere in the catalog
  bool resident = false;                 // it is in the resident set
  const TableSet* set = nullptr;         // the set that the table is of
  std::optional<DeviceProfile> device;   // under FunctionSource::device
  LazyVector* vector = nullptr;          // of `table`, owned by the unit
};

class FunctionUnit {
 public:
  FunctionUnit(const Catalog* catalog, const Policies& policies, Generation generation)
      : catalog_(catalog), policy_(policies.evaluation()), generation_(generation) {}

  const Catalog* catalog() const { return catalog_; }
  // The resident set, or nullptr before the first load.
  const TableSet* resident() const { return resident_; }
  int resident_index() const { return resident_index_; }
  // Makes the set of an index resident. Precondition: the catalog has it and its files. The four device tables are staged
  // where something looks at them; error capacity when the set does not fit and functions are evaluated through them.
  Status load(int index);

  // The function that a code selects: from the resident set, else from the first set of the catalog that has it.
  const Function& find(std::uint8_t code);
  // The same by the CAM of the device tables. Errors: unknown-function when no entry matches, table-rule.
  Result<const Function*> find_on_device(std::uint8_t opcode, std::uint8_t code);

  const EvalPolicy& policy() const { return policy_; }
  FunctionSource source() const { return source_; }
  void set_source(FunctionSource source) { source_ = source; }
  // Stage the device tables at every load even when they are not evaluated, so that a trace can show the transfers.
  void set_staging(bool always) { always_stage_ = always; }
  const DeviceTables& device() const { return device_; }
  DeviceTables& device() { return device_; }
  // "cam 480 bytes to ACT_PROFILE_CAM 0x2802470000, …" of the last load; empty when nothing was staged.
  std::string transfers() const;

  // out[i] = f(in[i]); the spans may be the same. `alpha` is the slope of parametric_relu.
  void evaluate(const Function& function, std::span<const float> in, std::span<float> out, float alpha) const;

 private:
  void attach_vector(Function& f);

  const Catalog* catalog_;
  EvalPolicy policy_;
  Generation generation_;
  FunctionSource source_ = FunctionSource::catalog;
  bool always_stage_ = false, staged_ = false;
  const TableSet* resident_ = nullptr;
  int resident_index_ = -1;
  DeviceTables device_;
  std::array<std::unique_ptr<Function>, 256> by_code_;  // filled on demand, cleared by a load
  std::map<std::pair<std::uint8_t, std::uint8_t>, Function> on_device_;  // by opcode and code, likewise
  std::map<const FunctionTable*, LazyVector> vectors_;  // outlive loads: the catalog does not change
};

}  // namespace act::sim
