// Which updates go on from step to step, how many of their steps are unrolled, and that the result is right.
#include "graph/facts/recurrences.h"

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "search/space/tilings.h"
#include "tests/featurize/scheduled.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;

struct Scans : ::testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Int(32), 2, "input"};
    RDom r{1, input.width() - 1, "r"};
    Halide::Func out{"out"};

    void SetUp() override { out(x, y) = input(x, y); }

    BuiltGraph built() {
        input.set_estimates({{0, 640}, {0, 480}});
        out.set_estimates({{0, 640}, {0, 480}});
        return testing::SmallPipeline{{out}}.build();
    }

    std::optional<Recurrence> scan(size_t update = 1) {
        const BuiltGraph b = built();
        return b.graph.stage(b.graph.func(b.graph.find(out.name())).stages[update]).recurrence;
    }
};

TEST_F(Scans, GoOnAlongARowOrAColumnInEitherDirection) {
    out(r, y) += out(r - 1, y);
    out(x, r) = out(x, r) / 2 + out(x, r - 1) / 2;
    const Expr back = input.width() - 1 - r;
    out(back, y) += out(back + 1, y);
    for (size_t update : {1, 2, 3}) EXPECT_TRUE(scan(update)) << update;
}

TEST_F(Scans, AreNoSumsNorHistograms) {
    out(x, y) += input(r, y);
    out(clamp(input(r, 0), 0, 639), y) += 1;
    out(r, y) = out(r, y) * 2;
    for (size_t update : {1, 2, 3}) EXPECT_FALSE(scan(update)) << update;
}

TEST_F(Scans, HaveFourOrEightOfTheirStepsUnrolledInSomeTilings) {
    out(r, y) += out(r - 1, y);
    const BuiltGraph b = built();
    const FuncId id = b.graph.find(out.name());
    const StageId s = b.graph.func(id).stages[1];
    const size_t l = b.graph.stage(s).recurrence->loop;
    const LoopNest placed = *replay(b.graph, Trace{action::ComputeRoot{id}});
    TilingLimits some;
    some.count = 64;
    std::set<int64_t> steps;
    for (const auto &actions : tilings(placed, id, *machine_preset("x86-avx2"), some, Random(1))) {
        LoopNest nest = placed;
        for (const Action &a : actions) nest = *cryolite::apply(nest, a);
        const LoopLevel &innermost = nest.stage_nest(s).loops.back();
        const bool is_step = static_cast<size_t>(innermost.name.dim) == l;
        steps.insert(is_step && innermost.kind == LoopKind::Unrolled ? innermost.extent : 1);
    }
    EXPECT_EQ(steps, (std::set<int64_t>{1, 4, 8}));
}

// Each row is made from the row before. All tilings are legal, and no step stands inside of a row.
TEST_F(Scans, HaveVectorsWithinAStepInSomeTilings) {
    const RDom rows{1, 600, 1, 400, "rows"};
    out(rows.x, rows.y) += min(out(rows.x - 1, rows.y - 1), out(rows.x + 1, rows.y - 1));
    const BuiltGraph b = built();
    const FuncId id = b.graph.find(out.name());
    const StageId s = b.graph.func(id).stages[1];
    const LoopNest placed = *replay(b.graph, Trace{action::ComputeRoot{id}});
    TilingLimits some;
    some.count = 64;
    std::set<int64_t> widths, vectors;
    for (const auto &actions : tilings(placed, id, *machine_preset("x86-avx2"), some, Random(1))) {
        LoopNest nest = placed;
        for (const Action &a : actions) nest = *cryolite::apply(nest, a);
        const LoopLevels &loops = nest.stage_nest(s).loops;
        if (loops.back().kind != LoopKind::Vectorized) continue;
        EXPECT_EQ(b.graph.stage(s).loops[static_cast<size_t>(loops.back().name.dim)].name,
                  rows.x.name());
        widths.insert(loops.back().extent);
        const LoopLevel &around = loops[loops.size() - 2];
        vectors.insert(around.kind == LoopKind::Unrolled ? around.extent : 1);
    }
    EXPECT_TRUE(widths.contains(8));
    EXPECT_GT(vectors.size(), 1u);
}

// What an output with a known min loads from itself would be taken for aligned.
TEST_F(Scans, HaveNoVectorsWithinAStepWhereTheirLoadsWouldBeTakenForAligned) {
    const RDom rows{1, 600, 1, 400, "rows"};
    out(rows.x, rows.y) += out(rows.x - 1, rows.y - 1);
    out.output_buffer().dim(0).set_min(0);
    const BuiltGraph b = built();
    const FuncId id = b.graph.find(out.name());
    const StageId s = b.graph.func(id).stages[1];
    const LoopNest placed = *replay(b.graph, Trace{action::ComputeRoot{id}});
    TilingLimits some;
    some.count = 16;
    for (const auto &actions : tilings(placed, id, *machine_preset("x86-avx2"), some, Random(1))) {
        LoopNest nest = placed;
        for (const Action &a : actions) nest = *cryolite::apply(nest, a);
        EXPECT_NE(nest.stage_nest(s).loops.back().kind, LoopKind::Vectorized);
    }
}

TEST_F(Scans, AreRightWithUnrolledStepsAtAnySize) {
    out(r, y) += out(r - 1, y);
    const BuiltGraph b = built();
    const FuncId id = b.graph.find(out.name());
    const StageId s = b.graph.func(id).stages[1];
    const auto l = static_cast<int16_t>(b.graph.stage(s).recurrence->loop);
    const LoopNest nest = test::scheduled(
        b.graph, {action::ComputeRoot{id}, action::Tile{s, l, {4}}, action::Unroll{{s, l, 1}}});
    ASSERT_TRUE(emit(b, nest).ok());
    for (int width : {2, 4, 5, 9, 33}) {
        Buffer<int32_t> image(width, 3);
        image.for_each_element([&](int i, int j) { image(i, j) = i * 7 + j; });
        input.set(image);
        const Buffer<int32_t> sums = out.realize({width, 3});
        for (int j = 0; j < 3; j++)
            for (int i = 0, sum = 0; i < width; i++)
                EXPECT_EQ(sums(i, j), sum += image(i, j)) << i << " of " << width;
    }
}

}  // namespace
}  // namespace cryolite
