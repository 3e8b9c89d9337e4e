// Every reason for which an action is refused, provoked.
#include <gtest/gtest.h>

#include <set>

#include "graph_fixtures.h"
#include "schedule/func_nest.h"
#include "schedule/loop_nest.h"

namespace cryolite::testing {
namespace {

std::string refusal(const StageGraph &graph, const Trace &before, const Action &action) {
    const Result<LoopNest, ReplayFailure> nest = replay(graph, before);
    if (!nest)
        return "action " + std::to_string(nest.error().failed_at) +
               " of the way there: " + name(nest.error().reason);
    const Result<LoopNest, Reason> next = cryolite::apply(*nest, action);
    return next ? "accepted" : name(next.error());
}

struct Blur {
    StageGraph graph = blur_graph();
    FuncId out = graph.find("out"), blur_x = graph.find("blur_x"), in = graph.find("in");
    StageId s = graph.func(out).stages[0], bx = graph.func(blur_x).stages[0];
    LoopName x{s, 0, 0}, y{s, 1, 0};
    action::ComputeRoot root{out};
};

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
    EXPECT_TRUE(replay(graph, both)->legal_sites(f).empty());
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

TEST(Reasons, LoopsThatAreNotThereOrInUse) {
    const Blur b;
    EXPECT_EQ(refusal(b.graph, {}, action::Tile{b.s, 0, {8}}), "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Inline{b.blur_x}}, action::Parallel{b.bx, 1}),
              "not_placed");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Tile{StageId(77), 0, {8}}), "no_such_loop");
    const Trace used{b.root, action::ComputeAt{b.blur_x, b.y}};
    for (const Action &action :
         Trace{action::Tile{b.s, 0, {8}}, action::Reorder{b.s, {b.x, b.y}},
               action::Vectorize{b.s, 0, 8}, action::Unroll{b.x}, action::Parallel{b.s, 1}}) {
        EXPECT_EQ(refusal(b.graph, used, action), "loops_in_use");
    }
    EXPECT_EQ(refusal(b.graph, used, action::Tile{b.bx, 0, {8}}), "accepted");
}

TEST(Reasons, Tiles) {
    const Blur b;
    for (const std::vector<int64_t> &spans : std::vector<std::vector<int64_t>>{
             {}, {0}, {-8}, {1}, {641}, {1000}, {32, 32}, {32, 12}, {8, 16}, {32, 1}}) {
        EXPECT_EQ(refusal(b.graph, {b.root}, action::Tile{b.s, 0, spans}), "bad_tile")
            << ::testing::PrintToString(spans);
    }
    EXPECT_EQ(refusal(b.graph, {b.root, action::Tile{b.s, 0, {8}}}, action::Tile{b.s, 0, {32}}),
              "bad_tile");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Tile{b.s, 0, {100, 50, 5}}), "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Tile{b.s, 0, {640}}), "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Tile{b.s, 2, {8}}), "no_such_loop");
}

TEST(Reasons, Orders) {
    const Blur b;
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Reorder{b.s, {b.x}}), "not_a_permutation");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Reorder{b.s, {b.x, b.x}}), "not_a_permutation");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Reorder{b.s, {b.x, {b.bx, 1, 0}}}),
              "not_a_permutation");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Vectorize{b.s, 0, 8}},
                      action::Reorder{b.s, {{b.s, 0, 0}, {b.s, 0, 1}, b.y}}),
              "not_reorderable");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::Parallel{b.s, 1}}, action::Reorder{b.s, {b.x, b.y}}),
        "not_reorderable");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Tile{b.s, 0, {8}}},
                      action::Reorder{b.s, {b.y, {b.s, 0, 1}, {b.s, 0, 0}}}),
              "not_reorderable");
    const StageGraph graph = histogram_graph();
    const FuncId out = graph.find("out"), histogram = graph.find("histogram");
    const StageId count = graph.func(histogram).stages[1];
    EXPECT_EQ(refusal(graph, {action::ComputeRoot{out}, action::ComputeRoot{histogram}},
                      action::Reorder{count, {{count, 0, 0}, {count, 1, 0}}}),
              "not_reorderable");
}

