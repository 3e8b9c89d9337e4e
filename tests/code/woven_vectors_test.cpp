// Vectors whose lanes lie apart: the region that they align, and what the copies know.
#include "code/stage/woven_vectors.h"

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "code/regions/regions.h"
#include "code/stage/inner_loops.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite::testing {
namespace {

TEST(WovenVectors, IntervalsGrowToWholeMultiples) {
    EXPECT_EQ(aligned({-4, 5}, 3), (Interval{-6, 5}));
    EXPECT_EQ(aligned({0, 5}, 3), (Interval{0, 5}));
    EXPECT_EQ(aligned({2, 3}, 3), (Interval{0, 5}));
    EXPECT_EQ(aligned_points(1, 3), 3);
    EXPECT_EQ(aligned_points(2, 3), 6);
    EXPECT_EQ(aligned_points(7, 1), 7);
    for (int64_t points = 1; points < 20; points++)
        for (int64_t from = -9; from < 9; from++)
            EXPECT_LE(aligned({from, from + points - 1}, 4).extent(), aligned_points(points, 4));
}

// A row of f, ten points of which a tile of out needs, and two more.
struct Row {
    explicit Row(bool may_overcompute, bool has_predicate = false) {
        GraphMaker make;
        out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
        f = make.func("f", {"x"});
        make.reads(out, f, {{0, -1, 1}});
        make.give_last_edge_an_access(Clamp::None);
        make.edit(f).may_overcompute = {may_overcompute};
        if (has_predicate) {
            const StageId update = make.stage(f, {make.pure("x", 0)});
            make.edit(update).loops[0].in_predicate = true;
        }
        graph.emplace(make.finish());
    }

    Result<LoopNest, ReplayFailure> try_woven(int32_t width, int32_t vectors) const {
        const StageId o = graph->func(out).stages[0], s = graph->func(f).stages[0];
        const Trace trace{action::ComputeRoot{out}, action::Tile{o, 0, {10}},
                          action::ComputeAt{f, {o, 0, 0}}, action::Vectorize{s, 0, width, vectors}};
        return replay(*graph, trace);
    }
    LoopNest woven(int32_t width, int32_t vectors) const { return *try_woven(width, vectors); }

    FuncId out, f;
    std::optional<StageGraph> graph;
};

TEST(WovenVectors, TheRegionIsAlignedWhereMoreMayBeComputed) {
    const Row free(true);
    const LoopNest nest = free.woven(6, 3);
    const FuncNest &f = nest.at(free.f);
    EXPECT_EQ(aligned_to(*free.graph, f, 0), 3);
    EXPECT_EQ(f.compute_region[0].min % 3, 0);
    EXPECT_EQ(f.compute_region[0].extent() % 3, 0);
    EXPECT_EQ(f.stages[0].range[0], f.compute_region[0]);
    EXPECT_EQ(validate(nest), "");
}

// Halide bounds nothing by constants inside of two guards, which woven vectors would take.
TEST(WovenVectors, NothingIsWovenUnderGuards) {
    const auto refused = Row(false).try_woven(6, 3);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, Reason::NotVectorizable);
    // Found by random traces: aligned, the update's predicate lets points pass that it excludes otherwise.
    EXPECT_FALSE(Row(true, true).try_woven(6, 3).ok());
}

TEST(WovenVectors, CopiesOfAWovenVectorAreNeighbours) {
    const Row row(true);
    const LoopNest nest = row.woven(12, 3);
    const StageId s = row.graph->func(row.f).stages[0];
    const InnerLoops in = inner_loops(row.graph->stage(s), nest.stage_nest(s));
    EXPECT_EQ(in.lanes, 4);
    EXPECT_EQ(in.lane_step, 3);
    ASSERT_EQ(in.unrolled.size(), 1u);
    EXPECT_TRUE(in.unrolled[0].woven);
    EXPECT_EQ(in.unroll_product, 3);
}

}  // namespace
}  // namespace cryolite::testing
