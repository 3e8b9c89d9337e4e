// Op histograms against counts by hand.
#include <functional>
#include <map>

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::stage;

struct Operations : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam f32{Float(32), 2, "f32"}, u8{UInt(8), 2, "u8"}, i32{Int(32), 2, "i32"};

    Stage stage_of(Expr value) {
        Halide::Func out("out");
        out(x, y) = value;
        estimate(out, {16, 16});
        estimate(f32, {32, 32});
        estimate(u8, {32, 32});
        estimate(i32, {32, 32});
        return stage(build({out}), out);
    }
    OpHistogram of(Expr value) { return stage_of(value).ops; }
    int strahler(Expr value) { return stage_of(value).strahler_number; }
    double chain(Expr value) { return stage_of(value).longest_chain; }
};

TEST_F(Operations, AStencilCountsItsArithmeticAndNotItsIndices) {
    const OpHistogram ops = of((f32(x - 1, y) + 2.0f * f32(x, y) + f32(x + 1, y)) * 0.25f);
    EXPECT_EQ(ops.at(OpKind::Add, TypeClass::Float32), 2);
    EXPECT_EQ(ops.at(OpKind::Multiply, TypeClass::Float32), 2);
    EXPECT_EQ(ops.total(), 4);
}

TEST_F(Operations, CommonSubexpressionsCountOnce) {
    const Expr d = f32(x, y) - f32(x + 1, y);
    const OpHistogram ops = of(d * d + d);
    EXPECT_EQ(ops.at(OpKind::Add, TypeClass::Float32), 2);
    EXPECT_EQ(ops.at(OpKind::Multiply, TypeClass::Float32), 1);
}

TEST_F(Operations, DivisionsByTheirDivisor) {
    EXPECT_EQ(of(i32(x, y) / 8).at(OpKind::Bitwise, TypeClass::Int32), 1);
    EXPECT_EQ(of(i32(x, y) / 7).at(OpKind::Divide, TypeClass::Int32), 1);
    EXPECT_EQ(of(f32(x, y) / 7.0f).at(OpKind::Multiply, TypeClass::Float32), 1);
    EXPECT_EQ(of(1.0f / f32(x, y)).at(OpKind::Divide, TypeClass::Float32), 1);
    EXPECT_EQ(of(i32(x, y) % 7).at(OpKind::Modulo, TypeClass::Int32), 1);
}

// Vectors are divided element by element, unless the divisor is a constant.
TEST_F(Operations, DivisionsOfIntegersByValues) {
    const Param<int> scale("scale");
    for (const Expr &divisor : {Expr(i32(x + 1, y)), Expr(x + 1), Expr(scale)}) {
        EXPECT_EQ(of(i32(x, y) / divisor).at(OpKind::DivideByValue, TypeClass::Int32), 1);
        EXPECT_EQ(of(i32(x, y) % divisor).at(OpKind::DivideByValue, TypeClass::Int32), 1);
        EXPECT_EQ(of(f32(x, y) / cast<float>(divisor)).at(OpKind::Divide, TypeClass::Float32), 1);
    }
}

TEST_F(Operations, NarrowingHalvesAgainAndAgain) {
    const OpHistogram ops = of(cast<uint8_t>(cast<uint64_t>(i32(x, y))));
    for (TypeClass type : {TypeClass::Int64, TypeClass::Int32, TypeClass::Int16, TypeClass::Int8})
        EXPECT_EQ(ops.at(OpKind::Cast, type), 1);
    const OpHistogram of_float = of(cast<uint8_t>(f32(x, y)));
    for (TypeClass type : {TypeClass::Int32, TypeClass::Int16, TypeClass::Int8})
        EXPECT_EQ(of_float.at(OpKind::Cast, type), 1);
    EXPECT_EQ(of(cast<int32_t>(f32(x, y))).total(), 1);
}

TEST_F(Operations, BitsAreCountedApart) {
    EXPECT_EQ(of(popcount(u8(x, y))).at(OpKind::BitCount, TypeClass::Int8), 1);
    EXPECT_EQ(of(count_leading_zeros(u8(x, y))).at(OpKind::BitCount, TypeClass::Int8), 2);
}

TEST_F(Operations, ShiftsByAmountsOfTheirOwnTakeMore) {
    const Param<uint8_t> shift("shift");
    EXPECT_EQ(of(u8(x, y) << 3).total(), 1);
    EXPECT_EQ(of(u8(x, y) << shift).total(), 1);
    EXPECT_EQ(of(u8(x, y) << u8(x + 1, y)).total(), 10);
    EXPECT_EQ(of(i32(x, y) << i32(x + 1, y)).total(), 5);
}

