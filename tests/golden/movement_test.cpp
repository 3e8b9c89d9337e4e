// How what a state is expected to cost moves as the search's own decisions are taken, Func by Func, in all
// apps. Where one decision moves it far, the choices before it were made blindly.
#include <gtest/gtest.h>

#include "apps/common/app_list.h"
#include "machine/presets.h"
#include "search/decision_order.h"
#include "search/outlook.h"
#include "tests/golden/app_graph.h"

namespace cryolite {
namespace {

using testing::build_app;
using testing::golden_machine;
using testing::golden_options;

// What tiles, unrolled sums and windows are better than plain loops at the best place: up to 5 times, and up
// to 24 where all loops of a small factorisation are unrolled: its passes over memory vanish once it stands in tiles.
constexpr double most_movement = 32;

class Movement : public ::testing::TestWithParam<std::string> {};

TEST_P(Movement, of_what_is_expected_is_small_in_every_step) {
    const BuiltGraph built = build_app(GetParam());
    const Machine machine = golden_machine();
    const SearchOptions options = golden_options();
    Expander expander(built.graph, machine, options);
    CostModel &model = expander.model();
    const std::vector<FuncId> order = decision_order(built.graph);
    LoopNest nest = search(built.graph, machine, options).nest;
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

// Strips of columns cost more than tiles until it is known that a stack of maxima, made along whole
// columns, stays in a cache inside of a strip. Without an outlook the search keeps all of it at root.
TEST(Outlook, finds_loops_that_pay_off_only_with_what_is_decided_later) {
    const BuiltGraph built = build_app("disc_maximum");
    Machine machine = *machine_preset("x86-avx512-zen5");
    machine.cores = 2;
    SearchOptions options;
    options.threads = 1;
    options.time_limit_seconds = 1e6;
    const Effort with = effort(built.graph, options);
    Effort without = with;
    ASSERT_GT(with.outlook, 0);
    without.passes = with.passes_without_outlook();
    without.outlook = 0;
    const auto found = [&](const Effort &e) {
        return search(built.graph, machine, options, e).time.seconds;
    };
    EXPECT_LT(found(with), 0.7 * found(without));
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const apps::AppDescription &app : apps::app_list()) all.push_back(app.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Apps, Movement, ::testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

}  // namespace
}  // namespace cryolite
