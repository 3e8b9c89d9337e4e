// Every reason for which a Func may not be computed or stored at a place, provoked.
#include <gtest/gtest.h>

#include <set>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "refusals.h"
#include "schedule/func_nest.h"

namespace cryolite::testing {
namespace {

TEST(Reasons, HaveDistinctNames) {
    std::set<std::string> names;
    for (int i = 0; i < static_cast<int>(Reason::Count); i++)
        names.insert(name(static_cast<Reason>(i)));
    EXPECT_EQ(names.size(), static_cast<size_t>(Reason::Count));
}

TEST(Reasons, Placements) {
    const Blur b;
    EXPECT_EQ(refusal(b.graph, {b.root}, b.root), "already_decided");
    EXPECT_EQ(refusal(b.graph, {}, action::ComputeRoot{b.blur_x}), "consumer_undecided");
    EXPECT_EQ(refusal(b.graph, {}, action::Inline{b.out}), "not_inlinable");
    EXPECT_EQ(refusal(b.graph, {}, action::ComputeAt{b.out, b.x}), "root_only");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::ComputeRoot{b.in}), "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::ComputeRoot{FuncId(99)}), "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Inline{b.blur_x}), "accepted");
}

TEST(Reasons, Locks) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const FuncId user = make.func("user", {"x"});
    const FuncId f = make.func("f", {"x"});
    make.reads(out, user, {{0}});
    make.reads(user, f, {{0}});
    make.edit(user).locked = make.edit(user).root_only = true;
    make.edit(user).can_inline = false;
    const StageGraph graph = make.finish();
    const StageId s = graph.func(user).stages[0];
    const Trace both{action::ComputeRoot{out}, action::ComputeRoot{user}};
    EXPECT_EQ(refusal(graph, {both[0]}, action::Inline{user}), "locked_by_user");
    EXPECT_EQ(refusal(graph, {both[0]}, action::ComputeAt{user, {graph.func(out).stages[0], 0, 0}}),
              "locked_by_user");
    EXPECT_EQ(refusal(graph, both, action::Tile{s, 0, {8}}), "locked_by_user");
    EXPECT_EQ(refusal(graph, both, action::ComputeAt{f, {s, 0, 0}}), "locked_by_user");
    EXPECT_TRUE(legal_sites(*replay(graph, both), f).empty());
}

TEST(Reasons, Sites) {
    const Blur b;
    const action::ComputeAt nowhere{b.blur_x, {b.s, 0, 1}}, in_itself{b.blur_x, {b.bx, 0, 0}};
    EXPECT_EQ(refusal(b.graph, {b.root}, nowhere), "no_such_loop");
    EXPECT_EQ(refusal(b.graph, {b.root}, in_itself), "no_such_loop");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::Parallel{b.s, 2}}, action::ComputeAt{b.blur_x, b.y}),
        "no_such_loop");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::Parallel{b.s, 2}}, action::ComputeAt{b.blur_x, b.x}),
        "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Vectorize{b.s, 0, 8}},
                      action::ComputeAt{b.blur_x, {b.s, 0, 1}}),
              "inside_vector_or_unroll");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Tile{b.s, 1, {4}}, action::Unroll{{b.s, 1, 1}}},
                      action::ComputeAt{b.blur_x, b.x}),
              "inside_vector_or_unroll");
    const StageGraph pyramid = pyramid_graph();
    const FuncId up = pyramid.find("up");
    EXPECT_EQ(refusal(pyramid,
                      {action::ComputeRoot{pyramid.find("out")}, action::ComputeRoot{up},
                       action::ComputeRoot{pyramid.find("coarse")}},
                      action::ComputeAt{pyramid.find("fine"), {pyramid.func(up).stages[0], 0, 0}}),
              "outside_consumers");
}

