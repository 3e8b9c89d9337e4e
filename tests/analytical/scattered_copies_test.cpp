// Steps of histograms, unrolled.
#include "analytical/cycles/scattered_copies.h"

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

struct ScatteredCopiesOf : testing::Test {
    static constexpr int width = 256, height = 128;
    Var i{"i"}, j{"j"};
    ImageParam a{UInt(8), 2, "a"}, b{UInt(8), 2, "b"};
    RDom r{0, width, 0, height, "r"};
    Halide::Func sum{"sum"}, out{"out"};
    std::unique_ptr<BuiltGraph> built;
    StageId update;

    // A joint histogram; or sums along rows, which do not scatter.
    void define(bool scatters = true, int stride = 1) {
        const auto value = [&](const ImageParam &p) { return cast<int>(p(r.x * stride, r.y)) / 4; };
        sum(i, j) = 0;
        if (scatters)
            sum(value(a), value(b)) += 1;
        else
            sum(i, j) += value(a) * value(b) + i;
        out(i, j) = sum(i, j);
        estimate(out, {64, 64});
        built = std::make_unique<BuiltGraph>(build({out}));
        update = func(*built, sum).stages[1];
    }
    LoopNest unrolled(int copies) const {
        Trace trace{action::ComputeRoot{func(*built, out).id},
                    action::ComputeRoot{func(*built, sum).id}};
        if (copies > 1) {
            trace.push_back(action::Tile{update, 0, {copies}});
            trace.push_back(action::Unroll{{update, 0, 1}});
        }
        return scheduled(built->graph, trace);
    }
    StageCycles cycles(int copies) const {
        return test::cycles_of(unrolled(copies), some_machine(), update);
    }
    double busy(int copies) const {
        const StageCycles c = cycles(copies);
        return std::max({c.arithmetic, c.loads, c.stores}) + c.loops;
    }
};

TEST_F(ScatteredCopiesOf, AreBestByFours) {
    define();
    EXPECT_LT(cycles(4).arithmetic, 0.6 * cycles(1).arithmetic);
    EXPECT_LT(cycles(4).loads, cycles(1).loads);
    EXPECT_LT(busy(2), busy(1));
    EXPECT_LT(busy(4), busy(2));
    EXPECT_LT(busy(4), busy(16));
    EXPECT_LT(busy(4), busy(64));
}

// Each step stores in a place of its own.
TEST_F(ScatteredCopiesOf, StoreEach) {
    define();
    EXPECT_GE(cycles(4).stores, cycles(1).stores);
}

TEST_F(ScatteredCopiesOf, LoadTogetherWhatLiesSideBySide) {
    define(true, 3);
    EXPECT_NEAR(cycles(4).loads, cycles(1).loads, 1e-9 * cycles(1).loads);
}

TEST_F(ScatteredCopiesOf, AreNoSums) {
    define(false);
    StageExpander expander(built->graph);
    const LoopNest nest = unrolled(4);
    const StageCode code = stage_code(nest, update, expander);
    EXPECT_FALSE(scattered_copies(*code.stage, code.inner, 1));
}

}  // namespace
}  // namespace cryolite