// Halide takes halves of sums that may not overflow without their topmost bit.
TEST_F(Operations, HalvesOfWideSignedSumsTakeMoreThanAShift) {
    const auto ops = [&](const Expr &e) {
        const OpHistogram all = of(e);
        return all.total() - all.at(OpKind::Cast, TypeClass::Int16);
    };
    const Expr a = i32(x, y), b = i32(x + 1, y);
    EXPECT_EQ(ops((a + b) / 2), 4);
    EXPECT_EQ(ops((a + b) >> 1), 4);
    EXPECT_EQ(ops((a - b) / 2), 7);
    EXPECT_EQ(ops((a + b) / 4), 2);
    EXPECT_EQ(ops((a + 1) / 2), 2);
    EXPECT_EQ(ops((cast<int16_t>(u8(x, y)) + cast<int16_t>(u8(x + 1, y))) / 2), 2);
}

TEST_F(Operations, CastsBetweenWidthsCountAndReinterpretationsDoNot) {
    const OpHistogram ops = of(cast<uint8_t>(clamp(cast<int16_t>(u8(x, y)) + 1, 0, 255)));
    EXPECT_EQ(ops.at(OpKind::Cast, TypeClass::Int16), 1);
    EXPECT_EQ(ops.at(OpKind::Cast, TypeClass::Int8), 1);
    EXPECT_EQ(ops.at(OpKind::MinMax, TypeClass::Int16), 2);
    EXPECT_EQ(ops.at(OpKind::Add, TypeClass::Int16), 1);
    EXPECT_EQ(of(cast<uint32_t>(i32(x, y))).total(), 0);
    EXPECT_EQ(of(cast<float>(i32(x, y))).at(OpKind::Cast, TypeClass::Float32), 1);
}

TEST_F(Operations, SelectsComparesAndLogic) {
    const OpHistogram ops = of(select(f32(x, y) > 1.0f && f32(x, y) < 2.0f, f32(x, y), 0.0f));
    EXPECT_EQ(ops.at(OpKind::Compare, TypeClass::Float32), 2);
    EXPECT_EQ(ops.at(OpKind::Bitwise, TypeClass::Bool), 1);
    EXPECT_EQ(ops.at(OpKind::Select, TypeClass::Float32), 1);
}

TEST_F(Operations, FunctionsOfTheMathLibrary) {
    const OpHistogram ops =
        of(sqrt(f32(x, y)) + exp(f32(x, y)) + floor(f32(x, y)) + abs(f32(x, y)));
    EXPECT_EQ(ops.at(OpKind::SquareRoot, TypeClass::Float32), 1);
    EXPECT_EQ(ops.at(OpKind::Transcendental, TypeClass::Float32), 1);
    EXPECT_EQ(ops.at(OpKind::Cast, TypeClass::Float32), 1);
    EXPECT_EQ(ops.at(OpKind::MinMax, TypeClass::Float32), 1);
}

// Found in a race: computing sines anew for every sample took three times a table's time.
TEST_F(Operations, SinesAreCallsAndExponentialsPolynomials) {
    EXPECT_EQ(of(sin(f32(x, y))).at(OpKind::ExternCall, TypeClass::Float32), 1);
    EXPECT_EQ(of(exp(cast<double>(f32(x, y)))).at(OpKind::ExternCall, TypeClass::Float64), 1);
    EXPECT_EQ(of(exp(f32(x, y))).at(OpKind::Transcendental, TypeClass::Float32), 1);
    EXPECT_EQ(of(pow(f32(x, y), 2.5f)).at(OpKind::Transcendental, TypeClass::Float32), 3);
}

TEST_F(Operations, DataDependentIndicesCount) {
    const OpHistogram ops = of(f32(clamp(cast<int>(u8(x - 1, y)) * 2, 0, 31), y + 5));
    EXPECT_EQ(ops.at(OpKind::Cast, TypeClass::Int32), 1);
    EXPECT_EQ(ops.at(OpKind::Multiply, TypeClass::Int32), 1);
    EXPECT_EQ(ops.at(OpKind::MinMax, TypeClass::Int32), 2);
    EXPECT_EQ(ops.total(), 4);
}

TEST_F(Operations, WhatNoLoopChangesIsHoisted) {
    Param<float> sigma("sigma");
    const OpHistogram ops = of(f32(x, y) * (1.0f / (sigma * sigma)));
    EXPECT_EQ(ops.total(), 1);
}

TEST_F(Operations, StrictFloatsCountAsTheyWould) {
    const OpHistogram ops = of(strict_float(f32(x, y) + f32(x + 1, y) * 3.0f));
    EXPECT_EQ(ops.at(OpKind::Add, TypeClass::Float32), 1);
    EXPECT_EQ(ops.at(OpKind::Multiply, TypeClass::Float32), 1);
}

