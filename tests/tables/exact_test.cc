// A sample of what exact_slow_test.cc does with a million inputs per function.
#include "exact_sweep.h"

namespace act {
namespace {

TEST(ExactEvaluation, FourThousandInputsOfEveryFunction) { testing_support::exact_sweep("trainium", 4000); }
TEST(ExactEvaluation, BothStrides) { testing_support::exact_sweep("with_ln", 1000); }

}  // namespace
}  // namespace act
