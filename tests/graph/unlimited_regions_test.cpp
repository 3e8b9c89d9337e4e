// Regions that grow with the output without a limit. Halide's code says which they are not: given the memory type
// Register, it refuses memory for whose size it finds no constant limit.
#include "graph/facts/unlimited_regions.h"

#include <gtest/gtest.h>

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;

struct UnlimitedRegions : testing::Test {
    Var x{"x"}, y{"y"};
    Halide::Func f{"f"}, out{"out"};

    void SetUp() override { f(x, y) = x + 2.5f * y; }

    bool grows() {
        estimate(out, {640, 480});
        const BuiltGraph built = build({out});
        return unlimited_regions(built.graph)[built.graph.find(f.name()).index()];
    }

    bool halide_finds_a_limit() {
        f.compute_root().store_in(MemoryType::Register);
        try {
            Pipeline(out).compile_to_module({}, "k");
        } catch (const CompileError &) {
            return false;
        }
        return true;
    }
};

TEST_F(UnlimitedRegions, OfAStencilGrow) {
    out(x, y) = f(x - 1, y) + f(x + 1, y);
    EXPECT_TRUE(grows());
    EXPECT_FALSE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, OfOneRowOfTheOutputGrow) {
    out(x, y) = f(2 * x, 3) + f(x, 5);
    EXPECT_TRUE(grows());
    EXPECT_FALSE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, GrowThroughOtherFuncs) {
    Halide::Func between("between");
    between(x, y) = f(y, x);
    out(x, y) = between(x, y + 4);
    between.compute_root();
    EXPECT_TRUE(grows());
    EXPECT_FALSE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, OfConstantIndicesDoNotGrow) {
    RDom r(0, 5);
    out(x, y) = cast<float>(x + y);
    out(x, y) += f(r, 7);
    EXPECT_FALSE(grows());
    EXPECT_TRUE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, OfClampedIndicesAreNotKnownToGrow) {
    out(x, y) = f(clamp(x, 0, 9), clamp(y, 0, 9));
    EXPECT_FALSE(grows());
    EXPECT_TRUE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, OfDataDependentIndicesAreNotKnownToGrow) {
    ImageParam image(UInt(8), 2, "image");
    out(x, y) = f(cast<int>(image(x, y)), 3);
    EXPECT_FALSE(grows());
}

TEST_F(UnlimitedRegions, OfBoundedOutputsDoNotGrow) {
    out(x, y) = f(x, y);
    out.bound(x, 0, 32).bound(y, 0, 8);
    EXPECT_FALSE(grows());
    EXPECT_TRUE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, OfOutputsInConstrainedBuffersDoNotGrow) {
    out(x, y) = f(x, y);
    out.output_buffer().dim(0).set_bounds(0, 32);
    out.output_buffer().dim(1).set_extent(8);
    EXPECT_FALSE(grows());
    EXPECT_TRUE(halide_finds_a_limit());
}

TEST_F(UnlimitedRegions, OfBoundedFuncsDoNotGrow) {
    out(x, y) = f(x, y);
    f.bound(x, 0, 32).bound(y, 0, 8);
    EXPECT_FALSE(grows());
}

TEST_F(UnlimitedRegions, GrowInTheOneDimensionThatIsNotBounded) {
    out(x, y) = f(x, y);
    out.bound(x, 0, 32);
    EXPECT_TRUE(grows());
    EXPECT_FALSE(halide_finds_a_limit());
}

}  // namespace
}  // namespace cryolite
