// Where a Func may be computed.
#include "search/placements.h"

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

}  // namespace
}  // namespace cryolite
