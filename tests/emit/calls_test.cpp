// The walk from a LoopNest to scheduling calls, without Halide.
#include <gtest/gtest.h>

#include <algorithm>

#include <map>
#include <set>

#include "code/legality/apply.h"
#include "emit/schedule_call.h"
#include "tests/schedule/graph_fixtures.h"
#include "tests/schedule/random_trace.h"

namespace cryolite::testing {
namespace {

using Method = ScheduleCall::Method;

std::vector<std::string> written(const StageGraph &graph, const Trace &trace) {
    static constexpr const char *names[] = {"compute_root",
                                            "compute_at",
                                            "compute_with",
                                            "store_root",
                                            "store_at",
                                            "store_in_pool",
                                            "reorder_storage",
                                            "bound_storage",
                                            "align_storage",
                                            "align_bounds",
                                            "split",
                                            "reorder",
                                            "fuse",
                                            "rename",
                                            "parallel",
                                            "atomic",
                                            "allow_race_conditions",
                                            "vectorize",
                                            "unroll",
                                            "gpu_blocks",
                                            "gpu_threads",
                                            "specialize",
                                            "never_partition",
                                            "unscheduled"};
    const Result<LoopNest, ReplayFailure> nest = replay(graph, trace);
    if (!nest) return {"refused: " + std::string(name(nest.error().reason))};
    std::vector<std::string> lines;
    for (const ScheduleCall &call : schedule_calls(*nest)) {
        std::string line = (call.specialized ? "large " : "") + graph.func_of(call.stage).name +
                           ".s" + std::to_string(graph.stage(call.stage).index) + " " +
                           names[static_cast<size_t>(call.method)];
        if (call.site) line += " in " + graph.func_of(*call.site).name;
        for (const LoopVariable &v : call.variables) line += " " + v.name;
        if (call.factor) line += " " + std::to_string(call.factor);
        if (call.tail == ScheduleCall::Tail::RoundUp) line += " rounded up";
        if (call.tail == ScheduleCall::Tail::ShiftInwards) line += " shifted inwards";
        for (const WholePart &minimum : call.whole_parts) {
            line += " " + std::to_string(minimum.func_dim) + ">=" + std::to_string(minimum.extent);
        }
        lines.push_back(line);
    }
    return lines;
}

TEST(Calls, TilesVectorsAndFusedLoopsGetNames) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const StageId s = graph.func(out).stages[0], bx = graph.func(blur_x).stages[0];
    EXPECT_EQ(
        written(graph, {action::ComputeRoot{out}, action::Tile{s, 0, {64}},
                        action::Tile{s, 1, {32}}, action::Vectorize{s, 0, 16},
                        action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}, {s, 0, 2}}},
                        action::Parallel{s, 2}, action::ComputeAt{blur_x, {s, 1, 1}},
                        action::StoreAt{blur_x, LoopName{s, 0, 0}}, action::Vectorize{bx, 0, 16}}),
        (std::vector<std::string>{"large out.s0 specialize 0>=64 1>=32",
                                  "large out.s0 split y y_0 y_1 32 shifted inwards",
                                  "large out.s0 split x x_0 x_r 64 shifted inwards",
                                  "large out.s0 split x_r x_1 x_2 16 rounded up",
                                  "large out.s0 reorder x_2 x_1 y_1 x_0 y_0",
                                  "large out.s0 vectorize x_2",
                                  "large out.s0 fuse x_0 y_0 x_0_y_0",
                                  "large out.s0 parallel x_0_y_0",
                                  "out.s0 split y y_0 y_1 32",
                                  "out.s0 split x x_t x_2 16",
                                  "out.s0 split x_t x_0 x_1 4",
                                  "out.s0 reorder x_2 x_1 y_1 x_0 y_0",
                                  "out.s0 vectorize x_2",
                                  "out.s0 fuse x_0 y_0 x_0_y_0",
                                  "out.s0 parallel x_0_y_0",
                                  "out.s0 never_partition",
                                  "blur_x.s0 compute_at in out y_1",
                                  "blur_x.s0 store_at in out x_0_y_0",
                                  "blur_x.s0 split x x_0 x_1 16",
                                  "blur_x.s0 vectorize x_1"}));
}

