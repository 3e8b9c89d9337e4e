// Copies whose rows are read across are turned in a block of their reader; all others stay inlined.
#include "search/reads/transposed_reads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "search/space/placements.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using Halide::Var;
using testing::SmallPipeline;

Var x("x"), y("y"), z("z");

// What a pipeline does with an input of two dimensions.
struct Reader {
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func out{"out"};
    BuiltGraph build() {
        input.set_estimates({{0, 512}, {0, 512}});
        out.set_estimates({{0, 256}, {0, 256}});
        return SmallPipeline{{out}}.build();
    }
};

FuncId copy_of_input(const StageGraph &graph) {
    for (const Func &f : graph.funcs())
        if (f.role == FuncRole::Intermediate && source_row_dim(graph, f)) return f.id;
    throw std::runtime_error("the pipeline has no copy");
}

LoopNest with_output_tiled(const StageGraph &graph) {
    const StageId s = graph.func(FuncId(0)).stages[0];
    return *replay(graph, Trace{action::ComputeRoot{FuncId(0)}, action::Tile{s, 0, {64, 16}},
                                action::Tile{s, 1, {64, 8}}});
}

TEST(TransposedReads, are_of_what_the_readers_vectors_walk_across) {
    Reader turned, straight, diagonal, both, shifted;
    turned.out(x, y) = turned.input(y, x);
    straight.out(x, y) = straight.input(x, y);
    diagonal.out(x, y) = diagonal.input(x, x + y);
    both.out(x, y) = both.input(x, y) + both.input(y, x);
    shifted.out(x, y) = shifted.input(y + 3, x + 1) + shifted.input(y, x);
    const auto across = [](Reader &r) {
        const BuiltGraph built = r.build();
        const LoopNest nest = with_output_tiled(built.graph);
        return transposed_dim(nest, copy_of_input(built.graph));
    };
    EXPECT_EQ(across(turned), 1);
    EXPECT_EQ(across(straight), std::nullopt);
    EXPECT_EQ(across(diagonal), std::nullopt);
    EXPECT_EQ(across(both), 1);
    EXPECT_EQ(across(shifted), 1);
}

TEST(TransposedReads, are_seen_through_what_is_inlined) {
    Reader r;
    Halide::Func turned("turned");
    turned(x, y) = r.input(y, x);
    r.out(x, y) = turned(x, y) * 2.0f;
    const BuiltGraph built = r.build();
    const StageGraph &graph = built.graph;
    const std::optional<TransposedRead> read = transposed_read(graph, graph.func(FuncId(0)));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->row_dim, 1);
    const LoopNest nest =
        *cryolite::apply(with_output_tiled(graph), action::Inline{graph.find(turned.name())});
    // `turned` is a copy, too. This one is read through it.
    const FuncId copy = graph.find(Halide::Func(r.input).name());
    ASSERT_TRUE(copy.valid());
    EXPECT_EQ(transposed_dim(nest, copy), 1);
}

TEST(TransposedReads, alone_give_a_copy_a_place) {
    Reader turned, straight;
    turned.out(x, y) = turned.input(y, x);
    straight.out(x, y) = straight.input(x, y) + straight.input(x + 1, y);
    const auto places = [](Reader &r) {
        const BuiltGraph built = r.build();
        return placements(with_output_tiled(built.graph), copy_of_input(built.graph), false);
    };
    const std::vector<PlacementActions> none = places(straight), some = places(turned);
    ASSERT_EQ(none.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<action::Inline>(none[0][0]));
    ASSERT_GT(some.size(), 3u);
    for (size_t i = 1; i < some.size(); i++) {
        ASSERT_EQ(some[i].size(), 2u);
        EXPECT_TRUE(std::holds_alternative<action::ComputeAt>(some[i][0]));
        EXPECT_EQ(std::get<action::ReorderStorage>(some[i][1]).order, (std::vector<int>{1, 0}));
    }
}

// A copy of a Func that is loaded several times does not count as free to inline.
TEST(TransposedReads, give_a_copy_that_is_loaded_several_times_a_turned_place) {
    Reader r;
    Halide::Func below("below"), copy("copy");
    below(x, y) = r.input(x, y) * 2.0f;
    copy(x, y) = below(x, y);
    r.out(x, y) = copy(y, x) + copy(y + 1, x);
    const BuiltGraph built = r.build();
    const std::vector<PlacementActions> places =
        placements(with_output_tiled(built.graph), built.graph.find(copy.name()), false);
    EXPECT_TRUE(std::ranges::any_of(places, [](const PlacementActions &place) {
        return place.size() == 2 && std::holds_alternative<action::ReorderStorage>(place[1]);
    }));
}

// What a predicate leaves out of a loop is not asked for of an input, but would be of a copy inside.
TEST(TransposedReads, under_a_predicate_stay_inlined) {
    const auto dim = [](bool has_predicate) {
        Reader r;
        Halide::RDom k(0, 64);
        if (has_predicate) k.where(k.x <= x);
        r.out(x, y) = 0.0f;
        r.out(x, y) += r.input(k.x, x) * r.input(k.x, y);
        const BuiltGraph built = r.build();
        const LoopNest nest = *replay(built.graph, Trace{action::ComputeRoot{FuncId(0)}});
        return transposed_dim(nest, copy_of_input(built.graph));
    };
    EXPECT_EQ(dim(false), 1);
    EXPECT_EQ(dim(true), std::nullopt);
}

TEST(TransposedReads, are_turned_in_blocks_by_the_search) {
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 4;
    for (int size : {1000, 4096, 4097}) {
        const BuiltGraph built = testing::transposition(size).build();
        const SearchResult r = search(built.graph, machine, {});
        EXPECT_EQ(validate(r.nest), "");
        const FuncNest &copy = r.nest.at(copy_of_input(built.graph));
        EXPECT_EQ(copy.placement, Placement::At) << to_tree_text(r.nest);
        EXPECT_EQ(copy.storage_order, (std::vector<int>{1, 0})) << to_tree_text(r.nest);
    }
}

TEST(TransposedReads, of_tiny_images_are_scheduled) {
    for (int size : {1, 2, 5, 16, 17}) {
        const BuiltGraph built = testing::transposition(size).build();
        const SearchResult r = search(built.graph, *machine_preset("x86-avx2"), {});
        EXPECT_TRUE(r.nest.complete());
        EXPECT_EQ(validate(r.nest), "");
    }
}

}  // namespace
}  // namespace cryolite
