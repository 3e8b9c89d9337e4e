#include "tests/golden/movement.h"

#include <gtest/gtest.h>

#include "search/beam/decision_order.h"
#include "search/beam/outlook.h"
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
    // Each look ahead decides all Funcs that follow, so that of long pipelines only so many Funcs are tried.
    constexpr size_t most_tried = 24;
    const size_t stride = (order.size() + most_tried - 1) / most_tried;
    double after = model.evaluate(nest).seconds;
    bool is_known = true;
    for (size_t i = order.size(); i-- > 0;) {
        const auto foreseen = [&](size_t from) {
            const BeamState state{nest, model.evaluate(nest).seconds};
            return Outlook(machine, std::span(order).subspan(from), Deadline())
                .seconds(state, expander);
        };
        const bool is_tried = i % stride == 0;
        if (is_tried && !is_known) after = foreseen(i + 1);
        nest = nest.without(order[i]);
        is_known = is_tried;
        if (!is_tried) continue;
        const double before = foreseen(i);
        EXPECT_LT(before, after * most_movement) << built.graph.func(order[i]).name;
        EXPECT_GT(before, after / most_movement) << built.graph.func(order[i]).name;
        after = before;
    }
}

}  // namespace cryolite::testing