TEST(Calls, RoundUpOnlyWhereOvercomputingIsHarmless) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const FuncId f = make.func("f", {"x", "x_0"});
    make.reads(out, f, {{0}, {-1, 0, 20}});
    make.edit(f).may_overcompute = {true, false};
    make.edit(out).may_overcompute = {true};
    const StageGraph graph = make.finish();
    const StageId s = graph.func(f).stages[0], o = graph.func(out).stages[0];
    EXPECT_EQ(written(graph,
                      {action::ComputeRoot{out}, action::Vectorize{o, 0, 8}, action::ComputeRoot{f},
                       action::Tile{s, 0, {8, 4}}, action::Tile{s, 1, {8}}}),
              (std::vector<std::string>{
                  "large out.s0 specialize 0>=8", "large out.s0 split x x_0 x_1 8 shifted inwards",
                  "large out.s0 vectorize x_1", "out.s0 split x x_0 x_1 8", "out.s0 vectorize x_1",
                  "out.s0 never_partition", "f.s0 compute_root", "f.s0 split x_0 x_0_0 x_0_1 8",
                  "f.s0 split x x_t x_2 4", "f.s0 split x_t x_0_2 x_1 2"}));
}

// out reads f, f reads g, each point by point; both may overcompute.
StageGraph chain_graph(Clamp clamp = Clamp::None) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId f = make.func("f", {"x", "y"}), g = make.func("g", {"x", "y"});
    make.reads(out, f, {{0}, {1}});
    make.reads(f, g, {{0}, {1}});
    make.edit(f).may_overcompute = make.edit(g).may_overcompute = {true, true};
    make.give_last_edge_an_access(clamp);
    return make.finish();
}

// What is said of f alone.
std::vector<std::string> said_of_f(const StageGraph &graph, Trace trace) {
    std::vector<std::string> of_f;
    for (const std::string &line : written(graph, trace))
        if (line.starts_with("f.s0")) of_f.push_back(line);
    return of_f;
}

TEST(Calls, TilesRoundUpOnlyWhereOthersAreComputedInside) {
    const StageGraph graph = chain_graph();
    const FuncId out = graph.find("out"), f = graph.find("f"), g = graph.find("g");
    const StageId s = graph.func(f).stages[0];
    const Trace tiled{action::ComputeRoot{out}, action::ComputeRoot{f}, action::Tile{s, 0, {64}},
                      action::Vectorize{s, 0, 16}};
    Trace alone = tiled, around = tiled;
    alone.push_back(action::ComputeRoot{g});
    around.push_back(action::ComputeAt{g, {s, 0, 0}});
    EXPECT_EQ(said_of_f(graph, alone),
              (std::vector<std::string>{"f.s0 compute_root", "f.s0 split x x_t x_2 16 rounded up",
                                        "f.s0 split x_t x_0 x_1 4", "f.s0 vectorize x_2"}));
    EXPECT_EQ(
        said_of_f(graph, around),
        (std::vector<std::string>{"f.s0 compute_root", "f.s0 split x x_t x_2 16 rounded up",
                                  "f.s0 split x_t x_0 x_1 4 rounded up", "f.s0 vectorize x_2"}));
}

// The copies between the lanes are split off first, as Halide forgets the guard of a split whose inner part is split
// again. The Func is aligned.
TEST(Calls, WovenVectorsAreSplitIntoLanesAndCopies) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const FuncId f = make.func("f", {"x"});
    make.reads(out, f, {{0}});
    make.edit(f).may_overcompute = {true};
    const StageGraph graph = make.finish();
    const StageId s = graph.func(f).stages[0];
    EXPECT_EQ(said_of_f(graph, {action::ComputeRoot{out}, action::ComputeRoot{f},
                                action::Tile{s, 0, {48}}, action::Vectorize{s, 0, 24, 3}}),
              (std::vector<std::string>{
                  "f.s0 compute_root", "f.s0 align_bounds x 3", "f.s0 split x x_t x_w 3 rounded up",
                  "f.s0 split x_t x_t_2 x_2 8 rounded up", "f.s0 split x_t_2 x_0 x_1 2",
                  "f.s0 vectorize x_2", "f.s0 unroll x_w"}));
}

