// Access maps must be exact: inlining composes them, and strides decide how loads are costed.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::edge;
using test::estimate;
using test::stage;

const Rational kOne{1, 1}, kZero{0, 1};

struct Accesses : testing::Test {
    Var x{"x"}, y{"y"};
    Halide::Func in{"in"}, out{"out"};

    void SetUp() override { in(x, y) = cast<float>(x + y); }

    // The only access of `out(x, y) = in(column, row)`.
    Access only(Expr column, Expr row) {
        out = Halide::Func("out");
        out(x, y) = in(column, row);
        estimate(out, {64, 32});
        const BuiltGraph built = build({out});
        const std::vector<Access> &accesses = edge(built, stage(built, out), in.name()).accesses;
        EXPECT_EQ(accesses.size(), 1u);
        return accesses.at(0);
    }
};

void expect_affine(const IndexMap &map, std::vector<Rational> coefficient, Rational offset) {
    EXPECT_TRUE(map.affine);
    EXPECT_FALSE(map.data_dependent);
    EXPECT_EQ(map.coefficient, coefficient);
    EXPECT_EQ(map.offset, offset);
}

TEST_F(Accesses, AShiftIsAnOffset) {
    const Access a = only(x - 1, y + 3);
    expect_affine(a.index[0], {kOne, kZero}, {-1, 1});
    expect_affine(a.index[1], {kZero, kOne}, {3, 1});
    EXPECT_EQ(a.index[0].depends_on, (std::vector<bool>{true, false}));
}

