// Evaluation against exact rational arithmetic on a million random inputs per function.
#include "exact_sweep.h"

namespace act {
namespace {

TEST(ExactEvaluationSlow, MillionInputsOfEveryFunction) {
  testing_support::exact_sweep("trainium", 1'000'000);
}
TEST(ExactEvaluationSlow, MinimaxTables) {
  if (embedded_folder("trainium-minimax") == nullptr) GTEST_SKIP() << "no minimax catalog is embedded";
  testing_support::exact_sweep("trainium-minimax", 100'000);
}

}  // namespace
}  // namespace act
