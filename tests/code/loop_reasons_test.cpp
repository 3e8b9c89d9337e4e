// Every reason for which a stage's loops may not be changed, provoked.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "refusals.h"
#include "schedule/func_nest.h"

namespace cryolite::testing {
namespace {

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
    EXPECT_EQ(refusal(b.graph, {b.root}, action::Vectorize{b.s, 0, 24, 3}), "accepted");
    for (const int32_t no_part : {-1, 0, 5, 24})
        EXPECT_EQ(refusal(b.graph, {b.root}, action::Vectorize{b.s, 0, 24, no_part}),
                  "not_vectorizable");
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

// Found by random traces (seeds 146, 190, 260, 1020): Halide's simplifier did not come to an end.
TEST(Reasons, PartsOfADimensionAreFusedWithNoThirdLoop) {
    const Blur b;
    const Trace split{b.root, action::Tile{b.s, 0, {16}},
                      action::Reorder{b.s, {b.y, {b.s, 0, 0}, {b.s, 0, 1}}}};
    EXPECT_EQ(refusal(b.graph, split, action::Parallel{b.s, 2}), "accepted");
    EXPECT_EQ(refusal(b.graph, split, action::Parallel{b.s, 3}), "not_parallelizable");
}

// Found by random traces (seed 160): an input was read where the predicate excludes it.
TEST(Reasons, UnderAPredicateInputsAreCopiedAroundItsLoopsOrNotAtAll) {
    for (const bool plain : {true, false}) {
        GraphMaker make;
        const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 99}, {0, 99}});
        const FuncId sums = make.func("sums", {"x", "y"});
        const FuncId copy = make.func("copy", {"x", "y"});
        make.reads(out, sums, {{0}, {0}});
        make.reads(sums, copy, {{0}, {0}});
        make.edit(copy).may_overcompute = {false, false};
        Stage &stage = make.edit(make.edit(sums).stages[0]);
        stage.has_predicate = stage.predicate_narrows = true;
        stage.predicate_is_plain = plain;
        const StageGraph graph = make.finish();
        const StageId s = graph.func(out).stages[0], t = graph.func(sums).stages[0];
        const Trace placed{action::ComputeRoot{out}, action::ComputeAt{sums, {s, 1, 0}}};
        EXPECT_EQ(refusal(graph, placed, action::ComputeAt{copy, {t, 1, 0}}), "predicate_lost");
        EXPECT_EQ(refusal(graph, placed, action::ComputeAt{copy, {s, 1, 0}}),
                  plain ? "accepted" : "predicate_lost");
        EXPECT_EQ(refusal(graph, placed, action::Inline{copy}), "accepted");
        EXPECT_EQ(refusal(graph, placed, action::ComputeRoot{copy}), "accepted");
    }
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
    EXPECT_TRUE(legal_sites(*replay(graph, Trace{action::ComputeRoot{out}}), f).empty());
}

}  // namespace
}  // namespace cryolite::testing
