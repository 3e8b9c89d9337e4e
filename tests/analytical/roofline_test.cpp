// The least time of a pipeline, by hand, and below whatever a schedule is predicted to take.
#include "analytical/roofline.h"

#include "analytical/cost_model.h"
#include "tests/featurize/scheduled.h"
#include "tests/schedule/pipelines.h"
#include "tests/schedule/random_trace.h"

namespace cryolite {
namespace {

using test::build;
using test::estimate;
using test::some_machine;

struct RooflineOf : ::testing::Test {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam in{Halide::Float(32), 2, "in"};
    Halide::Func f{"f"}, out{"out"};
    Machine machine = some_machine();
    double vectors_of_floats(double points) const { return points / (machine.vector_bytes / 4.0); }
};

TEST_F(RooflineOf, CountsEachPointThatIsNeededOnce) {
    f(x, y) = in(x, y) + 1.0f;
    out(x, y) = Halide::max(f(x, y), f(x + 1, y));
    estimate(out, {1024, 512});
    const Roofline r = roofline(build({out}).graph, machine);
    const double cycles = vectors_of_floats(1025.0 * 512 + 1024.0 * 512) * machine.vector.float_add;
    EXPECT_NEAR(r.arithmetic_seconds, machine.cycles_to_seconds(cycles / machine.cores),
                1e-9 * r.arithmetic_seconds);
}

// One row in 64 is read.
TEST_F(RooflineOf, CountsNoPointsThatNobodyReads) {
    f(x, y) = in(x, y) * 3.0f;
    out(x, y) = f(x, 64 * y);
    estimate(out, {1024, 512});
    const Roofline r = roofline(build({out}).graph, machine);
    const double cycles = vectors_of_floats(1024.0 * 512) * machine.vector.float_multiply;
    EXPECT_NEAR(r.arithmetic_seconds, machine.cycles_to_seconds(cycles / machine.cores),
                1e-9 * r.arithmetic_seconds);
}

TEST_F(RooflineOf, TakesOutOfALoopWhatItDoesNotChange) {
    out(x, y) = in(x, y) * Halide::exp(Halide::cast<float>(y));
    estimate(out, {4096, 512});
    const Roofline r = roofline(build({out}).graph, machine);
    const double of_points = vectors_of_floats(4096.0 * 512) * machine.vector.float_multiply;
    EXPECT_LT(r.arithmetic_seconds, 1.1 * machine.cycles_to_seconds(of_points / machine.cores));
}

TEST_F(RooflineOf, ReadsInputsAndWritesOutputsOnce) {
    out(x, y) = in(x, y) + in(x + 1, y);
    estimate(out, {8192, 8192});
    const Roofline r = roofline(build({out}).graph, machine);
    const double bytes = 4.0 * 8192 * (8192 + 8193);
    ASSERT_GT(bytes, static_cast<double>(machine.caches.back().size_bytes));
    EXPECT_DOUBLE_EQ(r.traffic_seconds,
                     machine.cycles_to_seconds(bytes / machine.memory_total_bytes_per_cycle));
    EXPECT_GT(r.traffic_seconds, r.arithmetic_seconds);
    EXPECT_EQ(r.seconds(), r.traffic_seconds);
}

// Sums of 64 products of bytes, of which one instruction multiplies and adds four.
TEST_F(RooflineOf, AddsUpSeveralSmallProductsAtOnce) {
    machine = *machine_preset("x86-avx512");
    Halide::ImageParam bytes(Halide::UInt(8), 2, "bytes"), weights(Halide::Int(8), 2, "weights");
    Halide::RDom k(0, 64, "k");
    f(x, y) = 0;
    f(x, y) += Halide::cast<int32_t>(bytes(k, y)) * Halide::cast<int32_t>(weights(k, x));
    out(x, y) = f(x, y);
    estimate(bytes, {64, 512});
    estimate(weights, {64, 1024});
    estimate(out, {1024, 512});
    const Roofline r = roofline(build({out}).graph, machine);
    const double cycles =
        vectors_of_floats(1024.0 * 512 * 64 / 4) * machine.vector.integer_multiply_16;
    EXPECT_NEAR(r.arithmetic_seconds, machine.cycles_to_seconds(cycles / machine.cores),
                1e-3 * r.arithmetic_seconds);
}

class RooflineOfSchedules : public ::testing::TestWithParam<const char *> {};

TEST_P(RooflineOfSchedules, IsBelowWhatTheyArePredictedToTake) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    Machine machine = some_machine();
    machine.cores = 4;
    const double least = roofline(built->graph, machine).seconds();
    EXPECT_GT(least, 0);
    CostModel model(built->graph, machine);
    for (uint64_t seed = 0; seed < 60; seed++) {
        const LoopNest nest = testing::random_nest(built->graph, Random(seed));
        EXPECT_GE(model.evaluate(nest).seconds, least) << seed;
    }
}
INSTANTIATE_TEST_SUITE_P(Pipelines, RooflineOfSchedules,
                         ::testing::Values("blur", "clamped_blur", "tall_chain", "pyramid",
                                           "product", "equalise", "lowest", "updates", "transpose",
                                           "two_outputs"),
                         [](const auto &info) { return std::string(info.param); });

}  // namespace
}  // namespace cryolite
