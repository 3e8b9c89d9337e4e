// Graphs of hundreds of Funcs get a schedule that Halide takes and that computes the right values, within
// the limits of CPU time and memory. Halide takes minutes to compile them.
#include "tests/robustness/expect_sound.h"

namespace cryolite::robustness {
namespace {

class LargeGraphs : public ::testing::TestWithParam<Entry> {};

TEST_P(LargeGraphs, GetLegalSchedulesAndTheRightValuesWithinTheirLimits) {
    warm_up();
    expect_sound(GetParam());
}

INSTANTIATE_TEST_SUITE_P(, LargeGraphs, ::testing::ValuesIn(large_graphs(small_image)),
                         [](const auto &info) { return info.param.name; });

}  // namespace
}  // namespace cryolite::robustness
