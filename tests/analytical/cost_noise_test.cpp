// The disturbance of costs by which random schedules are drawn.
#include "analytical/cost_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analytical/cost_model.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

TEST(CostNoise, stays_within_its_factor_and_fills_it_evenly_in_the_logarithm) {
    const CostNoise noise{4, 1};
    double sum = 0, squares = 0;
    const int count = 20000;
    for (int i = 0; i < count; i++) {
        const auto index = static_cast<uint64_t>(i);
        const double d = noise.disturbance(index, 3 * index + 1);
        EXPECT_GE(d, 0.25);
        EXPECT_LE(d, 4);
        const double share = std::log(d) / std::log(4);
        sum += share;
        squares += share * share;
    }
    EXPECT_NEAR(sum / count, 0, 0.02);
    // Two independent halves, each uniform on (-1/2, 1/2): variance 2/12.
    EXPECT_NEAR(squares / count, 1.0 / 6, 0.01);
}

TEST(CostNoise, is_a_function_of_seed_structure_and_kernel) {
    const CostNoise noise{4, 1}, other_seed{4, 2};
    EXPECT_EQ(noise.disturbance(5, 6), noise.disturbance(5, 6));
    EXPECT_NE(noise.disturbance(5, 6), noise.disturbance(5, 7));
    EXPECT_NE(noise.disturbance(5, 6), noise.disturbance(4, 6));
    EXPECT_NE(noise.disturbance(5, 6), other_seed.disturbance(5, 6));
    EXPECT_EQ((CostNoise{1, 9}.disturbance(5, 6)), 1);
    // Kernels of one structure share half of it: they never differ by more than the factor.
    for (uint64_t k = 0; k < 1000; k++) {
        const double ratio = noise.disturbance(5, k) / noise.disturbance(5, k + 1);
        EXPECT_LE(ratio, 4.0001);
        EXPECT_GE(ratio, 1 / 4.0001);
    }
}

TEST(CostNoise, disturbs_what_is_evaluated_remembered_or_not_and_not_what_is_explained) {
    Halide::Var x("x"), y("y");
    Halide::Func f("f"), out("out");
    f(x, y) = x * y + 1;
    out(x, y) = f(x, y) + f(x + 1, y);
    test::estimate(out, {640, 480});
    const BuiltGraph built = test::build({out});
    const LoopNest nest =
        test::scheduled(built.graph, {action::ComputeRoot{test::func(built, out).id},
                                      action::ComputeRoot{test::func(built, f).id}});
    const Machine m = test::some_machine();
    const int64_t bytes = int64_t{1} << 20;
    CostModel plain(built.graph, m), noisy(built.graph, m, bytes, KernelMemo::Terms, {3, 1}),
        forgetful(built.graph, m, bytes, KernelMemo::Nothing, {3, 1});
    const double disturbed = noisy.evaluate(nest).seconds;
    EXPECT_NE(disturbed, plain.evaluate(nest).seconds);
    EXPECT_EQ(noisy.evaluate(nest).seconds, disturbed);
    EXPECT_EQ(forgetful.evaluate(nest).seconds, disturbed);
    EXPECT_EQ(forgetful.kernels_remembered(), 0u);
    EXPECT_EQ(noisy.explain(nest).seconds, plain.evaluate(nest).seconds);

    // One search after the other: what is remembered has no noise.
    plain.begin({3, 1});
    EXPECT_EQ(plain.kernels_evaluated(), 0u);
    EXPECT_EQ(plain.evaluate(nest).seconds, disturbed);
    EXPECT_EQ(plain.kernels_evaluated(), 0u);
    noisy.begin({3, 2});
    EXPECT_NE(noisy.evaluate(nest).seconds, disturbed);
    noisy.begin({});
    EXPECT_EQ(noisy.evaluate(nest).seconds, noisy.explain(nest).seconds);
    noisy.begin({3, 1});
    EXPECT_EQ(noisy.evaluate(nest).seconds, disturbed);
    EXPECT_EQ(noisy.kernels_evaluated(), 0u);
}

}  // namespace
}  // namespace cryolite