// Two loads are at one place by the estimates alone: the storage of a Func was bounded to one point.
TEST_F(Accesses, LoadsThatAParameterMayMoveApartAreNotExact) {
    Param<int> shift("shift");
    shift.set_estimate(0);
    out(x, y) = in(x, y) + in(x + shift, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    for (const Access &a : edge(built, stage(built, out), in.name()).accesses)
        EXPECT_FALSE(a.index[0].exact);
}

TEST_F(Accesses, DownsamplingHasAnIntegerStride) {
    expect_affine(only(2 * x + 1, y).index[0], {{2, 1}, kZero}, {1, 1});
}

TEST_F(Accesses, UpsamplingHasAFraction) {
    const Access a = only(x / 2, (y + 1) / 4);
    expect_affine(a.index[0], {{1, 2}, kZero}, kZero);
    expect_affine(a.index[1], {kZero, {1, 4}}, {1, 4});
}

TEST_F(Accesses, ShiftsAreMultiplicationsAndDivisions) {
    const Access a = only(x >> 1, (y << 2) - 1);
    expect_affine(a.index[0], {{1, 2}, kZero}, kZero);
    expect_affine(a.index[1], {kZero, {4, 1}}, {-1, 1});
}

TEST_F(Accesses, TransposesAndMirrorsAndMixes) {
    const Access a = only(10 - y, x + 2 * y);
    expect_affine(a.index[0], {kZero, {-1, 1}}, {10, 1});
    expect_affine(a.index[1], {kOne, {2, 1}}, kZero);
}

TEST_F(Accesses, ClampsLikelyAndCastsAreLookedThrough) {
    const Access a = only(clamp(likely(x) - 1, 0, 63), cast<int>(cast<int16_t>(y)));
    expect_affine(a.index[0], {kOne, kZero}, {-1, 1});
    expect_affine(a.index[1], {kZero, kOne}, kZero);
}

// Halide partitions loops around the user's own clamps as around those of boundary conditions.
TEST_F(Accesses, ClampsAreKnown) {
    EXPECT_EQ(only(x - 1, y).index[0].clamp, Clamp::None);
    EXPECT_EQ(only(clamp(x - 1, 0, 63), y).index[0].clamp, Clamp::ByHand);
    EXPECT_EQ(only(clamp(likely(x - 1), 0, 63), y).index[0].clamp, Clamp::Likely);
    EXPECT_EQ(only(x, clamp(likely(y), 0, 31)).index[0].clamp, Clamp::None);
    EXPECT_EQ(only(clamp(7, x, 63), y).index[0].clamp, Clamp::ByHand);
}

TEST_F(Accesses, RoundedAndEstimatedMapsAreNotExact) {
    EXPECT_TRUE(only(2 * x + 1, y - 3).index[0].exact);
    EXPECT_FALSE(only(x / 2, y).index[0].exact);
    EXPECT_FALSE(only((x / 2) * 2, y).index[0].exact);
    EXPECT_FALSE(only(x >> 1, y).index[0].exact);
    EXPECT_FALSE(only(cast<int>(cast<uint8_t>(x)), y).index[0].exact);
    Param<int> shift("shift");
    shift.set_estimate(3);
    EXPECT_FALSE(only(x + shift, y).index[0].exact);
}

// Found in a batch of small products that clamps the number of its matrix: all maps of the stage counted as estimated,
// so its sums had no constant sides and stayed in memory.
TEST_F(Accesses, AParameterLeavesTheMapsAroundItExact) {
    Param<int> shift("shift");
    shift.set_estimate(3);
    const Access a = only(x + shift, y - 1);
    EXPECT_FALSE(a.index[0].exact);
    EXPECT_TRUE(a.index[1].exact);

    out = Halide::Func("out");
    out(x, y) = in(x, y) + in(shift + x, 2 * y) * shift;
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    for (const Access &access : edge(built, stage(built, out), in.name()).accesses) {
        EXPECT_EQ(access.index[0].exact, access.index[0].offset.is_zero());
        EXPECT_TRUE(access.index[1].exact);
    }
    for (const Access &store : stage(built, out).stores)
        for (const IndexMap &index : store.index) EXPECT_TRUE(index.exact);
}

TEST_F(Accesses, AParameterOfALetOrInATableIsSeen) {
    Param<int> shift("shift");
    shift.set_estimate(3);
    const Expr moved = x + shift;
    EXPECT_FALSE(only(moved * moved - moved * moved + moved, y).index[0].exact);
    ImageParam table(Int(32), 1, "table");
    table.set_estimates({{0, 64}});
    const Access a = only(clamp(table(clamp(y + shift, 0, 63)), 0, 63), x);
    EXPECT_FALSE(a.index[0].exact);
    EXPECT_TRUE(a.index[1].exact);
}

TEST_F(Accesses, ARemainderIsNotAffineButItsLoopIsKnown) {
    const Access a = only(x % 8, y);
    EXPECT_FALSE(a.index[0].affine);
    EXPECT_FALSE(a.index[0].data_dependent);
    EXPECT_EQ(a.index[0].depends_on, (std::vector<bool>{true, false}));
    EXPECT_TRUE(a.index[0].coefficient.empty());
}

TEST_F(Accesses, AProductOfLoopsIsNotAffine) { EXPECT_FALSE(only(x * y, y).index[0].affine); }

TEST_F(Accesses, AGatherDependsOnTheLoopsOfItsIndex) {
    ImageParam table(UInt(8), 1, "table");
    const Access a = only(cast<int>(table(y)), x);
    EXPECT_FALSE(a.index[0].affine);
    EXPECT_TRUE(a.index[0].data_dependent);
    EXPECT_EQ(a.index[0].depends_on, (std::vector<bool>{false, true}));
    expect_affine(a.index[1], {kOne, kZero}, kZero);
}

TEST_F(Accesses, AParameterWithAnEstimateIsItsValue) {
    Param<int> stride("stride"), shift("shift");
    stride.set_estimate(3);
    shift.set_estimate(5);
    const Access a = only(x * stride, y + shift);
    expect_affine(a.index[0], {{3, 1}, kZero}, kZero);
    expect_affine(a.index[1], {kZero, kOne}, {5, 1});
}

TEST_F(Accesses, BoundaryConditionsAreWhatTheyAreInTheMiddle) {
    for (int kind = 0; kind < 5; kind++) {
        ImageParam image(Float(32), 2, "image");
        estimate(image, {64, 32});
        const Halide::Func padded = kind == 0   ? BoundaryConditions::repeat_edge(image)
                                    : kind == 1 ? BoundaryConditions::constant_exterior(image, 0.0f)
                                    : kind == 2 ? BoundaryConditions::repeat_image(image)
                                    : kind == 3 ? BoundaryConditions::mirror_image(image)
                                                : BoundaryConditions::mirror_interior(image);
        Halide::Func result("result");
        result(x, y) = padded(x - 1, y);
        estimate(result, {64, 32});
        const BuiltGraph built = build({result});
        const Func &reader = test::func(built, padded.name());
        const Stage &s = built.graph.stage(reader.stages[0]);
        ASSERT_EQ(s.incoming.size(), 1u) << kind;
        ASSERT_FALSE(built.graph.edge(s.incoming[0]).accesses.empty()) << kind;
        for (const Access &a : built.graph.edge(s.incoming[0]).accesses) {
            expect_affine(a.index[0], {kOne, kZero}, kZero);
            expect_affine(a.index[1], {kZero, kOne}, kZero);
        }
    }
}

TEST_F(Accesses, CallSitesAreListedOnce) {
    out(x, y) = in(x, y) * in(x, y) + in(x + 1, y) + in(clamp(x, 0, 9), y) +
                select(x > 3, in(x, y), in(x, y + 1));
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    const std::vector<Access> &a = edge(built, stage(built, out), in.name()).accesses;
    ASSERT_EQ(a.size(), 3u);
    double loads = 0;
    for (const Access &access : a) {
        loads += access.count;
        const bool is_clamped_twin =
            access.index[0].offset == kZero && access.index[1].offset == kZero;
        EXPECT_EQ(access.count, is_clamped_twin ? 2 : 1);
        // Far from the border its twin stays behind.
        EXPECT_EQ(access.index[0].exact, !is_clamped_twin);
    }
    EXPECT_EQ(loads, 4);
}

TEST_F(Accesses, AnIndexThatIsNotAffineKeepsTheStepsThatAreKnown) {
    Halide::Func table("table");
    table(y) = y * y;
    const IndexMap row = only(3 * x + table(y), y).index[0];
    EXPECT_FALSE(row.affine);
    EXPECT_EQ(row.step, (std::vector<Rational>{{3, 1}, kZero}));
    EXPECT_EQ(row.irregular, (std::vector<bool>{false, true}));
}

TEST_F(Accesses, ARemainderIsAPartThatWrapsAround) {
    const IndexMap map = only(8 * ((2 * x + 3) % 64) + y, y).index[0];
    EXPECT_FALSE(map.affine);
    EXPECT_EQ(map.step, (std::vector<Rational>{kZero, kOne}));
    ASSERT_EQ(map.wrapped.size(), 1u);
    EXPECT_EQ(map.wrapped[0].coefficient, (std::vector<int64_t>{2, 0}));
    EXPECT_EQ(map.wrapped[0].offset, 3);
    EXPECT_EQ(map.wrapped[0].modulus, 64);
    EXPECT_EQ(map.wrapped[0].factor, (Rational{8, 1}));
    const IndexMap twice = only(x % 64 % 32, y & 7).index[0];
    ASSERT_EQ(twice.wrapped.size(), 1u);
    EXPECT_EQ(twice.wrapped[0].modulus, 32);
    const IndexMap bits = only(x, y & 7).index[1];
    ASSERT_EQ(bits.wrapped.size(), 1u);
    EXPECT_EQ(bits.wrapped[0].coefficient, (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(bits.wrapped[0].modulus, 8);
    // A pixel's place in a cell, as sub-pixel convolutions number them.
    const IndexMap cell = only(2 * (y % 2) + (x + 1) % 2, y).index[0];
    ASSERT_EQ(cell.wrapped.size(), 2u);
    std::set<std::vector<int64_t>> parts;
    for (const WrappedIndex &part : cell.wrapped)
        parts.insert({part.coefficient[0], part.coefficient[1], part.offset, part.modulus,
                      part.factor.numerator});
    EXPECT_EQ(parts, (std::set<std::vector<int64_t>>{{1, 0, 1, 2, 1}, {0, 1, 0, 2, 2}}));
}

// Its coefficient alone would say that it moves with every iteration.
TEST_F(Accesses, AMultipleOfARoundedIndexStandsStillForAWhile) {
    const auto run = [&](const Expr &column) { return only(column, y).index[0].run; };
    EXPECT_EQ(run(8 * (x / 8) + 3), (std::vector<int64_t>{8, 1}));
    EXPECT_EQ(run(2 * (x / 8)), (std::vector<int64_t>{8, 1}));
    EXPECT_EQ(run((x >> 2) << 2), (std::vector<int64_t>{4, 1}));
    EXPECT_EQ(run(4 * (x / 4) + y), (std::vector<int64_t>{4, 1}));
    EXPECT_EQ(only(8 * (x / 8) + 3, y).index[0].coefficient[0], kOne);
    for (const Expr &column : {x / 8, x / 8 + 3, 3 * x + 1, (2 * x) / 3, 8 * (x / 8) / 8})
        EXPECT_TRUE(run(column).empty()) << column;
}

TEST_F(Accesses, OtherRemaindersAreUnknown) {
    Halide::Func table("table");
    table(y) = y * y;
    for (const Expr &column : {x % 64 + (y / 2) % 8, x % 2 + x, (x / 2) % 8, clamp(x, 0, 63) % 8,
                               table(y) % 8, x % 64 % 48, x % (y + 1)}) {
        const IndexMap map = only(column, y).index[0];
        EXPECT_FALSE(map.affine) << column;
        EXPECT_TRUE(map.wrapped.empty()) << column;
    }
}

TEST_F(Accesses, AClampedIndexKeepsTheStepsBesideALoadedBase) {
    Halide::Func table("table");
    table(y) = y * y;
    const IndexMap map = only(clamp(2 * x + clamp(table(y), -8, 8) + 5, 0, 100), y).index[0];
    EXPECT_FALSE(map.affine);
    EXPECT_TRUE(map.data_dependent);
    EXPECT_EQ(map.step, (std::vector<Rational>{{2, 1}, kZero}));
    EXPECT_EQ(map.irregular, (std::vector<bool>{false, true}));
    EXPECT_EQ(map.offset, (Rational{5, 1}));
    EXPECT_EQ(map.clamp, Clamp::ByHand);
}

TEST_F(Accesses, AClampOfTheBaseAloneIsNoClampOfTheIndex) {
    Halide::Func table("table");
    table(y) = y * y;
    EXPECT_EQ(only(x + clamp(table(y), -8, 8), y).index[0].clamp, Clamp::None);
}

TEST_F(Accesses, IndicesFromOneBaseShareItsNumber) {
    Halide::Func table("table"), other("other");
    table(y) = y * y;
    other(y) = y * 7;
    out(x, y) = in(x + table(y), y) + in(x + table(y) + 3, y) + in(x + other(y), y) +
                in(x + 16 * y + table(y), y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    const std::vector<Access> &a = edge(built, stage(built, out), in.name()).accesses;
    ASSERT_EQ(a.size(), 4u);
    std::map<int, int> uses;
    for (const Access &access : a) {
        EXPECT_GT(access.index[0].base, 0);
        uses[access.index[0].base]++;
    }
    EXPECT_EQ(uses.size(), 3u);  // what else moves with y belongs to the base
    EXPECT_EQ(std::ranges::count_if(uses, [](const auto &u) { return u.second == 2; }), 1);
}

TEST_F(Accesses, OneLoadAtOneBaseIsOneAccess) {
    Halide::Func table("table");
    table(y) = y * y;
    out(x, y) = in(x + table(y) + 1, y) * in(1 + table(y) + x, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    EXPECT_EQ(edge(built, stage(built, out), in.name()).accesses.size(), 1u);
}

// Every way to a shared part would be 2^26 of them.
TEST_F(Accesses, SharedPartsOfAnIndexAreLookedAtOnce) {
    Halide::Func table("table");
    table(y) = y * y;
    Expr index = table(y) + x;
    for (int i = 0; i < 26; i++) index = index + index;
    const IndexMap map = only(index, y).index[0];
    EXPECT_EQ(map.step[0], (Rational{1 << 26, 1}));
}

TEST_F(Accesses, StoresOfUpdates) {
    RDom r(0, 8, "r");
    out(x, y) = 0.0f;
    out(2 * r + 1, y) += in(r, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    const Stage &update = stage(built, out, 1);
    ASSERT_EQ(update.loops.size(), 2u);
    ASSERT_EQ(update.stores.size(), 1u);
    expect_affine(update.stores[0].index[0], {{2, 1}, kZero}, {1, 1});
    expect_affine(update.stores[0].index[1], {kZero, kOne}, kZero);
}

}  // namespace
}  // namespace cryolite
