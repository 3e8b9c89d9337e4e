// A fixed set of the oracle's cases; oracle_fuzz runs as many as one likes.
#include <gtest/gtest.h>

#include "tests/oracle/cases.h"
#include "tests/oracle/checks.h"

namespace cryolite::oracle {
namespace {

// Four parts, so that they run side by side.
class Oracle : public testing::TestWithParam<uint64_t> {};

TEST_P(Oracle, AgreesOnRandomGraphsUnderRandomTraces) {
    constexpr uint64_t cases = 100;
    for (uint64_t i = 0; i < cases; i++) {
        const std::string failure = run_case(GetParam() * cases + i + 1);
        ASSERT_EQ(failure, "");
    }
}
INSTANTIATE_TEST_SUITE_P(Part, Oracle, testing::Range(uint64_t{0}, uint64_t{4}));

TEST(OracleGpu, AgreesOnRandomGraphsWithKernels) {
    for (uint64_t seed = 1; seed <= 300; seed++) ASSERT_EQ(run_kernel_case(seed), "");
}

TEST(OracleMemory, AgreesOnRandomBoxes) {
    for (uint64_t seed = 0; seed < 3000; seed++)
        ASSERT_EQ(check_memory(Random(seed)), "") << "seed " << seed;
}

TEST(OracleGpu, AgreesOnRandomMappings) {
    for (uint64_t seed = 0; seed < 3000; seed++)
        ASSERT_EQ(check_gpu(Random(seed)), "") << "seed " << seed;
}

}  // namespace
}  // namespace cryolite::oracle
