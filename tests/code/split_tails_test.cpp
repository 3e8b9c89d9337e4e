// What is said of the last parts of split dimensions, held against the calls that are emitted.
#include "code/stage/split_tails.h"

#include <gtest/gtest.h>

#include <optional>

#include "code/legality/apply.h"
#include "emit/schedule_call.h"
#include "refusals.h"
#include "schedule/func_nest.h"

namespace cryolite::testing {
namespace {

// out(x) = f(x) = g(x), over `extent` points.
struct Chain {
    FuncId out, f, g;
    StageGraph graph;
    explicit Chain(int64_t extent, bool may_overcompute = true, bool may_specialize = true)
        : graph(make(extent, may_overcompute, may_specialize)) {}

    StageGraph make(int64_t extent, bool may_overcompute, bool may_specialize) {
        GraphMaker m;
        out = m.func("out", {"x"}, FuncRole::Output, Box{{0, extent - 1}});
        f = m.func("f", {"x"});
        g = m.func("g", {"x"});
        m.reads(out, f, {{0}});
        m.reads(f, g, {{0}});
        m.edit(f).may_overcompute = m.edit(g).may_overcompute = {may_overcompute};
        m.edit(out).may_specialize = may_specialize;
        return m.finish();
    }

    StageId stage(FuncId func) const { return graph.func(func).stages[0]; }

    // All at root, one of them in tiles of 32 of vectors of 8, in whose tiles g may be computed.
    LoopNest tiled(FuncId func, bool holds_g = false) const {
        const StageId s = stage(func);
        Trace trace{action::ComputeRoot{out}};
        if (func == out) trace.push_back(action::Tile{s, 0, {32}});
        if (func == out) trace.push_back(action::Vectorize{s, 0, 8});
        trace.push_back(action::ComputeRoot{f});
        if (func == f) trace.push_back(action::Tile{s, 0, {32}});
        if (func == f) trace.push_back(action::Vectorize{s, 0, 8});
        if (holds_g)
            trace.push_back(action::ComputeAt{g, {s, 0, 0}});
        else
            trace.push_back(action::ComputeRoot{g});
        const auto nest = replay(graph, trace);
        EXPECT_TRUE(nest.ok()) << name(nest.error().reason);
        return nest.ok() ? *nest : LoopNest(graph);
    }

    bool guarded(const LoopNest &nest, FuncId func, bool holds_others = false) const {
        return is_guarded(graph, nest.stage_nest(stage(func)), 0, holds_others);
    }
};

// Whether the split that makes the outermost loop is emitted with a guard, in the case that runs at the estimates.
bool is_emitted_with_a_guard(const LoopNest &nest, StageId stage) {
    const bool special = !shifted_case(nest.graph(), nest.stage_nest(stage)).empty() &&
                         shifts_inwards(nest.graph(), nest.stage_nest(stage));
    std::optional<bool> guarded;
    for (const ScheduleCall &c : schedule_calls(nest)) {
        if (c.method != ScheduleCall::Method::Split || c.stage != stage ||
            c.specialized != special || !c.variables[1].name.ends_with("_0"))
            continue;
        guarded = c.tail == ScheduleCall::Tail::GuardWithIf;
    }
    EXPECT_TRUE(guarded) << "no such split";
    return guarded.value_or(false);
}

TEST(SplitTails, OfAnOutputAreShiftedWhereItMayBeSpecialised) {
    const Chain large(100), never(100, true, false);
    EXPECT_FALSE(large.guarded(large.tiled(large.out), large.out));
    EXPECT_FALSE(is_emitted_with_a_guard(large.tiled(large.out), large.stage(large.out)));
    // What may not be specialised has no such case, whatever its size.
    EXPECT_TRUE(never.guarded(never.tiled(never.out), never.out));
    EXPECT_TRUE(is_emitted_with_a_guard(never.tiled(never.out), never.stage(never.out)));
}

// Vectors round up; the tile around them is guarded all the same, unless others are computed inside.
TEST(SplitTails, OfTilesAroundVectorsThatRoundUpAreGuarded) {
    const Chain chain(100);
    const LoopNest alone = chain.tiled(chain.f), around = chain.tiled(chain.f, true);
    EXPECT_TRUE(chain.guarded(alone, chain.f));
    EXPECT_TRUE(is_emitted_with_a_guard(alone, chain.stage(chain.f)));
    EXPECT_FALSE(chain.guarded(around, chain.f, true));
    EXPECT_FALSE(is_emitted_with_a_guard(around, chain.stage(chain.f)));
    EXPECT_EQ(computed_extent(chain.graph, alone.stage_nest(chain.stage(chain.f)), 0, false), 104);
    EXPECT_EQ(computed_extent(chain.graph, around.stage_nest(chain.stage(chain.f)), 0, true), 128);
}

TEST(SplitTails, AreNotGuardedWhereWholePartsComeOut) {
    // 128 points, and 125 that vectors round up to 128.
    for (int64_t extent : {128, 125}) {
        const Chain chain(extent);
        EXPECT_FALSE(chain.guarded(chain.tiled(chain.f), chain.f)) << extent;
    }
    const Chain exact(125, false);
    EXPECT_TRUE(exact.guarded(exact.tiled(exact.f), exact.f));
}

}  // namespace
}  // namespace cryolite::testing
