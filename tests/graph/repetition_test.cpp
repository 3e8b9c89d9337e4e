// What repeats along the dimensions of Funcs.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// A mosaic whose rows are made by two formulas, read by a chain of others.
struct Repetitions : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam in{Int(32), 2, "in"};
    Halide::Func mosaic{"mosaic"}, between{"between"}, out{"out"};

    // Of the rows of each, where `read` of the mosaic is stored, and the output takes that.
    void rows(const Expr &choice, const std::function<Expr(Halide::Func)> &read) {
        mosaic(x, y) = select(choice, in(x, y) * 3, in(x + 1, y) + in(x - 1, y));
        between(x, y) = read(mosaic) + read(mosaic) * read(mosaic);
        out(x, y) = between(x, y) + between(x + 1, y);
        estimate(out, {64, 64});
        const BuiltGraph built = build({out});
        of_mosaic = func(built, mosaic).repetition[1];
        of_between = func(built, between).repetition[1];
        of_out = func(built, out).repetition[1];
    }
    Repetition of_mosaic, of_between, of_out;
};

TEST_F(Repetitions, OfChoicesReachAllReaders) {
    rows(y % 2 == 0, [&](Halide::Func f) { return f(x, y); });
    EXPECT_EQ(of_mosaic.choices, 2);
    EXPECT_EQ(of_out.choices_far, 2);
    EXPECT_EQ(of_between.choices_far, 2);
}

TEST_F(Repetitions, GrowAndShrinkWithTheStepsOfReads) {
    rows(y % 2 == 0, [&](Halide::Func f) { return f(x, y / 2); });
    EXPECT_EQ(of_between.choices_far, 4);
    EXPECT_EQ(of_out.choices_far, 4);
}

TEST_F(Repetitions, AreGoneWhereEachReadMeetsTheSameWay) {
    rows(y % 2 == 0, [&](Halide::Func f) { return f(x, y * 2); });
    EXPECT_EQ(of_mosaic.choices, 2);
    EXPECT_EQ(of_between.choices_far, 1);
}

TEST_F(Repetitions, OfChoicesAreShort) {
    rows(y % 8 == 0, [&](Halide::Func f) { return f(x, y); });
    EXPECT_EQ(of_mosaic.period, 8);
    EXPECT_EQ(of_mosaic.choices, 1);
    EXPECT_EQ(of_out.choices_far, 1);
}

// Of a row Y U Y V, which two points share.
TEST_F(Repetitions, OfLoadsThatStandStillPayWhereTheyLieApart) {
    mosaic(x, y) = in(4 * (x / 2) + 1, y);
    out(x, y) = mosaic(x, y) + mosaic(x + 1, y);
    estimate(out, {64, 64});
    const Repetition repeats = func(build({out}), mosaic).repetition[0];
    EXPECT_EQ(repeats.period, 2);
    EXPECT_TRUE(repeats.pays_to_weave);
}

TEST_F(Repetitions, OfLoadsAloneAreNoChoices) {
    mosaic(x, y) = in(x, y / 2);
    out(x, y) = mosaic(x, y) + mosaic(x + 1, y);
    estimate(out, {64, 64});
    const BuiltGraph built = build({out});
    const Repetition of_loads = func(built, mosaic).repetition[1];
    EXPECT_EQ(of_loads.period, 2);
    EXPECT_EQ(of_loads.choices, 1);
    EXPECT_FALSE(of_loads.pays_to_weave);
}

}  // namespace
}  // namespace cryolite
