// Which updates go on from earlier steps, and how long a step waits for the one before.
#include "graph/facts/recurrences.h"

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

struct Recurrences : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    RDom r{2, 600, "r"};
    Halide::Func out{"out"};

    Stage update() {
        estimate(input, {640, 480});
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        return built.graph.stage(func(built, out).stages[1]);
    }
    // Of an update of one dimension of `out` by `value`, which may read it.
    Stage along_row(const Expr &value) {
        out(r, y) = value;
        return update();
    }
    void SetUp() override { out(x, y) = input(x, y); }
};

TEST_F(Recurrences, HaveADistance) {
    const Stage stage = along_row(out(r - 2, y) + 1.0f);
    ASSERT_TRUE(stage.recurrence);
    EXPECT_TRUE(stage.loops[stage.recurrence->loop].is_reduction);
    EXPECT_EQ(stage.recurrence->steps, 2);
}

TEST_F(Recurrences, GoOnFromTheNearestStep) {
    EXPECT_EQ(along_row(out(r - 1, y) + out(r - 2, y)).recurrence->steps, 1);
}

// A row that is made from the row before waits for no neighbour in its own row.
TEST_F(Recurrences, GoOnAlongTheOutermostLoopThatMoves) {
    const RDom rows{1, 600, 1, 400, "rows"};
    out(rows.x, rows.y) += out(rows.x - 1, rows.y - 1);
    const Stage stage = update();
    ASSERT_TRUE(stage.recurrence);
    EXPECT_EQ(stage.loops[stage.recurrence->loop].name, rows.y.name());
    EXPECT_EQ(stage.recurrence->steps, 1);
}

TEST_F(Recurrences, GoOnFromOneAntidiagonalToTheNext) {
    const RDom waves{1, 300, 301, 400, "waves"};
    out(waves.x, waves.y - waves.x) += out(waves.x - 1, waves.y - waves.x);
    const Stage stage = update();
    ASSERT_TRUE(stage.recurrence);
    EXPECT_EQ(stage.loops[stage.recurrence->loop].name, waves.y.name());
}

TEST_F(Recurrences, MayWalkBackwards) {
    const Expr back = 600 - r;
    out(x, back) = out(x, back + 1) * 0.5f;
    const Stage stage = update();
    ASSERT_TRUE(stage.recurrence);
    EXPECT_EQ(stage.recurrence->steps, 1);
}

TEST_F(Recurrences, DoNotReadWhatALaterStepStores) {
    EXPECT_FALSE(along_row(out(r + 1, y) + 1.0f).recurrence);
}

TEST_F(Recurrences, WaitForTheOperationsFromOneValueToTheNext) {
    // One addition, however long it takes to make what is added.
    EXPECT_EQ(along_row(out(r - 1, y) + sqrt(input(r, y))).recurrence_chain, 3);
}

TEST_F(Recurrences, MultiplyAndAddInOneInstruction) {
    EXPECT_EQ(along_row(input(r, y) + 0.5f * out(r - 1, y)).recurrence_chain, 4);
}

TEST_F(Recurrences, CountOneSumAfterTheOther) {
    EXPECT_EQ(along_row(out(r, y) + (1.6f * out(r - 1, y) - 0.7f * out(r - 2, y))).recurrence_chain,
              4 + 3);
}

TEST_F(Recurrences, CarryNothingWhereEachStepIsAloneWithItsPoint) {
    const Stage stage = along_row(out(r, y) * 2.0f + input(r, y));
    EXPECT_FALSE(stage.recurrence);
    EXPECT_EQ(stage.recurrence_chain, 0);
}

TEST_F(Recurrences, IterateMapsInPlace) {
    out(x, y) = out(x, y) * out(x, y) + input(x, y) + 0.0f * r;
    EXPECT_GE(update().recurrence_chain, 4);
}

// Of (a, b) -> (b, sqrt(a)) a value takes one square root in two steps.
TEST_F(Recurrences, TakeTheMeanOverARoundOfATuple) {
    Halide::Func pair("pair");
    pair(x, y) = Tuple(input(x, y), input(x, y));
    pair(r, y) = Tuple(pair(r - 1, y)[1], sqrt(pair(r - 1, y)[0]));
    out(x, y) = pair(x, y)[0];
    estimate(input, {640, 480});
    estimate(out, {640, 480});
    const BuiltGraph built = build({out});
    const Stage &stage = built.graph.stage(func(built, pair).stages[1]);
    ASSERT_TRUE(stage.recurrence);
    EXPECT_EQ(stage.recurrence_chain, 9);
}

}  // namespace
}  // namespace cryolite
