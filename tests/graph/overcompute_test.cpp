// Rounding a split up must never read more of an input than the unscheduled pipeline may.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

struct Overcompute : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};
    Halide::Func f{"f"}, out{"out"};

    // may_overcompute of f, read point by point by the output.
    std::vector<bool> of_f() {
        out(x, y) = f(x, y) + 1;
        estimate(out, {64, 32});
        estimate(input, {64, 32});
        return func(build({out}), f).may_overcompute;
    }
    Halide::Func padded() { return BoundaryConditions::repeat_edge(input); }
};

using Dims = std::vector<bool>;

TEST_F(Overcompute, WithoutInputsAnythingGoes) {
    f(x, y) = cast<float>(x * y);
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, AnUnclampedReadForbidsIt) {
    f(x, y) = input(x, y) * 2;
    EXPECT_EQ(of_f(), (Dims{false, false}));
}

TEST_F(Overcompute, AnEdgeRepeatedAllowsIt) {
    Halide::Func p = padded();
    f(x, y) = p(x - 1, y) + p(x + 1, y + 1);
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

// Found in a stereo matcher whose right image has the size of its left one: all that the right image feeds was guarded.
TEST_F(Overcompute, AnEdgeOfAnotherInputsSizeAllowsIt) {
    ImageParam first{Float(32), 2, "first"};
    input.dim(0).set_bounds(0, first.dim(0).extent());
    input.dim(1).set_bounds(0, first.dim(1).extent());
    estimate(first, {64, 32});
    Halide::Func p = padded();
    f(x, y) = p(x - 1, y);
    out(x, y) = f(x, y) + first(x, y);
    estimate(out, {64, 32});
    EXPECT_EQ(func(build({out}), f).may_overcompute, (Dims{true, true}));
}

TEST_F(Overcompute, AnEdgeOfASizeThatTheUserGivesAllowsIt) {
    Param<int> width{"width"}, height{"height"};
    width.set_estimate(64);
    height.set_estimate(32);
    input.dim(0).set_bounds(0, width);
    input.dim(1).set_bounds(0, height);
    Halide::Func p = BoundaryConditions::repeat_edge(input, {{0, width}, {0, height}});
    f(x, y) = p(x - 1, y + 1);
    EXPECT_EQ(of_f(), (Dims{true, true}));
    // Of a size that is not the buffer's nothing is known.
    ImageParam other{Float(32), 2, "other"};
    Halide::Func g{"g"}, result{"result"};
    Halide::Func q = BoundaryConditions::repeat_edge(other, {{0, width}, {0, height}});
    g(x, y) = q(x, y);
    result(x, y) = g(x, y);
    estimate(result, {64, 32});
    estimate(other, {64, 32});
    EXPECT_EQ(func(build({result}), g).may_overcompute, (Dims{false, false}));
}

TEST_F(Overcompute, EveryBoundaryConditionAllowsIt) {
    for (int kind = 0; kind < 4; kind++) {
        Halide::Func g("g"), result("result");
        const Halide::Func p = kind == 0   ? BoundaryConditions::constant_exterior(input, 0.0f)
                               : kind == 1 ? BoundaryConditions::repeat_image(input)
                               : kind == 2 ? BoundaryConditions::mirror_image(input)
                                           : BoundaryConditions::mirror_interior(input);
        g(x, y) = p(x, y);
        result(x, y) = g(x, y);
        estimate(result, {64, 32});
        estimate(input, {64, 32});
        EXPECT_EQ(func(build({result}), g).may_overcompute, (Dims{true, true})) << kind;
    }
}

TEST_F(Overcompute, OneClampedDimensionIsOne) {
    f(x, y) = input(clamp(x, input.dim(0).min(), input.dim(0).max()), y);
    EXPECT_EQ(of_f(), (Dims{true, false}));
}

TEST_F(Overcompute, AClampFromZeroNeedsABufferThatBeginsThere) {
    f(x, y) = input(clamp(x, 0, input.width() - 1), 0);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, AClampFromZeroIsFineWhereTheMinIsKnown) {
    input.dim(0).set_min(0);
    f(x, y) = input(clamp(x, 0, input.width() - 1), 0);
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, AClampToAConstantBeyondTheInputForbidsIt) {
    input.dim(0).set_min(0);
    f(x, y) = input(clamp(x, 0, 99), 0);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, AClampToAConstantWithinAKnownSizeAllowsIt) {
    input.dim(0).set_bounds(0, 100);
    f(x, y) = input(clamp(x, 0, 99), 0);
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, TheClampOfAnotherInputIsNone) {
    ImageParam other(Float(32), 2, "other");
    estimate(other, {64, 32});
    f(x, y) = input(clamp(x, other.dim(0).min(), other.dim(0).max()), 0);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, UpsamplingFollowsItsProducer) {
    Halide::Func small("small"), clamped("clamped");
    small(x, y) = input(x, y);
    f(x, y) = small(x / 2, y / 2);
    EXPECT_EQ(of_f(), (Dims{false, false}));
    Halide::Func p = padded(), g("g"), result("result");
    clamped(x, y) = p(2 * x, 2 * y);
    g(x, y) = clamped(x / 2, y / 2);
    result(x, y) = g(x, y);
    estimate(result, {64, 32});
    EXPECT_EQ(func(build({result}), g).may_overcompute, (Dims{true, true}));
}

TEST_F(Overcompute, ATransposeSwapsTheDimensions) {
    f(x, y) = input(y, clamp(x, input.dim(1).min(), input.dim(1).max()));
    EXPECT_EQ(of_f(), (Dims{true, false}));
}

TEST_F(Overcompute, ThroughTwoFuncs) {
    Halide::Func a("a"), b("b");
    a(x, y) = input(x, clamp(y, input.dim(1).min(), input.dim(1).max()));
    b(x, y) = a(y, x) * 2;
    f(x, y) = b(x, y + 1);
    EXPECT_EQ(of_f(), (Dims{true, false}));
}

TEST_F(Overcompute, AMirrorReadsDownwards) {
    // Growing x needs smaller indices: the lower end must be safe, and the upper one is not asked.
    f(x, y) = input(max(63 - x, input.dim(0).min()), 0);
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, AHalfClampThatGuardsTheWrongEndForbidsIt) {
    f(x, y) = input(max(x, input.dim(0).min()), 0);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, AReductionOverTheInputAloneAllowsIt) {
    RDom r(0, 8, "r");
    f(x, y) = 0.0f;
    f(x, y) += input(r, 0) * x;
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, AReductionThatMovesWithTheLoopForbidsIt) {
    RDom r(0, 8, "r");
    f(x, y) = 0.0f;
    f(x, y) += input(x + r, 0);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, APredicatesLoadsCount) {
    RDom r(0, 8, "r");
    r.where(input(x, r) > 0);
    f(x, y) = 0.0f;
    f(x, y) += cast<float>(r);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, AScanAlongALoopFollowsItself) {
    RDom r(1, 31, "r");
    Halide::Func p = padded();
    f(x, y) = p(x, y);
    f(x, r) = f(x, r - 1) + p(x, r);
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, ALookupIsBoundedByItsType) {
    ImageParam bytes(UInt(8), 2, "bytes"), table(Float(32), 1, "table");
    estimate(table, {256});
    estimate(bytes, {64, 32});
    Halide::Func p = BoundaryConditions::repeat_edge(bytes);
    f(x, y) = table(cast<int>(p(x, y)));
    EXPECT_EQ(of_f(), (Dims{true, true}));
}

TEST_F(Overcompute, EmbeddedBuffersHaveConstantEnds) {
    Buffer<float> kernel(16);
    f(x, y) = kernel(clamp(x, 0, 15)) + kernel(clamp(y, 0, 16));
    EXPECT_EQ(of_f(), (Dims{true, false}));
}

TEST_F(Overcompute, AClampBetweenFuncsLimitsWhatTheFirstMayRead) {
    Halide::Func a("a");
    a(x, y) = input(x, y) * 2;
    f(x, y) = a(clamp(x, input.dim(0).min(), input.dim(0).max()), y);
    EXPECT_EQ(of_f(), (Dims{true, false}));
}

TEST_F(Overcompute, AClampWiderThanTheStencilBehindItForbidsIt) {
    Halide::Func a("a");
    a(x, y) = input(x, y) + input(x + 1, y);
    f(x, y) = a(clamp(x, input.dim(0).min(), input.dim(0).max()), 0);
    EXPECT_EQ(of_f(), (Dims{false, true}));
}

TEST_F(Overcompute, OutputsNever) {
    f(x, y) = cast<float>(x);
    estimate(f, {8, 8});
    EXPECT_EQ(func(build({f}), f).may_overcompute, (Dims{false, false}));
}

TEST_F(Overcompute, WhatAnOutputAlsoIsNeverGrows) {
    Halide::Func shared("shared");
    shared(x, y) = cast<float>(x);
    f(x, y) = shared(x, 0);
    out(x, y) = f(x, y);
    estimate(out, {8, 8});
    estimate(shared, {8, 8});
    EXPECT_EQ(func(build({out, shared}), f).may_overcompute, (Dims{false, true}));
}

}  // namespace
}  // namespace cryolite
