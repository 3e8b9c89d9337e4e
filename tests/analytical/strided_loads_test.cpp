// Vectors of every second or fourth element, of which several come out of the same loads.
#include <gtest/gtest.h>

#include "analytical/cycles/access_cycles.h"
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

constexpr int width = 960, taps = 16;

// The loads of sums over `taps` neighbours, for points that lie `stride` apart; `together` taps are unrolled.
double load_cycles(const Machine &machine, int stride, int together) {
    Var x{"x"};
    RDom r{0, taps, "r"};
    ImageParam in{Float(32), 1, "in"};
    Halide::Func out{"out"};
    out(x) = 0.0f;
    out(x) += in(stride * x + r);
    estimate(in, {stride * width + taps});
    estimate(out, {width});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id;
    const StageId u = built.graph.func(o).stages[1];
    Trace trace{action::ComputeRoot{o}};
    if (together > 1) trace.push_back(action::Tile{u, 0, {together}});
    trace.push_back(action::Vectorize{u, 1, 16});
    if (together > 1) {
        trace.push_back(action::Reorder{u, {{u, 1, 0}, {u, 0, 0}, {u, 0, 1}, {u, 1, 1}}});
        trace.push_back(action::Unroll{{u, 0, 1}});
    } else {
        trace.push_back(action::Reorder{u, {{u, 1, 0}, {u, 0, 0}, {u, 1, 1}}});
    }
    return test::cycles_of(scheduled(built.graph, trace), machine, u).loads;
}

// A Zen 5 takes 1.1 cycles for a vector of every second element with two out of the same loads, and 1.9 for one of
// every fourth with four, the additions included.
TEST(StridedLoads, ThatBeginWithinAStrideShareTheWholeVectors) {
    const Machine machine = *machine_preset("x86-avx512-zen5");
    const double vectors = width / 16 * taps, load = 2 * machine.vector.load;
    for (int stride : {2, 4}) {
        const double alone = load_cycles(machine, stride, 1),
                     shared = load_cycles(machine, stride, stride);
        const double saved = (stride - 1) * load;  // of `stride` whole vectors for each
        EXPECT_NEAR(alone - shared, vectors * saved, 0.15 * alone) << stride;
        // Twice as many are two groups.
        EXPECT_NEAR(load_cycles(machine, stride, 2 * stride), shared, 0.1 * shared) << stride;
    }
    EXPECT_NEAR(load_cycles(machine, 1, 4), load_cycles(machine, 1, 1),
                0.3 * load_cycles(machine, 1, 1));
}

TEST(StridedLoads, ShareNothingWithoutAnInstructionThatPicksFromTwo) {
    const Machine machine = *machine_preset("x86-avx2");
    EXPECT_FALSE(picks_from_two(machine));
    EXPECT_NEAR(load_cycles(machine, 2, 2), load_cycles(machine, 2, 1),
                0.05 * load_cycles(machine, 2, 1));
}

// The loads of vectors whose neighbours stand still for `run` points.
double run_load_cycles(const Machine &machine, int run) {
    Var x{"x"};
    ImageParam in{Float(32), 1, "in"};
    Halide::Func out{"out"};
    out(x) = in(x / run * run + 1) + in(x / run * run + 4);
    estimate(in, {width + 8});
    estimate(out, {width});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id;
    const StageId s = built.graph.func(o).stages[0];
    const Trace trace{action::ComputeRoot{o}, action::Vectorize{s, 0, 16}};
    return test::cycles_of(scheduled(built.graph, trace), machine, s).loads;
}

// Halide takes vectors apart that it divides by 2, 3 or 4: of x / 2 * 2 into even and odd lanes, whose loads are two
// elements apart. Of x / 8 * 8 it loads each lane by itself. Found in a mosaic of colours, which ran three times as fast
// as predicted.
TEST(StridedLoads, OfShortRunsAreTakenApartWithTheirVector) {
    const Machine machine = *machine_preset("x86-avx512");
    const double vectors = width / 16.0, gathers = 2 * 16 * machine.vector.gather_element * vectors;
    EXPECT_LT(run_load_cycles(machine, 2), 0.3 * gathers);
    EXPECT_LT(run_load_cycles(machine, 4), 0.6 * gathers);
    EXPECT_NEAR(run_load_cycles(machine, 8), gathers, 0.1 * gathers);
}

}  // namespace
}  // namespace cryolite
