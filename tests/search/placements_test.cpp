// Where a Func may be computed.
#include "search/space/placements.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "code/legality/apply.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

bool has_root(const std::vector<PlacementActions> &places) {
    return std::ranges::any_of(places, [](const PlacementActions &actions) {
        return std::holds_alternative<action::ComputeRoot>(actions[0]);
    });
}

// A copy that is read once per point is free, but sums can be kept in registers in its tiles. Where a stencil reads the
// copy, tiles of the stencil do as well.
TEST(Placements, of_a_copy_of_sums_that_is_read_as_a_whole_are_those_of_any_func) {
    for (const auto &[sums, terms] : {std::pair{true, 64}, {false, 64}, {true, 5}}) {
        Var x("x"), y("y");
        ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
        RDom k(0, 64, "k"), j(0, terms, "j");
        Halide::Func product("product"), copy("copy"), out("out");
        product(x, y) = a(x, y) * 2.0f;
        if (sums) product(x, y) += a(k, y) * b(x, k);
        copy(x, y) = product(x, y);
        out(x, y) = 0.0f;
        out(x, y) += (terms == 64 ? copy(j, y) : copy(x + j, y)) * b(x, j);
        for (const auto &of : {a, b}) test::estimate(of, {64, 64});
        test::estimate(out, {64, 64});
        const BuiltGraph built = test::build({out});
        const LoopNest nest =
            *replay(built.graph, Trace{action::ComputeRoot{test::func(built, out).id}});
        EXPECT_EQ(has_root(placements(nest, test::func(built, copy).id, false)),
                  sums && terms == 64);
    }
}

// There are 2^40 ways from the input's copy to the output. One walk over each Func sees that no kernel reads it.
TEST(Placements, of_a_copy_behind_many_inlined_funcs_are_found_in_one_walk) {
    Var x("x"), y("y");
    ImageParam input(Float(32), 2, "input");
    Halide::Func first("first"), out("out");
    first(x, y) = input(x, y);
    std::vector<Halide::Func> chain{first};
    for (int i = 0; i < 40; i++) {
        Halide::Func left("left_" + std::to_string(i)), right("right_" + std::to_string(i)),
            sum("sum_" + std::to_string(i));
        left(x, y) = chain.back()(x, y) + 1;
        right(x, y) = chain.back()(x, y) * 2;
        sum(x, y) = left(x, y) - right(x, y);
        chain.insert(chain.end(), {left, right, sum});
    }
    out(x, y) = chain.back()(x, y);
    test::estimate(input, {64, 64});
    test::estimate(out, {64, 64});
    const BuiltGraph built = test::build({out});
    Trace trace{action::ComputeRoot{test::func(built, out).id}};
    for (size_t i = chain.size(); i-- > 0;)
        trace.push_back(action::Inline{test::func(built, chain[i]).id});
    const LoopNest nest = *replay(built.graph, trace);
    const StageId reader = test::func(built, first).stages[0];
    const FuncId id = built.graph.edge(built.graph.stage(reader).incoming[0]).producer;
    ASSERT_FALSE(built.graph.func(id).is_input());
    EXPECT_EQ(placements(nest, id, false), (std::vector<PlacementActions>{{action::Inline{id}}}));
}

}  // namespace
}  // namespace cryolite
