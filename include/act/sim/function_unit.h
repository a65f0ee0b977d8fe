// The function hardware: which table set is resident, and the evaluation of spans through its tables.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "act/sim/policies.h"
#include "act/tables/records.h"

namespace act::sim {

// Where values of functions come from.
enum class FunctionSource : std::uint8_t {
  catalog,      // the tables of the resident set
  device,       // the same through the four device tables that a load stages
  closed_form,  // the mathematical function in binary64, rounded once: what a table is compared with
};

// A function as an instruction finds it.
struct Function {
  const FunctionTable* table = nullptr;  // null: nowhere in the catalog
  bool resident = false;                 // it is in the resident set
  const TableSet* set = nullptr;         // the set that the table is of
};

class FunctionUnit {
 public:
  FunctionUnit(const Catalog* catalog, const Policies& policies) : catalog_(catalog), policy_(policies.evaluation()) {}

  const Catalog* catalog() const { return catalog_; }
  // The resident set, or nullptr before the first load.
  const TableSet* resident() const { return resident_; }
  int resident_index() const { return resident_index_; }
  // Makes the set of an index resident. Precondition: the catalog has it and its files.
  Status load(int index);

  // The function that a code selects: from the resident set, else from the first set of the catalog that has it.
  const Function& find(std::uint8_t code);

  const EvalPolicy& policy() const { return policy_; }
  FunctionSource source() const { return source_; }
  void set_source(FunctionSource source) { source_ = source; }
  // out[i] = f(in[i]); the spans may be the same. `alpha` is the slope of parametric_relu.
  void evaluate(const FunctionTable& table, std::span<const float> in, std::span<float> out, float alpha) const;

 private:
  const Catalog* catalog_;
  EvalPolicy policy_;
  FunctionSource source_ = FunctionSource::catalog;
  const TableSet* resident_ = nullptr;
  int resident_index_ = -1;
  std::array<std::unique_ptr<Function>, 256> by_code_;  // filled on demand, cleared by a load
};

}  // namespace act::sim