TEST(Reasons, Storage) {
    const Blur b;
    const action::ComputeAt at_x{b.blur_x, b.x}, at_y{b.blur_x, b.y};
    EXPECT_EQ(refusal(b.graph, {b.root, at_y}, action::StoreAt{b.blur_x, b.x}),
              "store_inside_compute");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y}, action::StoreAt{b.blur_x, LoopName{b.s, 5, 0}}),
              "no_such_loop");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Parallel{b.s, 1}, at_x},
                      action::StoreAt{b.blur_x, std::nullopt}),
              "parallel_between");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Parallel{b.s, 1}, at_y},
                      action::StoreAt{b.blur_x, std::nullopt}),
              "parallel_between");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::Parallel{b.s, 1}, at_x}, action::StoreAt{b.blur_x, b.y}),
        "no_window");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y}, action::StoreAt{b.blur_x, std::nullopt}),
              "accepted");
    const action::Tile strips{b.s, 1, {32, 2}};
    const action::ComputeAt in_strip{b.blur_x, {b.s, 1, 1}};
    EXPECT_EQ(refusal(b.graph, {b.root, strips, in_strip}, action::StoreAt{b.blur_x, std::nullopt}),
              "loops_between");
    EXPECT_EQ(refusal(b.graph, {b.root, strips, in_strip}, action::StoreAt{b.blur_x, b.y}),
              "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Parallel{b.s, 1}, strips},
                      action::StoreAt{b.blur_x, b.y}),
              "action 2 of the way there: bad_tile");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::Parallel{b.s, 2}, at_x}, action::StoreAt{b.blur_x, b.y}),
        "no_such_loop");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::ComputeRoot{b.blur_x}}, action::StoreAt{b.blur_x, b.y}),
        "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y, action::StoreAt{b.blur_x, std::nullopt}},
                      action::StoreAt{b.blur_x, b.y}),
              "already_decided");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y, action::StoreAt{b.blur_x, std::nullopt}},
                      action::Vectorize{b.bx, 1, 4}),
              "not_vectorizable");
    EXPECT_EQ(refusal(b.graph, {b.root, at_x, action::Vectorize{b.bx, 0, 4}},
                      action::StoreAt{b.blur_x, b.y}),
              "loops_in_use");
}

TEST(Reasons, OrderOfStorage) {
    const Blur b;
    const action::ComputeAt at_y{b.blur_x, b.y};
    const action::ReorderStorage turned{b.blur_x, {1, 0}};
    EXPECT_EQ(refusal(b.graph, {b.root}, turned), "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::ReorderStorage{b.in, {1, 0}}), "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::ReorderStorage{b.out, {1, 0}}), "storage_kept");
    EXPECT_EQ(refusal(b.graph, {b.root, action::ComputeRoot{b.blur_x}}, turned), "storage_kept");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Inline{b.blur_x}}, turned), "storage_kept");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y, action::StoreAt{b.blur_x, std::nullopt}}, turned),
              "storage_kept");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y, turned}, action::StoreAt{b.blur_x, std::nullopt}),
              "storage_kept");
    for (const std::vector<int> &order :
         std::vector<std::vector<int>>{{}, {0}, {0, 0}, {0, 2}, {-1, 0}, {0, 1, 2}})
        EXPECT_EQ(refusal(b.graph, {b.root, at_y}, action::ReorderStorage{b.blur_x, order}),
                  "not_a_permutation");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y}, turned), "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root, at_y, action::Vectorize{b.bx, 0, 4}}, turned), "accepted");
}

// Parts of 16 columns, fused with the rows: Halide asks for all of the last part of what is computed
// for a Func inside, which asks for more of the input than there is (seen with 21).
TEST(Reasons, NothingDeepInsideGuardedFusedLoops) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId f = make.func("f", {"x", "y"}), g = make.func("g", {"x", "y"});
    make.reads(out, f, {{0}, {1}});
    make.reads(f, g, {{0}, {1}});
    for (const bool harmless : {false, true}) {
        make.edit(g).may_overcompute = {harmless, harmless};
        const StageGraph graph = GraphMaker(make).finish();
        const StageId o = graph.func(out).stages[0], s = graph.func(f).stages[0];
        const auto refused = [&](int32_t fused, std::vector<int64_t> spans, LoopName at) {
            Trace trace{action::ComputeRoot{out}};
            if (!spans.empty()) trace.push_back(action::Tile{o, 0, spans});
            const LoopName inner{o, 0, static_cast<int16_t>(spans.size())};
            std::vector<LoopName> order{{o, 0, 0}, {o, 1, 0}, inner};
            if (spans.empty()) order.pop_back();
            trace.push_back(action::Reorder{o, order});
            trace.push_back(action::Parallel{o, fused});
            trace.push_back(action::ComputeAt{f, {o, 1, 0}});
            return refusal(graph, trace, action::ComputeAt{g, at});
        };
        const LoopName deep{s, 1, 0};
        EXPECT_EQ(refused(2, {16}, deep), harmless ? "accepted" : "guard_lost_in_fusion");
        EXPECT_EQ(refused(1, {16}, deep), "accepted");
        EXPECT_EQ(refused(2, {}, deep), "accepted");
        EXPECT_EQ(refused(2, {16}, {o, 1, 0}), "accepted");
    }
}

