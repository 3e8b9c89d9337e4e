// Dot products against the same copies apart.
#include <gtest/gtest.h>

#include "analytical/cycles/dot_products.h"
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

// A row of bytes times small numbers that lie by fours beside each other, by columns, or by rows; or a window that
// slides along the row; or packed numbers times a part of the row that 32 columns share. Two points instead of four: of
// words.
enum class Layout { Packed, Columns, Rows, Window, Groups };

StageCycles cycles(const Machine &machine, Layout layout, bool is_dot, int points = 4,
                   int first = 0) {
    Var x{"x"}, y{"y"};
    RDom r{0, points, 0, 256 / points, "r"};
    const bool words = points == 2;
    ImageParam rows{words ? Int(16) : UInt(8), 2, "rows"},
        weights{words ? Int(16) : Int(8), 3, "weights"};
    Halide::Func sums{"sums"}, out{"out"};
    const Expr k = r.x + points * r.y;
    const bool packed = layout == Layout::Packed || layout == Layout::Groups;
    const Expr weight = packed                      ? weights(r.x, x, r.y)
                        : layout == Layout::Columns ? weights(k, x, 0)
                        : layout == Layout::Window  ? weights(k, 0, 0)
                                                    : weights(x, k, 0);
    const Expr row = layout == Layout::Window   ? rows(k + x, y)
                     : layout == Layout::Groups ? rows(x / 32 * 32 + k, y)
                                                : rows(k, y);
    sums(x, y) = 0;
    sums(x, y) += cast<int32_t>(row) * cast<int32_t>(weight);
    out(x, y) = sums(x, y) / 16;
    estimate(rows, {320, 64});
    estimate(weights, packed ? std::vector<int>{4, 64, 64} : std::vector<int>{256, 256, 1});
    if (packed) weights.dim(1).set_stride(4);
    out.set_estimates({{first, 64}, {0, 64}});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id, f = func(built, sums).id;
    const StageId s = built.graph.func(o).stages[0], u = built.graph.func(f).stages[1];
    const LoopNest nest = scheduled(
        built.graph,
        {action::ComputeRoot{o}, action::Tile{s, 1, {4}}, action::ComputeAt{f, {s, 1, 0}},
         action::Tile{u, 3, {4}}, action::Vectorize{u, 2, 16},
         action::Reorder{u, {{u, 3, 0}, {u, 2, 0}, {u, 1, 0}, {u, 3, 1}, {u, 0, 0}, {u, 2, 1}}},
         is_dot ? Action(action::Join{{u, 0, 0}}) : action::Unroll{{u, 0, 0}},
         action::Unroll{{u, 3, 1}}});
    return test::cycles_of(nest, machine, u);
}

double sum(const StageCycles &c) { return std::max(c.arithmetic, c.loads) + c.dependence; }

TEST(DotCycles, AreFewerWhereTheFactorsLieSideBySide) {
    for (const char *name : {"x86-avx512", "x86-avx2"}) {
        const Machine machine = *machine_preset(name);
        const StageCycles dot = cycles(machine, Layout::Packed, true),
                          apart = cycles(machine, Layout::Packed, false);
        EXPECT_LT(sum(dot), 0.7 * sum(apart)) << name;
        EXPECT_LE(dot.loads, apart.loads) << name;
        EXPECT_LT(sum(cycles(machine, Layout::Columns, true)),
                  sum(cycles(machine, Layout::Columns, false)))
            << name;
    }
}

TEST(DotCycles, AreMoreWhereEachIsLoadedByItself) {
    const Machine machine = *machine_preset("x86-avx512");
    EXPECT_GT(sum(cycles(machine, Layout::Rows, true)),
              2 * sum(cycles(machine, Layout::Rows, false)));
}

// Lanes of a group share a factor. Halide sees it where the columns begin at a number; else it loads each lane by
// itself.
TEST(DotCycles, AreSavedWhereLanesOfAGroupAreSeenToShareAFactor) {
    for (const char *name : {"x86-avx512", "x86-avx2"}) {
        const Machine machine = *machine_preset(name);
        const auto loads = [&](bool is_dot, int first) {
            return cycles(machine, Layout::Groups, is_dot, 4, first).loads;
        };
        EXPECT_LT(loads(true, 0), 0.3 * loads(true, 32)) << name;
        EXPECT_GT(loads(true, 32), 0.7 * loads(false, 32)) << name;
    }
}

// Halide 21 takes the instruction for four bytes only where four stand in a lane.
TEST(DotCycles, AreFewestForAsManyProductsAsTheInstructionTakes) {
    const Machine machine = *machine_preset("x86-avx512");
    const auto arithmetic = [&](int points) {
        return cycles(machine, Layout::Columns, true, points).arithmetic;
    };
    EXPECT_GT(arithmetic(8), 2 * arithmetic(4));
    EXPECT_GT(arithmetic(16), 2 * arithmetic(4));
}

// Neighbouring lanes of a sliding window share elements. Pairs are picked out of whole vectors, and longer windows put
// together piece by piece.
TEST(DotCycles, AreFewerForPairsOfASlidingWindow) {
    const Machine machine = *machine_preset("x86-avx512");
    const auto busy = [&](bool is_dot, int points) {
        const StageCycles c = cycles(machine, Layout::Window, is_dot, points);
        return std::max(c.arithmetic, c.loads);
    };
    EXPECT_LT(busy(true, 2), 0.8 * busy(false, 2));
    EXPECT_GT(busy(true, 4), busy(true, 2));
}

// Four products are one step of a sum, as an instruction of theirs or as copies that pass it on.
TEST(DotCycles, WaitForMemoryOnceForAllProducts) {
    const Machine machine = *machine_preset("x86-avx512");
    const StageCycles dot = cycles(machine, Layout::Packed, true),
                      apart = cycles(machine, Layout::Packed, false);
    EXPECT_GT(dot.dependence, 0);
    EXPECT_EQ(dot.dependence, apart.dependence);
    EXPECT_EQ(dot.stores, apart.stores);
}

TEST(DotCycles, NeedAnInstruction) {
    Machine machine = *machine_preset("x86-avx512");
    const ScalarType byte{ScalarType::Kind::UInt, 8}, signed_byte{ScalarType::Kind::Int, 8},
        word{ScalarType::Kind::Int, 16};
    EXPECT_EQ(dot_points(machine, {byte, signed_byte}), 4);
    EXPECT_EQ(dot_points(machine, {byte, byte}), 2);
    EXPECT_EQ(dot_points(machine, {byte, word}), 2);
    machine.equal_byte_products = 1;
    EXPECT_EQ(dot_points(machine, {byte, byte}), 4);
    machine.word_products = machine.mixed_byte_products = 0;
    EXPECT_EQ(dot_points(machine, {byte, signed_byte}), 1);
    machine.equal_byte_products = 0;
    EXPECT_GT(sum(cycles(machine, Layout::Packed, true)),
              sum(cycles(machine, Layout::Packed, false)));
}

}  // namespace
}  // namespace cryolite
