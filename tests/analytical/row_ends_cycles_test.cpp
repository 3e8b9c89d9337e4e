// Core-bound cycles of rows that end within a vector.
#include "analytical/cycles/stage_cycles.h"

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;
using test::some_machine;

// A Func at root before the output. Nothing shifts or rounds up its last vectors.
struct RowEnds : testing::Test {
    Var x{"x"}, y{"y"};
    static constexpr int lanes = 32, vectors = 10, rows = 100;

    Machine with_vectors(int bytes) {
        Machine machine = some_machine();
        machine.vector_bytes = machine.load_bytes = bytes;
        return machine;
    }
    StageCycles of(const Machine &machine, Halide::Func inner, int width) {
        Halide::Func out("out");
        out(x, y) = inner(x, y) + inner(x, y + 1);
        estimate(out, {width, rows});
        const BuiltGraph built = build({out});
        const StageId stage = func(built, inner).stages[0];
        const int16_t along = test::loop_over(built.graph.stage(stage), 0);
        const LoopNest nest =
            scheduled(built.graph, {action::ComputeRoot{func(built, out).id},
                                    action::ComputeRoot{func(built, inner).id},
                                    action::Vectorize{stage, along, int16_t{lanes}}});
        return test::cycles_of(nest, machine, stage);
    }
    // The values stand `step` apart in the input's rows.
    StageCycles of(const Machine &machine, const Type &type, int step, int width) {
        ImageParam input(type, 2, "input");
        Halide::Func inner("inner");
        inner(x, y) = input(step * x, y) + input(step * x, y + 1);
        return of(machine, inner, width);
    }
    // Cycles of a row's last half vector, in whole vectors.
    double end(const Machine &machine, const Type &type, int step) {
        const auto cycles = [&](int width) {
            const StageCycles c = of(machine, type, step, width);
            return c.arithmetic + c.memory_operations();
        };
        const double whole = cycles(vectors * lanes),
                     with_end = cycles(vectors * lanes + lanes / 2);
        return vectors * (with_end - whole) / whole;
    }
};

TEST_F(RowEnds, AreOneMoreVectorWhereTheMachineHasMasks) {
    EXPECT_NEAR(end(with_vectors(64), UInt(8), 1), 1, 0.01);
    EXPECT_NEAR(end(with_vectors(64), Float(32), 1), 1, 0.01);
    EXPECT_NEAR(end(with_vectors(32), Float(32), 1), 1, 0.01);
}

// Measured with vectors of 32 bytes and of 64: 20 to 140 times a whole vector of 32 bytes or words.
TEST_F(RowEnds, AreABranchPerElementWhereItHasNone) {
    EXPECT_GT(end(with_vectors(32), UInt(8), 1), 20);
    EXPECT_GT(end(with_vectors(16), Float(32), 1), 4);
}

TEST_F(RowEnds, AreABranchPerElementIfElementsStandApart) {
    EXPECT_GT(end(with_vectors(64), UInt(8), 2), 8);
    EXPECT_GT(end(with_vectors(64), Float(32), 2), 5);
}

// A choice by every second point takes a vector apart. What each part reads at x / 2 lies side by side, and one
// instruction masks it. Without the choice each element of x / 2 is loaded by itself.
TEST_F(RowEnds, OfChoicesAreMaskedInParts) {
    const Machine machine = with_vectors(64);
    const auto cycles = [&](bool chooses, int width) {
        ImageParam input(UInt(16), 2, "input");
        Halide::Func inner("inner");
        const Expr even = input(x / 2, y) * 3, odd = input(x / 2 + 1, y) + input(x / 2, y + 1);
        inner(x, y) = chooses ? select(x % 2 == 0, even, odd) : even + odd;
        const StageCycles c = of(machine, inner, width);
        return c.arithmetic + c.memory_operations();
    };
    const auto end = [&](bool chooses) {
        const double whole = cycles(chooses, vectors * lanes);
        return vectors * (cycles(chooses, vectors * lanes + lanes / 2) - whole) / whole;
    };
    EXPECT_NEAR(end(true), 1, 0.05);
    EXPECT_GT(end(false), 3);
}

// A checkerboard takes vectors apart as well, although a copy that knows x does not know the colour. Every second element
// is then loaded on its own.
TEST_F(RowEnds, OfCheckerboardsAreABranchPerElement) {
    const Machine machine = with_vectors(64);
    const auto end = [&](const Expr &condition) {
        const auto cycles = [&](int width) {
            ImageParam input(UInt(8), 2, "input");
            Halide::Func inner("inner");
            inner(x, y) = select(condition, input(x, y), input(x, y + 1));
            const StageCycles c = of(machine, inner, width);
            return c.arithmetic + c.memory_operations();
        };
        const double whole = cycles(vectors * lanes);
        return vectors * (cycles(vectors * lanes + lanes / 2) - whole) / whole;
    };
    EXPECT_GT(end((x + y) % 2 == 0), 8);
    EXPECT_NEAR(end((x + y) % 8 == 0), 1, 0.05);  // Halide takes nothing apart
}

}  // namespace
}  // namespace cryolite
