// Which Funcs wait for scans along their rows, and where they may be stored across them.
#include "search/reads/scanned_rows.h"

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "search/space/placements.h"
#include "search/space/tilings.h"
#include "tests/featurize/scheduled.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;

// Sums along rows, which a second Func reads.
struct ScannedRows : ::testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Int(32), 2, "input"};
    RDom r{1, input.width() - 1, "r"};
    Halide::Func sums{"sums"}, out{"out"};

    void SetUp() override { sums(x, y) = input(x, y); }

    BuiltGraph built() {
        out(x, y) = sums(x, y) * 2;
        input.set_estimates({{0, 640}, {0, 480}});
        out.set_estimates({{0, 640}, {0, 480}});
        return testing::SmallPipeline{{out}}.build();
    }
    std::optional<int> across() {
        const BuiltGraph b = built();
        return dim_across_scans(b.graph, b.graph.func(b.graph.find(sums.name())));
    }
    // The output in strips of 16 rows.
    LoopNest in_strips(const BuiltGraph &b) {
        const FuncId id = b.graph.find(out.name());
        const StageId s = b.graph.func(id).stages[0];
        return *replay(b.graph, Trace{action::ComputeRoot{id}, action::Tile{s, 1, {16}}});
    }
};

TEST_F(ScannedRows, HaveVectorsAcrossThem) {
    sums(r, y) += sums(r - 1, y);
    EXPECT_EQ(across(), 1);
}

TEST_F(ScannedRows, AreNoColumns) {
    sums(x, r) += sums(x, r - 1);
    EXPECT_FALSE(across());
}

TEST_F(ScannedRows, AreLeftWhereAnotherScanGoesAcross) {
    sums(r, y) += sums(r - 1, y);
    sums(x, r) += sums(x, r - 1);
    EXPECT_FALSE(across());
}

TEST_F(ScannedRows, AreLeftWhereRowsAreSkipped) {
    sums(r, y) += sums(r - 1, y) + input(r, 2 * y);
    EXPECT_FALSE(across());
}

// A single value in a loop of its reader has no rows.
TEST_F(ScannedRows, AreNoneInAFuncWithoutDimensions) {
    Halide::Func total("total"), scaled("scaled");
    total() = 0;
    total() += input(r, 0);
    sums(r, y) += sums(r - 1, y);
    scaled(x, y) = sums(x, y) * total();
    input.set_estimates({{0, 640}, {0, 480}});
    scaled.set_estimates({{0, 640}, {0, 480}});
    const BuiltGraph b = testing::SmallPipeline{{scaled}}.build();
    const FuncId reader = b.graph.find(scaled.name()), id = b.graph.find(total.name());
    const StageId s = b.graph.func(reader).stages[0];
    const LoopNest placed =
        *replay(b.graph, Trace{action::ComputeRoot{reader}, action::Tile{s, 1, {16}},
                               action::ComputeAt{id, {s, 1, 0}}});
    TilingLimits some;
    some.count = 4;
    EXPECT_FALSE(tilings(placed, id, *machine_preset("x86-avx2"), some, Random(1)).empty());
}

TEST_F(ScannedRows, MayBeStoredAcrossInATileOfTheirReader) {
    sums(r, y) += sums(r - 1, y);
    const BuiltGraph b = built();
    const FuncId id = b.graph.find(sums.name());
    bool offered = false;
    for (const PlacementActions &actions : placements(in_strips(b), id, false))
        for (const Action &a : actions)
            if (const auto *order = std::get_if<action::ReorderStorage>(&a))
                offered |= order->func == id && order->order[0] == 1;
    EXPECT_TRUE(offered);
}

TEST_F(ScannedRows, TakeVectorsAcrossInSomeTilingsAndAreRight) {
    sums(r, y) += sums(r - 1, y);
    const BuiltGraph b = built();
    const FuncId id = b.graph.find(sums.name());
    const StageId pure = b.graph.func(id).stages[0], scan = b.graph.func(id).stages[1];
    const StageId s = b.graph.func(b.graph.find(out.name())).stages[0];
    const LoopNest placed =
        *cryolite::apply(*cryolite::apply(in_strips(b), action::ComputeAt{id, {s, 1, 0}}),
                         action::ReorderStorage{id, {1, 0}});
    TilingLimits some;
    some.count = 64;
    const auto vector_dim = [&](const LoopNest &nest, StageId stage) {
        const LoopLevel &innermost = nest.stage_nest(stage).loops.back();
        return innermost.kind == LoopKind::Vectorized
                   ? b.graph.stage(stage).loops[static_cast<size_t>(innermost.name.dim)].func_dim
                   : -1;
    };
    std::optional<LoopNest> turned;
    for (const auto &actions : tilings(placed, id, *machine_preset("x86-avx2"), some, Random(1))) {
        LoopNest nest = placed;
        for (const Action &a : actions) nest = *cryolite::apply(nest, a);
        if (vector_dim(nest, pure) == 0 && vector_dim(nest, scan) == 1) turned = nest;
    }
    ASSERT_TRUE(turned);
    for (const Func &f : b.graph.funcs())
        if (!f.is_input() && !turned->decided(f.id))
            turned = *cryolite::apply(*turned, action::Inline{f.id});
    ASSERT_TRUE(emit(b, *turned).ok());
    for (int width : {2, 9, 33}) {
        Buffer<int32_t> image(width, 19);
        image.for_each_element([&](int i, int j) { image(i, j) = i * 7 + j; });
        input.set(image);
        const Buffer<int32_t> result = out.realize({width, 19});
        for (int j = 0; j < 19; j++)
            for (int i = 0, sum = 0; i < width; i++)
                ASSERT_EQ(result(i, j), 2 * (sum += image(i, j))) << i << " of " << width;
    }
}

}  // namespace
}  // namespace cryolite
