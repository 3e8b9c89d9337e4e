// Traces, their text and hashes on random schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "graph_fixtures.h"
#include "random_trace.h"
#include "schedule/trace_text.h"

namespace cryolite::testing {
namespace {

std::vector<StageGraph> graphs() {
    return {blur_graph(),      blur_graph(7, 5), pyramid_graph(),  pyramid_graph(33),
            transpose_graph(), matmul_graph(),   histogram_graph()};
}

TEST(Trace, ReplayingTheCanonicalTraceGivesTheSameNest) {
    for (const StageGraph &graph : graphs()) {
        for (uint64_t seed = 0; seed < 300; seed++) {
            const LoopNest nest = random_nest(graph, Random(seed));
            ASSERT_TRUE(nest.complete());
            ASSERT_EQ(validate(nest), "") << to_tree_text(nest);
            const Trace trace = trace_of(nest);
            const std::string text = to_text(graph, trace);
            const Result<LoopNest, ReplayFailure> again = replay(graph, trace);
            ASSERT_TRUE(again.ok()) << text << "action " << again.error().failed_at << ": "
                                    << name(again.error().reason);
            ASSERT_EQ(again->hash(), nest.hash()) << text;
            ASSERT_EQ(trace_of(*again), trace) << text;
            ASSERT_EQ(to_tree_text(*again), to_tree_text(nest));
            const Result<Trace> parsed = parse_trace(graph, text);
            ASSERT_TRUE(parsed.ok()) << parsed.error().message;
            ASSERT_EQ(*parsed, trace);
        }
    }
}

// Found by random traces: the split was taken for one that Vectorize makes.
TEST(Trace, AReductionThatIsOneVectorKeepsItsSplit) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    StageLoop r = GraphMaker::reduction("r", 4, false);
    r.parallelizable = r.vectorizable = true;
    const StageId sum = make.stage(out, {r, GraphMaker::pure("x", 0)});
    const StageGraph graph = make.finish();
    const Trace trace{action::ComputeRoot{out}, action::Tile{sum, 0, {4}},
                      action::Vectorize{sum, 0, 4}};
    const auto nest = replay(graph, trace);
    ASSERT_TRUE(nest.ok());
    EXPECT_EQ(nest->stage_nest(sum).loops.size(), 3u);
    const auto again = replay(graph, trace_of(*nest));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->hash(), nest->hash());
}

TEST(Trace, WovenVectorsAreWrittenAndRead) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 99}});
    const StageGraph graph = make.finish();
    const StageId s = graph.func(out).stages[0];
    const auto nest =
        replay(graph, Trace{action::ComputeRoot{out}, action::Vectorize{s, 0, 24, 3}});
    const auto plain = replay(graph, Trace{action::ComputeRoot{out}, action::Vectorize{s, 0, 24}});
    ASSERT_TRUE(nest.ok() && plain.ok());
    EXPECT_NE(nest->hash(), plain->hash());
    const std::string text = to_text(graph, trace_of(*nest));
    EXPECT_NE(text.find("vectorize out.s0 x 24 3\n"), std::string::npos) << text;
    const auto parsed = parse_trace(graph, text);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, trace_of(*nest));
}

TEST(Trace, HashesDifferWhereTextsDo) {
    const StageGraph graph = pyramid_graph();
    std::set<uint64_t> hashes;
    std::set<std::string> texts;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        const LoopNest nest = random_nest(graph, Random(seed));
        hashes.insert(nest.hash());
        texts.insert(to_text(graph, trace_of(nest)));
    }
    EXPECT_EQ(hashes.size(), texts.size());
    EXPECT_GT(hashes.size(), 1500u);
}

TEST(Trace, TheOrderOfDecisionsDoesNotMatter) {
    const StageGraph graph = pyramid_graph();
    const FuncId out = graph.find("out"), up = graph.find("up"), coarse = graph.find("coarse"),
                 fine = graph.find("fine");
    const StageId c = graph.func(coarse).stages[0];
    const Trace one{action::ComputeRoot{out},    action::ComputeRoot{up},
                    action::ComputeRoot{coarse}, action::Tile{c, 0, {16}},
                    action::Vectorize{c, 0, 8},  action::Parallel{c, 1},
                    action::Inline{fine}};
    const Trace other{action::ComputeRoot{out},    action::ComputeRoot{up},
                      action::ComputeRoot{coarse}, action::Inline{fine},
                      action::Parallel{c, 1},      action::Tile{c, 0, {16, 8}},
                      action::Vectorize{c, 0, 8}};
    EXPECT_EQ(replay(graph, one)->hash(), replay(graph, other)->hash());
    EXPECT_EQ(trace_of(*replay(graph, one)), trace_of(*replay(graph, other)));
}

