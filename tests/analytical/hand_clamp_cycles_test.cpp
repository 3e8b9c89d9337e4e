// Loads through clamps by hand that Halide leaves in all vectors of a row.
#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::func;

// The cycles of all loads of an output in vectors of 16. It reads two colours at one place. Its update keeps its
// vectors from shifting inwards.
double loads(bool by_hand, bool has_update) {
    const Var x("x"), y("y");
    ImageParam input(UInt(8), 3, "input");
    const Expr column = clamp(x, 0, input.width() - 1), row = clamp(y, 0, input.height() - 1);
    const Halide::Func edges = BoundaryConditions::repeat_edge(input);
    const auto colour = [&](int c) { return by_hand ? input(column, row, c) : edges(x, y, c); };
    Halide::Func out("out");
    out(x, y) = cast<uint16_t>(colour(0)) + colour(1);
    if (has_update) out(x, y) += cast<uint16_t>(1);
    input.set_estimates({{0, 1024}, {0, 512}, {0, 3}});
    out.set_estimates({{0, 1024}, {0, 512}});
    const BuiltGraph built = build({out});
    const Func &o = func(built, out);
    const StageId s = o.stages[0];
    const LoopNest nest = test::scheduled(
        built.graph,
        {action::ComputeRoot{o.id}, action::Tile{s, 0, {64}}, action::Vectorize{s, 0, 16}});
    return test::cycles_of(nest, test::some_machine(), s).loads;
}

TEST(HandClampCycles, AreThoseOfGathersWhereNothingCutsTheClampsOff) {
    EXPECT_GT(loads(true, true), 3 * loads(false, true));
}

TEST(HandClampCycles, AreThoseOfABoundaryConditionWhereVectorsShiftInwards) {
    EXPECT_NEAR(loads(true, false), loads(false, false), 0.01 * loads(false, false));
}

}  // namespace
}  // namespace cryolite
