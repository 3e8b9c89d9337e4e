// Bodies that the cache of decoded instructions does not hold.
#include "analytical/cycles/fetched_code.h"

#include <gtest/gtest.h>

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using test::some_machine;

TEST(FetchedCode, IsWhatTheCacheOfDecodedInstructionsDoesNotHold) {
    const Machine &machine = some_machine();
    const double held = machine.core.decoded_instructions;
    EXPECT_EQ(fetch_cycles(machine, held), 0);
    EXPECT_GT(fetch_cycles(machine, held + 1), held / 4);
    EXPECT_DOUBLE_EQ(fetch_cycles(machine, 4 * held), 2 * fetch_cycles(machine, 2 * held));
}

TEST(FetchedCode, AnOperationOnSeveralVectorsIsSeveralInstructions) {
    const Machine &machine = some_machine();
    const int lanes = machine.vector_bytes / 4;
    OpHistogram ops;
    ops.at(OpKind::Add, TypeClass::Int32) = 10;
    EXPECT_EQ(instructions_of(machine, ops, 1), 10);
    EXPECT_EQ(instructions_of(machine, ops, lanes), 10);
    EXPECT_EQ(instructions_of(machine, ops, 4 * lanes), 40);
}

// Colours out of a table with three dimensions, eight of whose points are loaded for each. With Halide 21 on a Zen 5
// 64 lanes are 6454 instructions and took twice as long as 16 lanes, of 1762.
TEST(FetchedCode, GathersOfWideVectorsAreFetchedAnew) {
    using namespace Halide;
    constexpr int size = 640;
    Var x("x");
    ImageParam colours(UInt(8), 2, "colours"), table(UInt(8), 4, "table");
    Halide::Func out("out");
    const auto index = [&](int c) { return cast<int>(colours(x, c)) / 8; };
    Expr sum = cast<int>(0);
    for (int c = 0; c < 3; c++)
        for (int corner = 0; corner < 8; corner++)
            sum += (corner + 1) * cast<int>(table(index(0) + corner % 2, index(1) + corner / 2 % 2,
                                                  index(2) + corner / 4, c));
    out(x) = sum;
    test::estimate(out, {size});
    test::estimate(colours, {size, 3});
    test::estimate(table, {33, 33, 33, 3});
    const BuiltGraph built = test::build({out});
    const StageId s = test::stage(built, out).id;
    const auto cycles = [&](int32_t lanes) {
        const LoopNest nest = test::scheduled(
            built.graph,
            {action::ComputeRoot{test::func(built, out).id},
             action::Vectorize{s, test::loop_over(test::stage(built, out), 0), lanes}});
        return test::cycles_of(nest, some_machine(), s);
    };
    EXPECT_GT(cycles(64).arithmetic, 1.3 * cycles(16).arithmetic);
}

}  // namespace
}  // namespace cryolite
