// RegionExpression without Halide: rounding, saturation and the fast path must agree with plain
// arithmetic, for a wrong bound is silent everywhere else.
#include "graph/region_program.h"

#include <gtest/gtest.h>

#include <bit>

#include "base/random.h"

namespace cryolite {
namespace {

constexpr int64_t kUnbounded = RegionExpression::unbounded;

RegionInstruction constant(int64_t v) { return {RegionOp::Constant, v}; }
RegionInstruction loop_min(int64_t l) { return {RegionOp::LoopMin, l}; }
RegionInstruction loop_max(int64_t l) { return {RegionOp::LoopMax, l}; }

int64_t of_two(RegionOp op, int64_t a, int64_t b) {
    return RegionExpression({constant(a), constant(b), {op, 0}}).evaluate({});
}

TEST(RegionExpression, DivisionRoundsTowardsMinusInfinityForAPositiveDivisor) {
    EXPECT_EQ(of_two(RegionOp::Div, 7, 2), 3);
    EXPECT_EQ(of_two(RegionOp::Div, -7, 2), -4);
    EXPECT_EQ(of_two(RegionOp::Div, -8, 2), -4);
    EXPECT_EQ(of_two(RegionOp::Div, 7, -2), -3);
    EXPECT_EQ(of_two(RegionOp::Div, -7, -2), 4);
    EXPECT_EQ(of_two(RegionOp::Div, 5, 0), 0);
}

TEST(RegionExpression, RemainderIsNeverNegative) {
    EXPECT_EQ(of_two(RegionOp::Mod, 7, 3), 1);
    EXPECT_EQ(of_two(RegionOp::Mod, -7, 3), 2);
    EXPECT_EQ(of_two(RegionOp::Mod, -7, -3), 2);
    EXPECT_EQ(of_two(RegionOp::Mod, -7, 0), 0);
}

TEST(RegionExpression, DivisionAndRemainderBelongTogether) {
    Random random(1);
    for (int i = 0; i < 10000; i++) {
        const int64_t a = random.between(-1000, 1000), b = random.between(-20, 20);
        if (b == 0) continue;
        EXPECT_EQ(of_two(RegionOp::Div, a, b) * b + of_two(RegionOp::Mod, a, b), a)
            << a << " " << b;
    }
}

TEST(RegionExpression, ArithmeticSaturatesInsteadOfOverflowing) {
    EXPECT_EQ(of_two(RegionOp::Add, kUnbounded - 1, kUnbounded - 1), kUnbounded);
    EXPECT_EQ(of_two(RegionOp::Sub, 1 - kUnbounded, kUnbounded - 1), -kUnbounded);
    EXPECT_EQ(of_two(RegionOp::Mul, int64_t{1} << 40, int64_t{1} << 40), kUnbounded);
    EXPECT_EQ(of_two(RegionOp::Mul, -(int64_t{1} << 40), int64_t{1} << 40), -kUnbounded);
    EXPECT_EQ(of_two(RegionOp::ShiftLeft, 3, 70), kUnbounded);
}

TEST(RegionExpression, AnUnboundedEndStaysUnbounded) {
    for (RegionOp op : {RegionOp::Add, RegionOp::Sub}) {
        EXPECT_EQ(of_two(op, kUnbounded, 5), kUnbounded);
        EXPECT_EQ(of_two(op, -kUnbounded, 5), -kUnbounded);
    }
    EXPECT_EQ(of_two(RegionOp::Div, kUnbounded, 4), kUnbounded);
    EXPECT_EQ(of_two(RegionOp::Div, -kUnbounded, 4), -kUnbounded);
    EXPECT_EQ(of_two(RegionOp::Min, kUnbounded, 4), 4);
    EXPECT_EQ(of_two(RegionOp::Mul, kUnbounded, 0), 0);
}

TEST(RegionExpression, TheFastPathKeepsAnUnboundedEnd) {
    const RegionExpression e({loop_max(0), constant(3), {RegionOp::Sub, 0}});
    const Intervals open = {{-kUnbounded, kUnbounded}};
    EXPECT_EQ(e.evaluate(open), kUnbounded);
    const Intervals closed = {{2, 10}};
    EXPECT_EQ(e.evaluate(closed), 7);
}

TEST(RegionExpression, LoopEndsAndTheirOffsets) {
    const Intervals loops = {{1, 2}, {-5, 9}};
    EXPECT_EQ(RegionExpression({loop_min(1)}).evaluate(loops), -5);
    EXPECT_EQ(RegionExpression({loop_max(1)}).evaluate(loops), 9);
    EXPECT_EQ(RegionExpression({loop_min(0), constant(4), {RegionOp::Add, 0}}).evaluate(loops), 5);
    EXPECT_EQ(RegionExpression::constant(42).evaluate(loops), 42);
    EXPECT_EQ(RegionExpression().evaluate(loops), 0);
}

TEST(RegionExpression, SelectTakesItsFirstValueWhenTrue) {
    const auto choose = [](int64_t condition) {
        return RegionExpression(
                   {constant(condition), constant(10), constant(20), {RegionOp::Select, 0}})
            .evaluate({});
    };
    EXPECT_EQ(choose(1), 10);
    EXPECT_EQ(choose(0), 20);
}

TEST(RegionExpression, WrapIsWhatACastDoes) {
    const auto wrapped = [](int64_t v, int64_t bits) {
        return RegionExpression({constant(v), {RegionOp::Wrap, bits}}).evaluate({});
    };
    EXPECT_EQ(wrapped(300, 8), 44);
    EXPECT_EQ(wrapped(-1, 8), 255);
    EXPECT_EQ(wrapped(200, -8), -56);
    EXPECT_EQ(wrapped(-1, 16), 65535);
    EXPECT_EQ(wrapped(kUnbounded, 8), kUnbounded);
}

TEST(RegionExpression, FloatsRoundAsTheirNamesSay) {
    const auto f = [](double v) {
        return RegionInstruction{RegionOp::FloatConstant, std::bit_cast<int64_t>(v)};
    };
    const Intervals loops = {{-3, 5}};
    // floor(loop.min * 0.5)
    const RegionExpression half({loop_min(0),
                                 {RegionOp::ToFloat, 0},
                                 f(0.5),
                                 {RegionOp::FloatMul, 0},
                                 {RegionOp::Floor, 0},
                                 {RegionOp::FromFloat, 0}});
    EXPECT_EQ(half.evaluate(loops), -2);
    const RegionExpression ceiling({f(1.25), {RegionOp::Ceil, 0}, {RegionOp::FromFloat, 0}});
    EXPECT_EQ(ceiling.evaluate(loops), 2);
    const RegionExpression huge({f(1e300), {RegionOp::FromFloat, 0}});
    EXPECT_EQ(huge.evaluate(loops), kUnbounded);
}

TEST(RegionExpression, DeepProgramsNeedNoFixedStack) {
    std::vector<RegionInstruction> code(100, constant(1));
    for (int i = 0; i < 99; i++) code.push_back({RegionOp::Add, 0});
    EXPECT_EQ(RegionExpression(code).evaluate({}), 100);
}

}  // namespace
}  // namespace cryolite