TEST(Calls, WovenVectorsOfAnOutputAreForLargeSizes) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const StageGraph graph = make.finish();
    const StageId s = graph.func(out).stages[0];
    EXPECT_EQ(
        written(graph, {action::ComputeRoot{out}, action::Vectorize{s, 0, 32, 2}}),
        (std::vector<std::string>{
            "large out.s0 specialize 0>=32", "large out.s0 split x x_0 x_r 32 shifted inwards",
            "large out.s0 split x_r x_1 x_w 2 rounded up", "large out.s0 vectorize x_1",
            "large out.s0 unroll x_w", "out.s0 split x x_0 x_1 32", "out.s0 vectorize x_1",
            "out.s0 never_partition"}));
}

TEST(Calls, LoopsAroundClampedVectorsAreNotPartitioned) {
    for (Clamp clamp : {Clamp::None, Clamp::Likely}) {
        const StageGraph graph = chain_graph(clamp);
        const FuncId out = graph.find("out"), f = graph.find("f"), g = graph.find("g");
        const StageId s = graph.func(f).stages[0];
        std::vector<std::string> said{"f.s0 compute_root", "f.s0 split x x_0 x_1 16 rounded up",
                                      "f.s0 vectorize x_1"};
        if (clamp == Clamp::Likely) said.push_back("f.s0 never_partition y");
        EXPECT_EQ(said_of_f(graph, {action::ComputeRoot{out}, action::ComputeRoot{f},
                                    action::Vectorize{s, 0, 16}, action::ComputeRoot{g}}),
                  said);
    }
}

// Found in interpolate: a loop over channels, four at a time, has one iteration at the estimates. Halide partitioned it
// all the same, and no loop over columns in its ends: all vectors were gathers.
TEST(Calls, LoopsOfOneIterationAroundClampedVectorsAreNotPartitioned) {
    const StageGraph graph = chain_graph(Clamp::Likely);
    const FuncId out = graph.find("out"), f = graph.find("f"), g = graph.find("g");
    const StageId s = graph.func(f).stages[0];
    const int64_t rows = graph.func(f).root_region[1].extent();
    const auto said = said_of_f(
        graph, {action::ComputeRoot{out}, action::ComputeRoot{f}, action::Tile{s, 1, {rows}},
                action::Vectorize{s, 0, 16}, action::ComputeRoot{g}});
    EXPECT_TRUE(std::ranges::count(said, "f.s0 never_partition y_0"))
        << ::testing::PrintToString(said);
}

// Where the clamp is in a Func that is inlined, and where the loop around is a reader's.
TEST(Calls, ClampsOfInlinedFuncsCountAndSoDoLoopsOfReaders) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId f = make.func("f", {"x", "y"}), border = make.func("border", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, f, {{0, -1, 1}, {1, -1, 1}});
    make.reads(f, border, {{0}, {1}});
    make.give_last_edge_an_access(Clamp::None);
    make.reads(border, in, {{0}, {1}});
    make.give_last_edge_an_access(Clamp::Likely);
    const StageGraph graph = make.finish();
    const StageId o = graph.func(out).stages[0], s = graph.func(f).stages[0];
    const std::vector<std::string> lines =
        written(graph, {action::ComputeRoot{out}, action::Tile{o, 1, {16}}, action::Parallel{o, 1},
                        action::ComputeAt{f, {o, 1, 0}}, action::Vectorize{s, 0, 16},
                        action::Inline{border}});
    EXPECT_TRUE(std::ranges::count(lines, "large out.s0 never_partition y_0"));
    EXPECT_TRUE(std::ranges::count(lines, "f.s0 never_partition y"));
    EXPECT_FALSE(std::ranges::count(lines, "large out.s0 never_partition y_1"));
}