TEST(Trace, KeepsTheOrderOfStorageAndNotItsOwn) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const Trace plain{action::ComputeRoot{out},
                      action::ComputeAt{blur_x, {graph.func(out).stages[0], 1, 0}}};
    Trace turned = plain, back;
    turned.push_back(action::ReorderStorage{blur_x, {1, 0}});
    back = turned;
    back.push_back(action::ReorderStorage{blur_x, {0, 1}});
    EXPECT_EQ(trace_of(*replay(graph, turned)), turned);
    EXPECT_EQ(replay(graph, turned)->storage_order(blur_x), (std::vector<int>{1, 0}));
    EXPECT_EQ(replay(graph, turned)->storage_order(graph.find("in")), (std::vector<int>{0, 1}));
    EXPECT_NE(replay(graph, turned)->hash(), replay(graph, plain)->hash());
    EXPECT_EQ(replay(graph, back)->hash(), replay(graph, plain)->hash());
    EXPECT_EQ(trace_of(*replay(graph, back)), plain);
}

TEST(Trace, ChildrenShareWhatTheyDidNotChange) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const LoopNest one = *replay(graph, Trace{action::ComputeRoot{out}});
    const LoopNest two = *cryolite::apply(one, action::ComputeRoot{blur_x});
    EXPECT_EQ(one.share(out), two.share(out));
    EXPECT_FALSE(one.decided(blur_x));
}

TEST(Trace, EveryKindOfActionHasItsOwnHash) {
    const StageId s(0);
    const FuncId f(0);
    const Trace trace{action::Inline{f},
                      action::ComputeRoot{f},
                      action::ComputeAt{f, {s, 0, 0}},
                      action::ComputeWith{f, {s, 0, 0}},
                      action::StoreAt{f, LoopName{s, 0, 0}},
                      action::StoreAt{f, std::nullopt},
                      action::Tile{s, 0, {8}},
                      action::Tile{s, 0, {8, 4}},
                      action::Reorder{s, {}},
                      action::Vectorize{s, 0, 8},
                      action::Vectorize{s, 0, 8, 2},
                      action::Unroll{{s, 0, 0}},
                      action::Join{{s, 0, 0}},
                      action::Parallel{s, 1},
                      action::Parallel{s, 1, 1},
                      action::ReorderStorage{f, {0, 1}},
                      action::ReorderStorage{f, {1, 0}},
                      action::MapToBlocks{s, {{s, 0, 0}}},
                      action::MapToBlocks{s, {{s, 1, 0}}},
                      action::MapToThreads{s, {{s, 0, 0}}},
                      action::TensorTile{s, s, {}},
                      action::TensorTile{s, s, {64, 64, 2, 2, 64, 2}}};
    std::set<uint64_t> hashes;
    std::set<size_t> kinds;
    for (const Action &action : trace) {
        hashes.insert(hash(action));
        kinds.insert(action.index());
    }
    EXPECT_EQ(kinds.size(), std::variant_size_v<Action>);
    EXPECT_EQ(hashes.size(), trace.size());
}

std::string error_of(const StageGraph &graph, const std::string &rest) {
    const Result<Trace> parsed = parse_trace(graph, rest);
    return parsed.ok() ? "" : parsed.error().message;
}

TEST(TraceText, ErrorsNameTheLine) {
    const StageGraph graph = blur_graph();
    const std::string head = "cryolite-trace 1\nalgorithm 0123456789abcdef\n";
    EXPECT_EQ(error_of(graph, head + "\n# a remark\ncompute_root out\n"), "");
    EXPECT_EQ(error_of(graph, ""), "the trace ends before its algorithm line");
    EXPECT_EQ(error_of(graph, "trace\n"), "line 1: expected 'cryolite-trace 1'");
    EXPECT_EQ(error_of(graph, "cryolite-trace 1\nalgorithm 0000000000000000\n"),
              "line 2: the trace is of another algorithm: expected 0123456789abcdef, found "
              "0000000000000000");
    EXPECT_EQ(error_of(graph, head + "compute_root nobody\n"),
              "line 3: the pipeline has no Func of that name: 'nobody'");
    EXPECT_EQ(error_of(graph, head + "tile out.s0 z 8\n"),
              "line 3: the stage has no loop of that name: 'z'");
    EXPECT_EQ(error_of(graph, head + "tile out.s1 x 8\n"), "line 3: out has no stage 1");
    EXPECT_EQ(error_of(graph, head + "tile out.s0 x\n"),
              "line 3: expected a number, and the line ends");
    EXPECT_EQ(error_of(graph, head + "tile out.s0 x 8a\n"), "line 3: expected a number in '8a'");
    EXPECT_EQ(error_of(graph, head + "reorder_storage out y z\n"),
              "line 3: the Func has no dimension of that name: 'z'");
    EXPECT_EQ(error_of(graph, head + "melt out\n"), "line 3: no such action: 'melt'");
    EXPECT_EQ(error_of(graph, head + "inline out now\n"), "line 3: more than expected: 'now'");
}

