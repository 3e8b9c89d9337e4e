// Copies in blocks are placed like any other Func; outputs that read the same are offered each other's loops.
#include "search/reads/packed_reads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code/legality/apply.h"
#include "search/space/placements.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using Halide::Var;

Var x("x"), y("y"), i("i"), b("b");

// Rows of bytes times weights that are copied: in blocks of four, or as they are.
struct Layer {
    Halide::ImageParam in{Halide::UInt(8), 2, "in"}, w{Halide::Int(8), 2, "w"};
    Halide::Func copy{"copy"}, sum{"sum"}, out{"out"};
    BuiltGraph built;

    explicit Layer(bool in_blocks) : built(build(in_blocks)) {}
    BuiltGraph build(bool in_blocks) {
        Halide::RDom r(0, 4, 0, 16, "r");
        copy(i, x, b) = in_blocks ? w(4 * b + i, x) : w(i, x + b);
        sum(x, y) += Halide::cast<int>(in(4 * r.y + r.x, y)) * Halide::cast<int>(copy(r.x, x, r.y));
        out(x, y) = Halide::cast<uint8_t>(sum(x, y) >> 8);
        in.set_estimates({{0, 64}, {0, 96}});
        w.set_estimates({{0, 64}, {0, 80}});
        out.set_estimates({{0, 64}, {0, 96}});
        return test::build({out});
    }
    bool is_kept() const { return is_repacked(built.graph, test::func(built, copy)); }
};

TEST(PackedReads, are_of_copies_in_blocks_that_are_read_again) {
    EXPECT_TRUE(Layer(true).is_kept());
    EXPECT_FALSE(Layer(false).is_kept());
}

TEST(PackedReads, of_copies_in_blocks_may_be_at_root) {
    const Layer layer(true);
    const StageGraph &graph = layer.built.graph;
    const LoopNest nest =
        *replay(graph, Trace{action::ComputeRoot{test::func(layer.built, layer.out).id},
                             action::ComputeRoot{test::func(layer.built, layer.sum).id}});
    const FuncId copy = test::func(layer.built, layer.copy).id;
    const std::vector<PlacementActions> places = placements(nest, copy, false);
    EXPECT_TRUE(std::ranges::count(places, PlacementActions{action::ComputeRoot{copy}}));
    EXPECT_TRUE(std::ranges::count(places, PlacementActions{action::Inline{copy}}));
}

// Two outputs of one size, and one that has as many rows.
TEST(Placements, of_outputs_that_read_the_same_are_in_shared_loops) {
    Halide::ImageParam in(Halide::Float(32), 2, "in");
    Halide::Func one("one"), two("two"), small("small");
    one(x, y) = in(x, y) + 1;
    two(x, y) = in(x, y) * 2;
    small(x, y) = in(x, y) * 3;
    in.set_estimates({{0, 512}, {0, 256}});
    for (Halide::Func f : {one, two}) f.set_estimates({{0, 512}, {0, 256}});
    small.set_estimates({{0, 64}, {0, 256}});
    const BuiltGraph built = test::build({one, two, small});
    LoopNest nest(built.graph);
    size_t shared = 0;
    for (size_t f = 0; f < built.graph.num_scheduled(); f++) {
        if (!built.graph.func(FuncId(f)).is_output()) continue;
        for (const PlacementActions &p : placements(nest, FuncId(f), false))
            if (const auto *with = std::get_if<action::ComputeWith>(&p[0])) {
                shared++;
                const bool is_small = built.graph.func(FuncId(f)).name == small.name() ||
                                      built.graph.func_of(with->with.stage).name == small.name();
                EXPECT_TRUE(!is_small || with->with.dim == 1);
            }
        ASSERT_TRUE(try_apply(nest, action::ComputeRoot{FuncId(f)}));
    }
    EXPECT_EQ(shared, 4u);  // the loops over y and x, and small's over y with those of both
}

}  // namespace
}  // namespace cryolite