TEST_F(Operations, APredicateCounts) {
    Halide::Func f("f");
    RDom r(0, 16, "r");
    r.where(u8(r, 0) > 3);
    f(x) = 0;
    f(x) += cast<int>(u8(r, x));
    estimate(f, {4});
    const OpHistogram ops = stage(build({f}), f, 1).ops;
    EXPECT_EQ(ops.at(OpKind::Compare, TypeClass::Int8), 1);
    EXPECT_EQ(ops.at(OpKind::Cast, TypeClass::Int32), 1);
    EXPECT_EQ(ops.at(OpKind::Add, TypeClass::Int32), 1);
    EXPECT_EQ(ops.total(), 3);
}

TEST_F(Operations, TheStrahlerNumberIsTheRegistersNeeded) {
    const Expr a = f32(x, y), b = f32(x + 1, y), c = f32(x, y + 1), d = f32(x + 1, y + 1);
    EXPECT_EQ(strahler(cast<float>(3)), 0);
    EXPECT_EQ(strahler(a), 1);
    EXPECT_EQ(strahler(a * 2.0f), 1);
    EXPECT_EQ(strahler(a + b), 2);
    EXPECT_EQ(strahler(a + b + c + d), 2);      // a chain
    EXPECT_EQ(strahler((a + b) * (c + d)), 3);  // a balanced tree
    EXPECT_EQ(strahler(select(a > 1.0f, b, c)), 3);
    EXPECT_EQ(strahler(i32(clamp(i32(x, y) + i32(y, x), 0, 31), y)), 2);  // its index is loaded
}

TEST_F(Operations, TheLongestChainIsWhatWaitsForEachOther) {
    const Expr a = f32(x, y), b = f32(x + 1, y), c = f32(x, y + 1), d = f32(x + 1, y + 1);
    EXPECT_EQ(chain(a), 0);
    EXPECT_EQ(chain(a + b), 3);
    EXPECT_EQ(chain(a + b + c + d), 9);
    EXPECT_EQ(chain((a + b) + (c + d)), 6);
    EXPECT_EQ(chain((a + b) * (c + d)), 7);
    EXPECT_EQ(chain(a + exp(b)), 48);
    EXPECT_EQ(chain(1.0f / (a * b)), 17);
    // An index is not waited for, nor is what changes with no loop.
    EXPECT_EQ(chain(f32(x + y * 3, y) + 1.0f), 3);
}

// --- groups: what an operation depends on, and whether it only converts what one call gives ---
double in_group(const OperationGroup &group, OpKind kind) {
    double n = 0;
    for (const OperationCount &o : group.operations)
        if (o.kind == kind) n += o.count;
    return n;
}

// The groups that hold operations of the kind.
std::vector<OperationGroup> groups_with(const Stage &stage, OpKind kind) {
    std::vector<OperationGroup> found;
    for (const OperationGroup &g : stage.operation_groups)
        if (in_group(g, kind) > 0) found.push_back(g);
    return found;
}

TEST_F(Operations, GroupsAddUpToAllOperations) {
    const Stage s =
        stage_of(cast<uint8_t>(clamp(cast<int16_t>(u8(x, y)) * 3 + i32(x, y) / 7, 0, 9)) +
                 u8(clamp(i32(y, x), 0, 31), y) * cast<uint8_t>(x));
    OpHistogram sum;
    for (const OperationGroup &g : s.operation_groups)
        for (const OperationCount &o : g.operations) sum.at(o.kind, o.type) += o.count;
    EXPECT_EQ(sum.count, s.ops.count);
}

TEST_F(Operations, AConversionFollowsTheCallThatItConverts) {
    const Stage s = stage_of(cast<int16_t>(u8(x, y)) * cast<int16_t>(u8(x + 1, y)));
    const auto casts = groups_with(s, OpKind::Cast);
    ASSERT_EQ(casts.size(), 2);
    for (const OperationGroup &g : casts) EXPECT_TRUE(g.follows_call());
    EXPECT_NE(casts[0].access, casts[1].access);
    EXPECT_EQ(casts[0].function, casts[1].function);
    const auto products = groups_with(s, OpKind::Multiply);
    ASSERT_EQ(products.size(), 1);
    EXPECT_FALSE(products[0].follows_call());
}

TEST_F(Operations, OtherFunctionsOfACallAreToldApart) {
    const Stage s = stage_of(f32(x, y) * 2.0f + f32(x + 1, y) * 3.0f + f32(x + 2, y) * 2.0f);
    const auto products = groups_with(s, OpKind::Multiply);
    ASSERT_EQ(products.size(), 3);
    std::map<uint64_t, int> functions;
    for (const OperationGroup &g : products) functions[g.function]++;
    EXPECT_EQ(functions.size(), 2);
}

