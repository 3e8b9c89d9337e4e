// Short rows joined in one vector, against the same copies apart.
#include <gtest/gtest.h>

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

// The columns of blocks that lie `step` points apart, of which eight are summed, in vectors over `rows` blocks.
StageCycles cycles(const Machine &machine, int step, int rows, bool joined) {
    Var x{"x"}, y{"y"}, u{"u"};
    ImageParam in{UInt(8), 2, "in"};
    RDom r{0, 8, "r"}, v{0, 16, "v"};
    Halide::Func columns{"columns"}, out{"out"};
    columns(u, x, y) = cast<uint16_t>(0);
    columns(u, x, y) += cast<uint16_t>(in(step * x + u, 16 * y + v));
    out(x, y) = cast<uint16_t>(0);
    out(x, y) += columns(r, x, y);
    estimate(out, {128, 24});
    estimate(in, {128 * step, 384});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id, f = func(built, columns).id;
    const StageId s = built.graph.func(o).stages[1], i = built.graph.func(f).stages[0],
                  c = built.graph.func(f).stages[1];
    const auto copies = [&](StageId of, int16_t u) {
        return joined ? Action(action::Join{{of, u, 1}}) : action::Unroll{{of, u, 1}};
    };
    // Loops of the update: v, u, x, y.
    const LoopNest nest = scheduled(
        built.graph,
        {action::ComputeRoot{o}, action::Tile{s, 1, {64}},
         action::Reorder{s, {{s, 2, 0}, {s, 1, 0}, {s, 1, 1}, {s, 0, 0}}},
         action::ComputeAt{f, {s, 1, 0}}, action::Tile{i, 0, {8}}, action::Vectorize{i, 1, rows},
         action::Reorder{i, {{i, 2, 0}, {i, 1, 0}, {i, 0, 0}, {i, 0, 1}, {i, 1, 1}}}, copies(i, 0),
         action::Tile{c, 1, {8}}, action::Vectorize{c, 2, rows},
         action::Reorder{c, {{c, 3, 0}, {c, 2, 0}, {c, 1, 0}, {c, 0, 0}, {c, 1, 1}, {c, 2, 1}}},
         copies(c, 1)});
    return test::cycles_of(nest, machine, c);
}

double sum(const StageCycles &c) {
    return std::max(c.arithmetic, c.loads + c.stores) + c.dependence;
}

TEST(JoinedCycles, AreFewerWhereRowsFollowEachOther) {
    for (const char *name : {"x86-avx512", "x86-avx2", "arm-neon"}) {
        const Machine machine = *machine_preset(name);
        const int rows = machine.vector_bytes / 2;
        const StageCycles dense = cycles(machine, 8, rows, true),
                          apart = cycles(machine, 8, rows, false);
        EXPECT_LT(sum(dense), 0.5 * sum(apart)) << name;
        // Whole vectors of bytes are loaded, and no more of them than there are bytes.
        const double vectors = 64.0 * 8 * 16 / machine.vector_bytes;  // of one tile
        EXPECT_GE(dense.loads, vectors * machine.vector.load) << name;
        EXPECT_LT(dense.loads, 2 * vectors * machine.vector.load) << name;
        EXPECT_LT(dense.loads, cycles(machine, 16, rows, true).loads)
            << name << ": blocks with gaps are put together";
    }
}

// A vector of two blocks has as many elements as one of sixteen where both fill the machine's.
TEST(JoinedCycles, CountWholeVectors) {
    const Machine machine = *machine_preset("x86-avx2");
    const StageCycles two = cycles(machine, 8, 2, true), sixteen = cycles(machine, 8, 16, true);
    EXPECT_NEAR(two.arithmetic, sixteen.arithmetic, 0.35 * sixteen.arithmetic);
}

}  // namespace
}  // namespace cryolite
