// All 2^32 inputs of every function of the embedded catalogs, vector against scalar.
#include "vector_cases.h"

namespace act::testing_support {
namespace {

void sweep_all(const char* catalog) {
  for (const FunctionTable* table : tables_of(catalog)) sweep_patterns(*table, 0, 1);
}
TEST(VectorSlow, AllInputsOfTrainium) { sweep_all("trainium"); }
TEST(VectorSlow, AllInputsOfWithLn) { sweep_all("with_ln"); }
TEST(VectorSlow, AllInputsOfTrainiumMinimax) { sweep_all("trainium-minimax"); }
TEST(VectorSlow, AllInputsOfWithLnMinimax) { sweep_all("with_ln-minimax"); }

TEST(VectorSlow, AllInputsOfSomeFunctionsOnEveryTarget) {
  for (const FunctionTable* table : tables_of("trainium")) {
    if (table->name != "exp" && table->name != "sigmoid" && table->name != "sqrt" && table->name != "square")
      continue;
    for (const std::string_view target : vector_targets()) {
      const TargetGuard guard(target);
      sweep_patterns(*table, 0, 1);
    }
  }
}

}  // namespace
}  // namespace act::testing_support