// Found in a sum whose blocks are computed in tiles of a few vectors: Halide cut the loop over blocks, which has one
// iteration, and all vectors were gathers (12 times the run time of Adams2019's schedule).
TEST(Calls, TilesOfClampedVectorsAreCutByTheLoopThatMovesThem) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
    const FuncId f = make.func("f", {"x", "y"}), in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, f, {{0}, {1}});
    make.give_last_edge_an_access(Clamp::None);
    make.reads(f, in, {{0}, {1}});
    make.give_last_edge_an_access(Clamp::Likely);
    const StageGraph graph = make.finish();
    const StageId o = graph.func(out).stages[0], s = graph.func(f).stages[0];
    const std::vector<std::string> lines =
        written(graph, {action::ComputeRoot{out}, action::Tile{o, 0, {8}},
                        action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 0, 1}}},
                        action::ComputeAt{f, {o, 0, 0}}, action::Vectorize{s, 0, 8}});
    EXPECT_TRUE(std::ranges::count(lines, "large out.s0 never_partition y"));
    EXPECT_FALSE(std::ranges::count(lines, "large out.s0 never_partition x_0"));
    // With a loop of its own, that one is cut.
    const std::vector<std::string> longer =
        written(graph, {action::ComputeRoot{out}, action::Tile{o, 0, {32}},
                        action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 0, 1}}},
                        action::ComputeAt{f, {o, 0, 0}}, action::Vectorize{s, 0, 8}});
    EXPECT_TRUE(std::ranges::count(longer, "large out.s0 never_partition x_0"));
}

TEST(Calls, InlinedAndLockedFuncsAreLeftAlone) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const FuncId inlined = make.func("inlined", {"x"});
    const FuncId user = make.func("user", {"x"});
    make.reads(out, inlined, {{0}});
    make.reads(out, user, {{0}});
    make.edit(user).locked = make.edit(user).root_only = true;
    const StageGraph graph = make.finish();
    EXPECT_EQ(written(graph, {action::ComputeRoot{out}, action::Inline{inlined},
                              action::ComputeRoot{user}}),
              std::vector<std::string>{});
}

TEST(Calls, ASiteWhoseNameAnotherStageHasIsRenamed) {
    const StageGraph graph = matmul_graph();
    const FuncId product = graph.find("product"), scaled = graph.find("scaled");
    const StageId update = graph.func(product).stages[1];
    EXPECT_EQ(
        written(graph, {action::ComputeRoot{graph.find("out")}, action::ComputeRoot{product},
                        action::Reorder{update, {{update, 0, 0}, {update, 1, 0}, {update, 2, 0}}},
                        action::ComputeAt{scaled, {update, 1, 0}}}),
        (std::vector<std::string>{"product.s0 compute_root", "product.s1 reorder k y x",
                                  "product.s1 rename y y_s1",
                                  "scaled.s0 compute_at in product y_s1"}));
}

TEST(Calls, VariablesAreMadeBeforeTheyAreUsedAndOnce) {
    for (const StageGraph &graph :
         {blur_graph(), pyramid_graph(), matmul_graph(), histogram_graph()}) {
        for (uint64_t seed = 0; seed < 200; seed++) {
            // By stage, and whether it is the case of large outputs.
            std::map<std::pair<StageId, bool>, std::set<std::string>> known;
            for (const Stage &stage : graph.stages()) {
                for (const StageLoop &loop : stage.loops) {
                    for (bool large : {false, true}) known[{stage.id, large}].insert(loop.name);
                }
            }
            for (const ScheduleCall &call : schedule_calls(random_nest(graph, Random(seed)))) {
                std::set<std::string> &names =
                    known[{call.site.value_or(call.stage), call.specialized}];
                size_t uses = call.variables.size();
                if (call.method == Method::Split || call.method == Method::Rename) uses = 1;
                if (call.method == Method::Fuse) uses = 2;
                for (size_t i = 0; i < call.variables.size(); i++) {
                    const std::string &v = call.variables[i].name;
                    if (i < uses)
                        EXPECT_TRUE(names.count(v)) << v;
                    else
                        EXPECT_TRUE(names.insert(v).second) << v;
                }
            }
        }
    }
}

}  // namespace
}  // namespace cryolite::testing
