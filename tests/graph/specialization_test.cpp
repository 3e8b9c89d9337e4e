// Outputs that may be specialised for their sizes.
#include <algorithm>

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;

// Of `count` outputs, of which the first `together` read the same stencil: how many may be specialised.
int specialized(int count, int together) {
    const Var x("x"), y("y");
    const ImageParam in(Int(32), 2, "in");
    Halide::Func shared("shared");
    shared(x, y) = in(x, y) + in(x + 1, y);
    std::vector<Halide::Func> outputs;
    for (int i = 0; i < count; i++) {
        const ImageParam own(Int(32), 2, "own" + std::to_string(i));
        Halide::Func out("out" + std::to_string(i));
        out(x, y) = i < together ? shared(x, y) + i : own(x, y);
        estimate(out, {640, 480});
        outputs.push_back(out);
    }
    const BuiltGraph built = build(outputs);
    return static_cast<int>(std::ranges::count_if(
        outputs, [&](const Halide::Func &f) { return test::func(built, f).may_specialize; }));
}

TEST(Specialization, IsForOutputsOfWhichFewReadTheSame) {
    EXPECT_EQ(specialized(6, 6), 6);
    // Halide would simplify the cases of all of them in all combinations.
    EXPECT_EQ(specialized(16, 16), 0);
    EXPECT_EQ(specialized(16, 0), 16);
    EXPECT_EQ(specialized(10, 7), 3);
}

}  // namespace
}  // namespace cryolite
