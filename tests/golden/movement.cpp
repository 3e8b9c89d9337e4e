#include "tests/golden/movement.h"

#include <gtest/gtest.h>

#include "search/decision_order.h"
#include "search/outlook.h"
#include "tests/golden/app_graph.h"

namespace cryolite::testing {
namespace {

// What tiles, unrolled sums and windows are better than plain loops at the best place: up to 5 times, and up
// to 24 where all loops of a small factorisation are unrolled: its passes over memory vanish once it stands in tiles.
constexpr double most_movement = 32;

}  // namespace

void expect_small_steps(const BuiltGraph &built, LoopNest nest) {
    const Machine machine = golden_machine();
    const SearchOptions options = golden_options();
    Expander expander(built.graph, machine, options);
    CostModel &model = expander.model();
    const std::vector<FuncId> order = decision_order(built.graph);
    double after = model.evaluate(nest).seconds;
    for (size_t i = order.size(); i-- > 0;) {
        nest = nest.without(order[i]);
        const BeamState state{nest, model.evaluate(nest).seconds};
        const double before =
            Outlook(machine, std::span(order).subspan(i), Deadline()).seconds(state, expander);
        EXPECT_LT(before, after * most_movement) << built.graph.func(order[i]).name;
        EXPECT_GT(before, after / most_movement) << built.graph.func(order[i]).name;
        after = before;
    }
}

}  // namespace cryolite::testing
