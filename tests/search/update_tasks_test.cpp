// How the reduction loops of an update are cut into tasks or blocks: outermost where no point is stored or read twice,
// else inside of the steps that carry values.
#include <algorithm>

#include <gtest/gtest.h>

#include "code/legality/validate.h"
#include "schedule/func_nest.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;

struct UpdateTasks : ::testing::Test {
    Var x{"x"}, y{"y"}, t{"t"};
    ImageParam input = testing::image(Float(32), 2048, 2048);
    Halide::Func out{"out"};
    Machine machine = testing::machine();

    // How the search arranges the Func's update.
    StageNest found(const Halide::Func &func, Hardware hardware) {
        const BuiltGraph b = testing::SmallPipeline{{out}}.build();
        const LoopNest best = search(b.graph, hardware, SearchOptions{}).nest;
        EXPECT_EQ(validate(best), "");
        return best.at(b.graph.find(func.name())).stages[1];
    }
    StageNest found(const Halide::Func &func) { return found(func, machine); }
    StageNest found_for_gpu(const Halide::Func &func) {
        const gpu::GpuDevice device = gpu::device_of(*gpu_preset("a100"));
        return found(func, {machine, &device});
    }

    void sharpen_inside_of_a_border() {
        const RDom inside{1, 2046, 1, 2046, "inside"};
        out(x, y) = 0.0f;
        out(inside.x, inside.y) =
            sqrt(input(inside.x - 1, inside.y) * input(inside.x, inside.y + 1));
        out.set_estimates({{0, 2048}, {0, 2048}});
    }

    Halide::Func heat{"heat"};
    void spread_heat() {
        const RDom r{1, 2046, 1, 2046, 1, 8, "r"};
        heat(x, y, t) = select(t == 0, input(clamp(x, 0, 2047), clamp(y, 0, 2047)), 0.0f);
        heat(r.x, r.y, r.z) = 0.2f * (heat(r.x, r.y, r.z - 1) + heat(r.x - 1, r.y, r.z - 1) +
                                      heat(r.x + 1, r.y, r.z - 1) + heat(r.x, r.y - 1, r.z - 1) +
                                      heat(r.x, r.y + 1, r.z - 1));
        out(x, y) = heat(x, y, 8);
        out.set_estimates({{0, 2048}, {0, 2048}});
    }
};

TEST_F(UpdateTasks, AreRowsOfThePointsInsideOfABorder) {
    sharpen_inside_of_a_border();
    const StageNest update = found(out);
    EXPECT_EQ(first_parallel(update), 0u);
    EXPECT_EQ(count_parallel(update), 1u);
    EXPECT_EQ(update.loops[0].name.dim, 1);
    EXPECT_EQ(update.loops.back().kind, LoopKind::Vectorized);
}

TEST_F(UpdateTasks, ArePartsOfTheOnlyLoop) {
    const RDom all{0, 1 << 22, "all"};
    ImageParam line{Float(32), 1, "line"};
    out(x) = 0.0f;
    out(all) = exp(line(all)) + sin(line(all));
    line.set_estimates({{0, 1 << 22}});
    out.set_estimates({{0, 1 << 22}});
    const StageNest update = found(out);
    EXPECT_EQ(count_parallel(update), 1u);
    EXPECT_EQ(update.loops.back().kind, LoopKind::Vectorized);
    // Tasks of a vector each would be all overhead.
    EXPECT_LT(update.loops[0].extent, 1 << 12);
}

TEST_F(UpdateTasks, StandInsideOfStepsInTime) {
    spread_heat();
    const StageNest update = found(heat);
    EXPECT_EQ(first_parallel(update), 1u);
    EXPECT_EQ(update.loops[0].name.dim, 2);
    EXPECT_EQ(update.loops[1].name.dim, 1);
}

// Steps of less work than it takes to start tasks.
TEST_F(UpdateTasks, AreNotStartedForShortSteps) {
    const RDom r{0, 64, 1, 2000, "r"};
    Halide::Func line{"line"};
    line(x, t) = input(x, 0);
    line(r.x, r.y) = line(r.x, r.y - 1) * 0.5f + input(r.x, r.y);
    out(x) = line(x, 2000);
    out.set_estimates({{0, 64}});
    EXPECT_EQ(count_parallel(found(line)), 0u);
}

// The predicate keeps a step from the row and the column that it reads.
TEST_F(UpdateTasks, AreRowsOfAnElimination) {
    RDom r{0, 1024, 0, 1024, 0, 1023, "r"};
    r.where(r.x > r.z && r.y > r.z);
    Halide::Func factors{"factors"};
    factors(x, y) = input(x, y);
    factors(r.x, r.y) -= factors(r.z, r.y) / factors(r.z, r.z) * factors(r.x, r.z);
    out(x, y) = factors(x, y);
    out.set_estimates({{0, 1024}, {0, 1024}});
    const StageNest update = found(factors);
    EXPECT_EQ(first_parallel(update), 1u);
    EXPECT_EQ(update.loops[0].name.dim, 2);
    EXPECT_EQ(update.loops.back().kind, LoopKind::Vectorized);
}

TEST_F(UpdateTasks, AreBlocksOnAGpu) {
    sharpen_inside_of_a_border();
    const StageNest update = found_for_gpu(out);
    EXPECT_EQ(update.loops[0].kind, LoopKind::GpuBlock);
    EXPECT_TRUE(has_kind(update, LoopKind::GpuThread));
}

// The host walks the steps: no block waits for another.
TEST_F(UpdateTasks, AreBlocksInsideOfStepsOnAGpu) {
    spread_heat();
    const StageNest update = found_for_gpu(heat);
    EXPECT_EQ(update.loops[0].name.dim, 2);
    EXPECT_EQ(update.loops[0].kind, LoopKind::Serial);
    EXPECT_EQ(update.loops[1].kind, LoopKind::GpuBlock);
    EXPECT_TRUE(has_kind(update, LoopKind::GpuThread));
}

}  // namespace
}  // namespace cryolite