// An RDom without a name is r12 in one process and r99 in another.
TEST(TraceText, FindsLoopsOfRDomsThatHalideHasNumbered) {
    testing::GraphMaker make;
    const FuncId out = make.func("out", {"x"}, FuncRole::Output, Box{{0, 63}});
    const StageId update = make.stage(out, {testing::GraphMaker::reduction("r12$x", 8, false),
                                            testing::GraphMaker::reduction("r12$y", 8, false),
                                            testing::GraphMaker::pure("x", 0)});
    const StageGraph graph = make.finish();
    const std::string head = "cryolite-trace 1\nalgorithm 0123456789abcdef\n";
    const auto read = parse_trace(graph, head + "tile out.s1 r99$y 4\n");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, (Trace{action::Tile{update, 1, {4}}}));
    EXPECT_NE(error_of(graph, head + "tile out.s1 r99$z 4\n"), "");
    EXPECT_NE(error_of(graph, head + "tile out.s1 rows$y 4\n"), "");
}

TEST(TraceText, BeginsWithTheReductionsThatWereDivided) {
    StageGraph graph = histogram_graph();
    const std::vector<DividedReduction> divisions{
        {"hist", 1, "r$y", DividedReduction::Kind::Blocks, 128},
        {"hist_blocks", 1, "r$x", DividedReduction::Kind::Lanes, 32},
        {"hist", 1, "", DividedReduction::Kind::Copy, 0}};
    const std::string whole = to_text(graph, {});
    graph.set_divisions(graph.algorithm_hash(), divisions);
    const std::string text = to_text(graph, {});
    EXPECT_NE(text.find("\ndivide hist.s1 r$y blocks 128\ndivide hist_blocks.s1 r$x lanes 32\n"
                        "copy hist\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(*divisions_in(text), divisions);
    EXPECT_TRUE(divisions_in(whole)->empty());
    EXPECT_EQ(error_of(graph, text), "");
    EXPECT_EQ(error_of(graph, whole), "the trace divides other reductions than was done here");
    EXPECT_EQ(error_of(histogram_graph(), text),
              "the trace divides other reductions than was done here");
    const std::string head = "cryolite-trace 1\nalgorithm 0123456789abcdef\ndivide ";
    const auto refused = [&](const std::string &rest) {
        return divisions_in(head + rest).error().message;
    };
    EXPECT_EQ(refused("hist r$y blocks 8"),
              "line 3: expected an update such as out.s1, not 'hist'");
    EXPECT_EQ(refused("hist.s1 r$y rows 8"), "line 3: expected lanes or blocks, not 'rows'");
    EXPECT_EQ(refused("hist.s1 r$y lanes 0"), "line 3: out of range: 0");
    EXPECT_EQ(refused("hist.s1 r$y lanes"), "line 3: expected a number, and the line ends");
}

TEST(TreeText, ShowsWhereFuncsAreComputedAndStored) {
    const StageGraph graph = blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    const StageId s = graph.func(out).stages[0];
    const LoopNest nest = *replay(graph, Trace{action::ComputeRoot{out}, action::Tile{s, 1, {32}},
                                               action::Vectorize{s, 0, 16}, action::Parallel{s, 1},
                                               action::ComputeAt{blur_x, {s, 1, 1}},
                                               action::StoreAt{blur_x, LoopName{s, 1, 0}}});
    EXPECT_EQ(to_tree_text(nest),
              "compute out 640x480\n"
              "  parallel y.0 in 15\n"
              "    store blur_x 640x34\n"
              "    for y.1 in 32\n"
              "      compute blur_x 640x3, sliding along y by 1\n"
              "        for y.0 in 1\n"
              "          for x.0 in 640\n"
              "            blur_x\n"
              "      for x.0 in 40\n"
              "        vectorized x.1 in 16\n"
              "          out\n");
}

}  // namespace
}  // namespace cryolite::testing
