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

// A row of bytes times small numbers that lie by fours beside each other, by columns, or by rows.
enum class Layout { Packed, Columns, Rows };

StageCycles cycles(const Machine &machine, Layout layout, bool is_dot) {
    Var x{"x"}, y{"y"};
    RDom r{0, 4, 0, 64, "r"};
    ImageParam rows{UInt(8), 2, "rows"}, weights{Int(8), 3, "weights"};
    Halide::Func sums{"sums"}, out{"out"};
    const Expr k = r.x + 4 * r.y;
    const Expr weight = layout == Layout::Packed    ? weights(r.x, x, r.y)
                        : layout == Layout::Columns ? weights(k, x, 0)
                                                    : weights(x, k, 0);
    sums(x, y) = 0;
    sums(x, y) += cast<int32_t>(rows(k, y)) * cast<int32_t>(weight);
    out(x, y) = sums(x, y) / 16;
    estimate(rows, {256, 64});
    estimate(weights, layout == Layout::Packed ? std::vector<int>{4, 64, 64}
                                               : std::vector<int>{256, 256, 1});
    if (layout == Layout::Packed) weights.dim(1).set_stride(4);
    estimate(out, {64, 64});
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
