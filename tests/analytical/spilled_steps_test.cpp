// Sums that do not fit in the registers, in bodies of several steps.
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

// Spills per run of a body with `vectors` sums in `steps` steps, which stand around the sums or inside of them.
double spills(int vectors, int steps, bool steps_around) {
    const Machine machine = *machine_preset("x86-avx2");
    const int lanes = machine.vector_bytes / 4, width = lanes * vectors;
    Var x{"x"};
    ImageParam input{Float(32), 2, "input"};
    RDom r{0, 64, "r"};
    Halide::Func sum{"sum"}, out{"out"};
    sum(x) = 0.0f;
    sum(x) += input(x, r);
    out(x) = sum(x);
    out.bound(x, 0, 2 * width);
    estimate(input, {2 * width, 64});
    estimate(out, {2 * width});
    const BuiltGraph built = build({out});
    const StageId u = func(built, sum).stages[1];
    Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{func(built, sum).id},
                action::Tile{u, 0, {steps}}, action::Tile{u, 1, {width}},
                action::Vectorize{u, 1, static_cast<int16_t>(lanes)}};
    const LoopName step{u, 0, 1}, copy{u, 1, 1};
    trace.push_back(action::Reorder{
        u,
        {{u, 1, 0}, {u, 0, 0}, steps_around ? step : copy, steps_around ? copy : step, {u, 1, 2}}});
    trace.push_back(action::Unroll{step});
    trace.push_back(action::Unroll{copy});
    const StageCycles cycles = test::cycles_of(scheduled(built.graph, trace), machine, u);
    return cycles.spills / 2 / (64.0 / steps);
}

TEST(SpilledSteps, AreThoseThatWalkThroughAllSums) {
    const int registers = machine_preset("x86-avx2")->vector_registers;
    EXPECT_EQ(spills(registers / 2, 4, true), 0);
    // One sum after the other takes all its steps in a register.
    const double once = spills(2 * registers, 4, false);
    EXPECT_GT(once, 0);
    EXPECT_NEAR(spills(2 * registers, 8, false), once, 1e-9 * once);
    EXPECT_GE(spills(2 * registers, 4, true), 4 * once);
    EXPECT_NEAR(spills(2 * registers, 8, true), 2 * spills(2 * registers, 4, true), 1e-9 * once);
}

}  // namespace
}  // namespace cryolite