// Halide fills a window by starting whole iterations earlier: three more rows of blur_x than the two
// that a part of four shares with the one before.
TEST(Reasons, AWindowIsFilledWithoutComputingMoreThanIsNeeded) {
    Blur b;
    const auto refused = [&](const std::vector<int64_t> &spans) {
        return refusal(
            b.graph,
            {b.root, action::Tile{b.s, 1, spans}, action::ComputeAt{b.blur_x, {b.s, 1, 1}}},
            action::StoreAt{b.blur_x, b.y});
    };
    EXPECT_EQ(refused({32}), "accepted");
    EXPECT_EQ(refused({32, 2}), "accepted");
    EXPECT_EQ(refused({32, 4}), "window_overshoots");
    EXPECT_EQ(refused({32, 8}), "window_overshoots");
    // Where over-computing is harmless, so is an early start.
    std::vector<Func> funcs(b.graph.funcs().begin(), b.graph.funcs().end());
    funcs[b.blur_x.index()].may_overcompute[1] = true;
    b.graph = StageGraph(funcs, {b.graph.stages().begin(), b.graph.stages().end()},
                         {b.graph.edges().begin(), b.graph.edges().end()}, 1);
    EXPECT_EQ(refused({32, 4}), "accepted");
}

TEST(Reasons, WindowsSlideAlongEvenLoopsOnly) {
    const Blur b;
    const auto refused = [&](const std::vector<int64_t> &spans, int16_t level) {
        const LoopName at{b.s, 1, level};
        std::optional<LoopName> store;
        if (level > 0) store = LoopName{b.s, 1, static_cast<int16_t>(level - 1)};
        return refusal(b.graph,
                       {b.root, action::Tile{b.s, 1, spans}, action::ComputeAt{b.blur_x, at}},
                       action::StoreAt{b.blur_x, store});
    };
    // The last part of the outermost loop is shifted inwards, those inside it divide.
    EXPECT_EQ(refused({2}, 0), "window_on_uneven_loop");
    EXPECT_EQ(refused({32, 2}, 0), "window_on_uneven_loop");
    EXPECT_EQ(refused({32, 2}, 1), "accepted");
}

// How Halide moves them is counted in tests/featurize/window_rows_test.cpp.
TEST(Reasons, WhatFeedsAClampedWindowDoesNotSlide) {
    for (const Clamp clamp : {Clamp::None, Clamp::Likely}) {
        GraphMaker make;
        const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
        const FuncId upper = make.func("upper", {"x", "y"}), lower = make.func("lower", {"x", "y"});
        make.reads(out, upper, {{0, -1, 1}, {1}});
        make.give_last_edge_an_access(clamp);
        make.reads(upper, lower, {{0, -1, 1}, {1}});
        make.give_last_edge_an_access(Clamp::None);
        const StageGraph graph = make.finish();
        const StageId s = graph.func(out).stages[0];
        const LoopName rows{s, 1, 0}, columns{s, 0, 0};
        const Trace both{action::ComputeRoot{out}, action::ComputeAt{upper, columns}};
        const action::StoreAt window{upper, rows}, below{lower, rows};
        const auto with = [&](Trace before, const std::vector<Action> &more) {
            before.insert(before.end(), more.begin(), more.end());
            return before;
        };
        EXPECT_EQ(refusal(graph, with(both, {window, action::ComputeAt{lower, columns}}), below),
                  clamp == Clamp::None ? "accepted" : "feeds_conditional_window");
        // It may below what is computed whole each time.
        EXPECT_EQ(refusal(graph, with(both, {action::ComputeAt{lower, columns}}), below),
                  "accepted");
    }
}