TEST(Reasons, Kinds) {
    const Blur b;
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Vectorize{b.s, 0, 1}), "not_vectorizable");
    EXPECT_EQ(
        refusal(b.graph, {b.root, action::Vectorize{b.s, 0, 8}}, action::Vectorize{b.s, 1, 8}),
        "not_vectorizable");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Tile{b.s, 0, {12}}}, action::Vectorize{b.s, 0, 8}),
              "not_vectorizable");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Tile{b.s, 0, {16}}}, action::Vectorize{b.s, 0, 16}),
              "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Unroll{b.x}), "not_constant");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Unroll{{b.s, 0, 1}}), "no_such_loop");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Parallel{b.s, 0}), "not_parallelizable");
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Parallel{b.s, 3}), "not_parallelizable");
    EXPECT_EQ(refusal(b.graph, {b.root, action::Parallel{b.s, 1}}, action::Parallel{b.s, 1}),
              "not_parallelizable");
    const action::ComputeAt inside{b.blur_x, b.y};
    EXPECT_EQ(refusal(b.graph, {b.root, inside}, action::Parallel{b.bx, 1}), "accepted");
    EXPECT_EQ(refusal(b.graph, {b.root, inside}, action::Parallel{b.bx, 2}), "not_parallelizable");

    const StageGraph graph = matmul_graph();
    const FuncId product = graph.find("product");
    const StageId update = graph.func(product).stages[1];
    const Trace placed{action::ComputeRoot{graph.find("out")}, action::ComputeRoot{product}};
    EXPECT_EQ(refusal(graph, placed, action::Parallel{update, 1}), "not_parallelizable");
    EXPECT_EQ(refusal(graph, placed, action::Vectorize{update, 2, 8}), "not_vectorizable");
    EXPECT_EQ(refusal(graph, placed, action::Unroll{{update, 2, 0}}), "accepted");
    EXPECT_EQ(refusal(graph, placed,
                      action::Reorder{update, {{update, 0, 0}, {update, 2, 0}, {update, 1, 0}}}),
              "accepted");
}

TEST(Reasons, ExternStagesKeepTheirLoops) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    make.edit(out).is_extern = true;
    const FuncId f = make.func("f", {"x"});
    make.reads(out, f, {{0}});
    const StageGraph graph = make.finish();
    EXPECT_EQ(
        refusal(graph, {action::ComputeRoot{out}}, action::Parallel{graph.func(out).stages[0], 1}),
        "root_only");
    EXPECT_TRUE(replay(graph, Trace{action::ComputeRoot{out}})->legal_sites(f).empty());
}

TEST(Reasons, HaveDistinctNames) {
    std::set<std::string> names;
    for (int i = 0; i < static_cast<int>(Reason::Count); i++)
        names.insert(name(static_cast<Reason>(i)));
    EXPECT_EQ(names.size(), static_cast<size_t>(Reason::Count));
}

// --- validate ---

template <typename Break>
std::string broken(Break damage) {
    const Blur b;
    const LoopNest nest =
        *replay(b.graph, Trace{b.root, action::Tile{b.s, 1, {32}}, action::Vectorize{b.s, 0, 16},
                               action::Parallel{b.s, 1}, action::ComputeAt{b.blur_x, {b.s, 1, 1}},
                               action::StoreAt{b.blur_x, b.y}});
    EXPECT_EQ(validate(nest), "");
    FuncNest out = nest.at(b.out), blur_x = nest.at(b.blur_x);
    damage(out, blur_x, b);
    out.hash = hash_of(out);
    blur_x.hash = hash_of(blur_x);
    return validate(nest.with(std::make_shared<const FuncNest>(out))
                        .with(std::make_shared<const FuncNest>(blur_x)));
}

TEST(Validate, CatchesBrokenNests) {
    EXPECT_EQ(broken([](FuncNest &, FuncNest &, const Blur &) {}), "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages[0].loops[0].extent = 14; }),
        "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages[0].loops[0].span = 31; }),
        "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages[0].loops.pop_back(); }),
        "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  std::swap(out.stages[0].loops[2], out.stages[0].loops[3]);
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.stages[0].loops[2].kind = LoopKind::Vectorized;
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.stages[0].loops[2].kind = LoopKind::Unrolled;
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.stages[0].loops[1].kind = LoopKind::Parallel;
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages.clear(); }), "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.placement = Placement::Inline; }),
        "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &b) {
                  f.compute_at = LoopName{b.bx, 0, 0};
              }),
              "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &b) {
                  f.store_at = LoopName{b.s, 0, 0};
              }),
              "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.store_at = std::nullopt; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.compute_region[0].max--; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.store_region[1].min++; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.slide_dim = -1; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.stages[0].range[0].max--; }),
              "");
}

TEST(Validate, CatchesAStaleHashAndAnUndecidedReader) {
    const Blur b;
    const LoopNest nest = *replay(b.graph, Trace{b.root, action::ComputeRoot{b.blur_x}});
    FuncNest stale = nest.at(b.out);
    stale.hash++;
    EXPECT_EQ(validate(nest.with(std::make_shared<const FuncNest>(stale))),
              "out: its hash is stale");
    EXPECT_EQ(validate(LoopNest(b.graph).with(nest.share(b.blur_x))),
              "blur_x: its reader out is undecided");
}

}  // namespace
}  // namespace cryolite::testing
