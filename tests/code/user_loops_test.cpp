// Loops and places that the user has decided on, and where that leaves the Funcs around them.
#include <gtest/gtest.h>

#include <algorithm>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "code/legality/validate.h"
#include "emit/schedule_call.h"
#include "refusals.h"
#include "schedule/func_nest.h"

namespace cryolite::testing {
namespace {

// out(x) = between(x .. x+1); between(x) = user(x .. x+2); user(x) = before(x). The user has tiled out by
// 8, in parallel, and computes `user` in each tile.
struct Tiles {
    FuncId out, between, user, before;
    StageGraph graph = make();
    StageId s = graph.func(out).stages[0];
    LoopName tile{s, 0, 0}, point{s, 0, 1};
    Trace first{action::ComputeRoot{out}};

    StageGraph make() {
        GraphMaker m;
        out = m.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
        between = m.func("between", {"x"});
        user = m.func("user", {"x"});
        before = m.func("before", {"x"});
        m.reads(out, between, {{0, 0, 1}});
        m.reads(between, user, {{0, 0, 2}});
        m.reads(user, before, {{0}});
        const StageId loops = m.pure_stage(out);
        m.edit(loops).user_loops = {{UserLoop::Kind::Parallel, 0, 8, "xo"},
                                    {UserLoop::Kind::Serial, 0, 1, "xi"}};
        for (FuncId f : {out, user}) {
            m.edit(f).locked = m.edit(f).root_only = true;
            m.edit(f).can_inline = false;
        }
        m.edit(user).user_site = UserSite{loops, 0};
        m.edit(between).enclosed = true;
        m.edit(between).enclosed_by = {UserSite{loops, 0}};
        m.edit(between).can_inline = false;
        return m.finish();
    }

    LoopNest at(const Trace &trace) const {
        const auto nest = replay(graph, trace);
        EXPECT_TRUE(nest.ok());
        return nest.ok() ? *nest : LoopNest(graph);
    }
};

Trace operator+(Trace trace, const Action &action) {
    trace.push_back(action);
    return trace;
}

TEST(UserLoops, AreTheLoopsOfALockedStage) {
    const Tiles t;
    const LoopNest nest = t.at(t.first);
    const StageNest &loops = nest.stage_nest(t.s);
    ASSERT_EQ(loops.loops.size(), 2u);
    EXPECT_EQ(loops.loops[0].name, t.tile);
    EXPECT_EQ(loops.loops[0].kind, LoopKind::Parallel);
    EXPECT_EQ(loops.loops[0].extent, 13);
    EXPECT_EQ(loops.loops[1].name, t.point);
    EXPECT_EQ(loops.loops[1].extent, 8);
    EXPECT_EQ(validate(nest), "");
    EXPECT_EQ(trace_of(nest), t.first);
}

TEST(UserLoops, TakeWhatIsEnclosedAndNothingOutsideDoes) {
    const Tiles t;
    EXPECT_EQ(legal_sites(t.at(t.first), t.between), (std::vector<LoopName>{t.point, t.tile}));
    const LoopNest nest = t.at(t.first + action::ComputeAt{t.between, t.tile} +
                               action::Vectorize{t.graph.func(t.between).stages[0], 0, 4} +
                               action::ComputeRoot{t.user});
    EXPECT_EQ(nest.at(t.between).compute_region[0].extent(), 9);
    EXPECT_EQ(nest.at(t.user).placement, Placement::At);
    EXPECT_EQ(nest.at(t.user).compute_at, t.tile);
    EXPECT_EQ(nest.at(t.user).compute_region[0].extent(), 11);
    EXPECT_EQ(validate(nest), "");
    // Storage whose size the user's loops decide is not bounded by us.
    for (int64_t bound : nest.at(t.between).storage_bound) EXPECT_EQ(bound, 0);
    const Result<LoopNest, ReplayFailure> again = replay(t.graph, trace_of(nest));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->hash(), nest.hash());
}

TEST(UserLoops, OfAnInnerPlaceAreNoneForWhatEnclosesIt) {
    Tiles t;
    GraphMaker m;
    const FuncId out = m.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const FuncId between = m.func("between", {"x"});
    m.reads(out, between, {{0}});
    const StageId loops = m.pure_stage(out);
    m.edit(loops).user_loops = {{UserLoop::Kind::Serial, 0, 8, "xo"},
                                {UserLoop::Kind::Serial, 0, 1, "xi"}};
    m.edit(out).locked = true;
    m.edit(between).enclosed = true;
    m.edit(between).enclosed_by = {UserSite{loops, 1}};
    const StageGraph graph = m.finish();
    const Trace first{action::ComputeRoot{out}};
    EXPECT_EQ(legal_sites(*replay(graph, first), between), (std::vector<LoopName>{{loops, 0, 1}}));
    EXPECT_EQ(refusal(graph, first, action::ComputeAt{between, {loops, 0, 0}}), "enclosed_by_user");
    EXPECT_EQ(refusal(graph, first, action::Inline{between}), "accepted");
}

TEST(UserLoops, HoldWhatTheUsersFuncReads) {
    const Tiles t;
    const Trace trace =
        t.first + action::ComputeAt{t.between, t.tile} + action::ComputeRoot{t.user};
    EXPECT_EQ(legal_sites(t.at(trace), t.before), (std::vector<LoopName>{t.tile}));
    const LoopNest nest = t.at(trace + action::ComputeAt{t.before, t.tile});
    const std::vector<ScheduleCall> calls = schedule_calls(nest);
    ASSERT_EQ(calls.size(), 2u);
    for (const ScheduleCall &call : calls) {
        EXPECT_EQ(call.method, ScheduleCall::Method::ComputeAt);
        EXPECT_EQ(call.site, t.s);
        EXPECT_EQ(call.variables.at(0).name, "xo");
    }
}

TEST(UserLoops, AreChangedByNobody) {
    const Tiles t;
    EXPECT_EQ(refusal(t.graph, t.first, action::Unroll{t.point}), "locked_by_user");
    EXPECT_EQ(refusal(t.graph, t.first + action::ComputeAt{t.between, t.tile},
                      action::ComputeAt{t.user, t.point}),
              "locked_by_user");
    EXPECT_EQ(refusal(t.graph, t.first + action::ComputeAt{t.between, t.point},
                      action::StoreAt{t.between, std::nullopt}),
              "locked_by_user");
}

// At root an enclosed Func stands for what Halide makes of it.
TEST(Enclosed, AtRootNothingIsSaidOfItAndItsLoopsStay) {
    const Tiles t;
    const Trace left = t.first + action::ComputeRoot{t.between};
    const StageId s = t.graph.func(t.between).stages[0];
    EXPECT_EQ(refusal(t.graph, left, action::Vectorize{s, 0, 4}), "enclosed_by_user");
    const LoopNest nest = t.at(left + action::ComputeRoot{t.user});
    EXPECT_TRUE(is_left_alone(t.graph.func(t.between), nest.at(t.between)));
    EXPECT_EQ(validate(nest), "");
    EXPECT_TRUE(schedule_calls(nest).empty());
    EXPECT_EQ(nest.at(t.user).compute_region[0].extent(), 11);  // as if it were inlined
    EXPECT_EQ(legal_sites(nest, t.before), (std::vector<LoopName>{t.tile}));
}

}  // namespace
}  // namespace cryolite::testing