TEST_F(Operations, AGroupDependsOnTheLoopsBelowIt) {
    ImageParam row(Float(32), 1, "row");
    row.set_estimates({{0, 16}});
    const Stage s = stage_of(f32(x, y) + sqrt(row(x)) / cast<float>(y));
    const auto dx = static_cast<size_t>(s.loops[0].func_dim == 0 ? 0 : 1), dy = 1 - dx;
    const auto roots = groups_with(s, OpKind::SquareRoot), casts = groups_with(s, OpKind::Cast);
    ASSERT_EQ(roots.size(), 1);
    EXPECT_TRUE(roots[0].depends_on[dx]);
    EXPECT_FALSE(roots[0].depends_on[dy]);
    EXPECT_TRUE(roots[0].loaded);
    ASSERT_EQ(casts.size(), 1);
    EXPECT_FALSE(casts[0].depends_on[dx]);
    EXPECT_TRUE(casts[0].depends_on[dy]);
    EXPECT_FALSE(casts[0].loaded);
    EXPECT_FALSE(casts[0].follows_call());
}

// What an update reads of its own Func changes with every iteration, whatever its index says.
TEST_F(Operations, WhatAnUpdateStoredDependsOnAllLoops) {
    Halide::Func f("f");
    RDom r(0, 16, "r");
    f(x) = 1.0f;
    f(x) = f(x) * 2.0f + f32(r, 0);
    estimate(f, {4});
    estimate(f32, {32, 32});
    const auto products = groups_with(stage(build({f}), f, 1), OpKind::Multiply);
    ASSERT_EQ(products.size(), 1);
    EXPECT_EQ(products[0].depends_on, (std::vector<bool>{true, true}));
    EXPECT_FALSE(products[0].follows_call());
}

// --- what is left of operations where a reduction loop is a number in each copy ---
float kept(const OperationGroup &group, size_t loop) {
    return group.kept_share.empty() ? 1 : group.kept_share[loop];
}

TEST_F(Operations, ACopyKeepsOneWayOfWhatItsLoopChooses) {
    const auto squares_and_selects = [&](const std::function<Expr(RDom, Expr)> &value) {
        Halide::Func f("f");
        RDom r(0, 4, 0, 5, "r");
        f(x) = 1.0f;
        f(x) = value(r, f(x));
        estimate(f, {4});
        estimate(f32, {32, 32});
        const Stage s = stage(build({f}), f, 1);
        const auto only = [&](OpKind kind) {
            const std::vector<OperationGroup> groups = groups_with(s, kind);
            EXPECT_EQ(groups.size(), 1u) << static_cast<int>(kind);
            return groups.empty() ? -1 : kept(groups[0], 0);
        };
        return std::pair(only(OpKind::SquareRoot), only(OpKind::Select));
    };
    using Shares = std::pair<float, float>;
    EXPECT_EQ(squares_and_selects([](RDom r, Expr old) {
                  return mux(r.x, {old, sqrt(old), old + 1.0f, old * 2.0f});
              }),
              (Shares{0.25f, 0}));
    EXPECT_EQ(squares_and_selects(
                  [](RDom r, Expr old) { return select(r.x < 3, sqrt(old), old + 1.0f); }),
              (Shares{0.75f, 0}));
    // Used on both ways.
    EXPECT_EQ(squares_and_selects(
                  [](RDom r, Expr old) { return select(r.x == 2, sqrt(old), sqrt(old) + 1.0f); }),
              (Shares{1, 0}));
    // One side decides for three copies of four; the fourth asks for the other loop.
    EXPECT_EQ(squares_and_selects(
                  [](RDom r, Expr old) { return select(r.x == 2 && r.y == 1, sqrt(old), old); }),
              (Shares{0.25f, 0.25f}));
    // What is loaded is no number.
    EXPECT_EQ(squares_and_selects(
                  [&](RDom r, Expr old) { return select(f32(r.x, 0) > 3.0f, sqrt(old), old); }),
              (Shares{1, 1}));
}

TEST_F(Operations, WhatAPredicateTakesIsDoneForEveryIteration) {
    Halide::Func f("f");
    RDom r(0, 8, "r");
    r.where(i32(r, 0) * i32(r, 1) > 100);
    f(x) = 1.0f;
    f(x) = sqrt(f(x)) + cast<float>(r);  // without r the update has no predicate
    estimate(f, {4});
    estimate(i32, {32, 32});
    const Stage s = stage(build({f}), f, 1);
    const auto products = groups_with(s, OpKind::Multiply),
               roots = groups_with(s, OpKind::SquareRoot);
    ASSERT_EQ(products.size(), 1);
    EXPECT_TRUE(products[0].of_predicate);
    ASSERT_EQ(roots.size(), 1);
    EXPECT_FALSE(roots[0].of_predicate);
}

}  // namespace
}  // namespace cryolite