TEST(Reasons, WindowsAreAloneInALoopOfTheWholeDimension) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId above = make.func("above", {"x", "y"});
    const FuncId window = make.func("window", {"x", "y"});
    const FuncId beside = make.func("beside", {"x", "y"});
    const FuncId feeding = make.func("feeding", {"x", "y"});
    make.reads(out, above, {{0}, {1}});
    make.reads(above, window, {{0}, {1, -1, 1}});
    make.reads(out, beside, {{0}, {1}});
    make.reads(window, feeding, {{0}, {1}});
    const StageGraph graph = make.finish();
    const StageId s = graph.func(out).stages[0];
    const auto with = [&](const Trace &before, LoopName at, std::optional<LoopName> store) {
        Trace trace{action::ComputeRoot{out}};
        trace.insert(trace.end(), before.begin(), before.end());
        trace.push_back(action::ComputeAt{above, at});
        trace.push_back(action::ComputeAt{window, at});
        trace.push_back(action::StoreAt{window, store});
        return trace;
    };
    const LoopName y{s, 1, 0}, strip{s, 1, 1};
    const Trace whole = with({}, y, std::nullopt),
                strips = with({action::Tile{s, 1, {8}}}, strip, y);
    EXPECT_EQ(refusal(graph, whole, action::ComputeAt{beside, y}), "beside_window");
    EXPECT_EQ(refusal(graph, whole, action::ComputeAt{beside, {s, 0, 0}}), "beside_window");
    EXPECT_EQ(refusal(graph, strips, action::ComputeAt{beside, strip}), "accepted");
    Trace then = whole;
    then.push_back(action::ComputeRoot{beside});
    EXPECT_EQ(refusal(graph, then, action::ComputeAt{feeding, y}), "accepted");
    const Trace beside_first{action::ComputeRoot{out}, action::ComputeAt{beside, y},
                             action::ComputeAt{above, y}, action::ComputeAt{window, y}};
    EXPECT_EQ(refusal(graph, beside_first, action::StoreAt{window, std::nullopt}), "beside_window");
}

// Halide 21 asks there for a whole last part of the outer split, whatever the size of the output.
TEST(Reasons, NothingLiesBetweenTheGuardOfASplitAndLoopsInsideIt) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 12}});
    const FuncId f = make.func("f", {"x", "z"}), read = make.func("read", {"x", "z"});
    make.reads(out, f, {{0}, {-1, -2, 0}});
    make.reads(f, read, {{0, -2, 0}, {1}});
    const StageGraph graph = make.finish();
    const StageId s = graph.func(out).stages[0], sf = graph.func(f).stages[0];
    const auto in_tile = [&](const Trace &loops, LoopName at) {
        Trace trace{action::ComputeRoot{out}, action::Tile{s, 0, {4}},
                    action::ComputeAt{f, {s, 0, 0}}};
        trace.insert(trace.end(), loops.begin(), loops.end());
        return refusal(graph, trace, action::ComputeAt{read, at});
    };
    const LoopName x{sf, 0, 0}, z{sf, 1, 0}, part{sf, 1, 1};
    const Trace x_inside{action::Tile{sf, 1, {2}}, action::Reorder{sf, {z, part, x}}};
    EXPECT_EQ(in_tile(x_inside, part), "guard_lost_in_split");
    EXPECT_EQ(in_tile(x_inside, z), "accepted");
    EXPECT_EQ(in_tile(x_inside, x), "accepted");
    const Trace x_around{action::Tile{sf, 1, {2}}, action::Reorder{sf, {z, x, part}}};
    EXPECT_EQ(in_tile(x_around, part), "accepted");
    EXPECT_EQ(in_tile({}, z), "accepted");
    // Around one guard, no other is lost.
    EXPECT_EQ(
        refusal(graph, {action::ComputeRoot{out}, action::ComputeRoot{f}, x_inside[0], x_inside[1]},
                action::ComputeAt{read, part}),
        "accepted");
}

}  // namespace
}  // namespace cryolite::testing
