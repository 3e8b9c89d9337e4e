// Loops over which a stage's expressions repeat.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::stage;

struct Periods : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam in{Int(32), 2, "in"};
    Halide::Func out{"out"};

    // Of the loop over x.
    int64_t period_of(const Expr &value) {
        Halide::Func f("f");
        f(x, y) = value;
        estimate(f, {640, 480});
        return stage(build({f}), f).loops[0].period;
    }
};

TEST_F(Periods, FollowDivisors) {
    EXPECT_EQ(period_of(x + y), 1);
    EXPECT_EQ(period_of(in(x % 64, y)), 64);
    EXPECT_EQ(period_of(in(x / 2, y)), 2);
    EXPECT_EQ(period_of(in((x + 3) / 4, y)), 4);
    EXPECT_EQ(period_of(in(2 * x / 4, y)), 2);
    EXPECT_EQ(period_of(in(x * 5 / 8, y)), 8);
    EXPECT_EQ(period_of(in(x / 6, y) + in(x % 4, y)), 12);
    EXPECT_EQ(period_of(in(x & 7, y)), 8);
    EXPECT_EQ(period_of(in(x >> 3, y)), 8);
    EXPECT_EQ(period_of(select((x + y) % 2 == 0, 1, 2)), 2);
}

TEST_F(Periods, OfValuesTakeVectorsApart) {
    const auto parts_of = [&](const Expr &value) {
        Halide::Func f("f");
        f(x, y) = value;
        estimate(f, {640, 480});
        return stage(build({f}), f).loops[0].parts;
    };
    EXPECT_EQ(parts_of(in(x, y)), 1);
    EXPECT_EQ(parts_of(in(x % 2, y)), 1);  // an index
    EXPECT_EQ(parts_of(select(x % 2 == 0, in(x, y), 7)), 2);
    EXPECT_EQ(parts_of(select((x + y) % 2 == 0, in(x, y), 7)), 2);
    EXPECT_EQ(parts_of(in(x, y) + x / 4), 4);
    EXPECT_EQ(parts_of(in(x, y) + x % 8), 1);
    EXPECT_EQ(parts_of(in(x, y) * ((x & 63) + (x & 1))), 2);
    EXPECT_EQ(parts_of(in(x, y) + y % 2), 1);
    EXPECT_EQ(parts_of(in(x, y) % 2), 1);
}

TEST_F(Periods, SeeThroughBoundaryConditions) {
    EXPECT_EQ(period_of(in(clamp(x, 0, 639) / 2, y)), 2);
}

TEST_F(Periods, AreOfLoopsAlone) {
    Param<int> first{"first"};
    first.set_estimate(0);
    EXPECT_EQ(period_of(in((x + first) % 64, y)), 1);  // wherever x begins, nothing is known
    EXPECT_EQ(period_of(in(in(x, y) % 64, y)), 1);
    EXPECT_EQ(period_of(in(y % 64, y)), 1);
    EXPECT_EQ(period_of(cast<int>(in(x, y)) / 2), 1);
}

// Per place of the period: the copies know no more than that.
TEST_F(Periods, DecideWhatCopiesCompute) {
    const auto kept = [&](const Expr &condition) {
        Halide::Func f("f");
        f(x, y) = select(condition, cast<int>(sqrt(cast<float>(in(x, y)))), 7);
        estimate(f, {640, 480});
        const BuiltGraph built = build({f});
        for (const OperationGroup &g : stage(built, f).operation_groups)
            for (const OperationCount &o : g.operations)
                if (o.kind == OpKind::SquareRoot) return g.kept_share.empty() ? 1 : g.kept_share[0];
        return 0.0f;
    };
    EXPECT_FLOAT_EQ(kept(x % 2 == 0), 0.5f);
    EXPECT_FLOAT_EQ(kept((x + 1) % 4 < 3), 0.75f);
    EXPECT_FLOAT_EQ(kept((x & 7) == 3), 0.125f);
    EXPECT_FLOAT_EQ(kept(x % 2 == 0 && y > 3), 0.5f);
    EXPECT_FLOAT_EQ(kept(x % 2 == 0 && x > 3), 0.5f);
    EXPECT_FLOAT_EQ(kept(x > 3), 1);
    EXPECT_FLOAT_EQ(kept(x / 2 < 100 && y % 2 == 0), 1);
    EXPECT_FLOAT_EQ(kept((x / 2) % 2 == 0), 1);
}

TEST_F(Periods, OfSumsThatShareTheirPartsAreFoundAtOnce) {
    Expr sum = x + y;
    for (int k = 0; k < 20; k++) sum = sum + sum;  // a million ways down to x
    EXPECT_EQ(period_of(sum / (1 << 21)), 2);
    for (int k = 0; k < 60; k++) sum = min(sum + sum, sum);
    EXPECT_EQ(period_of(sum / 2), 1);
}

TEST_F(Periods, OfHashesAreUnknown) {
    Expr hash = x;
    for (int k = 0; k < 4; k++) hash = hash * 1103515245 + 12345;
    EXPECT_EQ(period_of(in(hash % 64, y)), 1);
}

TEST_F(Periods, AreNotLongerThanPictures) { EXPECT_EQ(period_of(in(x % 1'000'003, y)), 1); }

TEST_F(Periods, OfReductionsCountTheirPureLoops) {
    RDom r(0, 4, "r");
    out(x, y) = 0;
    out(x, y) += in((4 * x + r) / 8, y);
    estimate(out, {640, 480});
    const Stage update = stage(build({out}), out, 1);
    for (const StageLoop &loop : update.loops)
        EXPECT_EQ(loop.period, loop.name == "x" ? 2 : loop.is_reduction ? 8 : 1) << loop.name;
}

}  // namespace
}  // namespace cryolite
