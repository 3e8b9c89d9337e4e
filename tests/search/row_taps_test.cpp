// Which loop walks along the rows of all that a convolution reads, and that some tilings unroll it alone.
#include "search/space/row_taps.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "machine/presets.h"
#include "search/space/tilings.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;

// A window of 3 x 3 over some channels.
struct RowTaps : ::testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam input{Float(32), 3, "input"}, weights{Float(32), 4, "weights"};
    RDom r{0, 3, 0, 3, 0, 32, "r"};
    Halide::Func out{"out"};

    BuiltGraph built(const Expr &product) {
        out(x, y, c) = 0.0f;
        out(x, y, c) += product;
        input.set_estimates({{0, 130}, {0, 66}, {0, 32}});
        weights.set_estimates({{0, 3}, {0, 3}, {0, 32}, {0, 16}});
        out.set_estimates({{0, 128}, {0, 64}, {0, 16}});
        return testing::SmallPipeline{{out}}.build();
    }

    StageId update(const BuiltGraph &b) { return b.graph.func(b.graph.find(out.name())).stages[1]; }

    std::optional<size_t> taps(const Expr &product) {
        const BuiltGraph b = built(product);
        return row_taps(b.graph, b.graph.stage(update(b)));
    }

    Expr product() { return weights(r.x, r.y, r.z, c) * input(x + r.x, y + r.y, r.z); }
};

TEST_F(RowTaps, AreInTheInnermostDimensionOfAllThatIsRead) { EXPECT_TRUE(taps(product())); }

TEST_F(RowTaps, MayWalkBackwardsAndInSteps) {
    EXPECT_TRUE(taps(weights(2 * r.x, r.y, r.z, c) * input(x - r.x, y + r.y, r.z)));
}

TEST_F(RowTaps, AreNotThereIfTheLoopWalksAcrossRows) {
    EXPECT_FALSE(taps(weights(r.y, r.x, r.z, c) * input(x + r.x, y + r.y, r.z)));
}

TEST_F(RowTaps, AreUnrolledAloneWhereChannelsAreTooManyForTheWholeWindow) {
    const BuiltGraph b = built(product());
    const FuncId id = b.graph.find(out.name());
    const StageId s = update(b);
    const LoopNest placed = *replay(b.graph, Trace{action::ComputeRoot{id}});
    TilingLimits some;
    some.count = 64;
    std::set<std::set<std::string>> unrolled;  // the reduction loops that are
    for (const auto &actions :
         tilings(placed, id, *machine_preset("x86-avx512"), some, Random(1))) {
        LoopNest nest = placed;
        for (const Action &a : actions) nest = *cryolite::apply(nest, a);
        std::set<std::string> of_nest;
        bool sums_outside = false;  // copies of sums around those of taps
        for (const LoopLevel &l : nest.stage_nest(s).loops) {
            const StageLoop &loop = b.graph.stage(s).loops[static_cast<size_t>(l.name.dim)];
            if (l.kind != LoopKind::Unrolled) continue;
            if (!loop.is_reduction) sums_outside = true;
            if (!loop.is_reduction) continue;
            EXPECT_FALSE(sums_outside);
            of_nest.insert(loop.name.substr(loop.name.find('$')));
        }
        unrolled.insert(of_nest);
    }
    EXPECT_EQ(unrolled, (std::set<std::set<std::string>>{{}, {"$x"}}));
}

}  // namespace
}  // namespace cryolite
