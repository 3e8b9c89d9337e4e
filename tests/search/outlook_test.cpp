// What a state is expected to cost once its next Funcs are decided.
#include "search/beam/outlook.h"

#include <gtest/gtest.h>

#include "machine/presets.h"
#include "search/beam/decision_order.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::SmallPipeline;

using testing::machine;

// Maxima over more and more rows, each made of the ones before all along the columns; then of
// neighbouring columns.
SmallPipeline maxima_along_columns(int width, int height) {
    using Halide::Expr, Halide::Float, Halide::ImageParam, Halide::RDom, Halide::Var;
    const int layers = 6;
    Var x("x"), y("y"), t("t");
    ImageParam input(Float(32), 2, "input");
    Halide::Func stack("stack"), across("across"), out("out");
    stack(x, y, t) = input(x, y);
    RDom r(0, height - 1, 1, layers - 1, "r");
    stack(x, r.x, r.y) = max(stack(x, r.x, r.y - 1), stack(x, r.x + 1, r.y - 1));
    RDom near(0, 8, "near");
    across(x, y) = 0.0f;
    across(x, y) = max(across(x, y), stack(x + near, y, layers - 1));
    out(x, y) = across(x, y) + 1.0f;
    input.set_estimates({{0, width + 8}, {0, height}});
    out.set_estimates({{0, width}, {0, height}});
    return {{out}};
}

TEST(Outlook, is_no_more_than_what_plain_choices_cost) {
    for (const SmallPipeline &p : {testing::box_filter(640, 480), testing::shifted_chain(5, 333),
                                   testing::matrix_multiply(256), maxima_along_columns(400, 300)}) {
        const BuiltGraph built = p.build();
        const Machine m = machine();
        const SearchOptions options;
        Expander expander(built.graph, m, options);
        CostModel &model = expander.model();
        const std::vector<FuncId> order = decision_order(built.graph);
        LoopNest nest = plain_schedule(built.graph, m);
        size_t changed = 0;
        for (size_t i = order.size(); i-- > 1;) {
            nest = nest.without(order[i]);
            const BeamState state{nest, model.evaluate(nest).seconds};
            const Outlook outlook(m, std::span(order).subspan(i), Deadline());
            const double expected = outlook.seconds(state, expander);
            EXPECT_LE(expected, model.evaluate(finish_plainly(nest, m)).seconds * (1 + 1e-9))
                << "from Func " << i << " on";
            changed += expected != state.seconds;
        }
        EXPECT_GT(changed, 0u) << "no Func was looked ahead at";
    }
}

TEST(Outlook, of_nothing_is_what_the_state_costs) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    const Machine m = machine();
    const SearchOptions options;
    Expander expander(built.graph, m, options);
    CostModel &model = expander.model();
    const LoopNest nest = plain_schedule(built.graph, m);
    const BeamState state{nest, model.evaluate(nest).seconds};
    EXPECT_EQ(Outlook(m, {}, Deadline()).seconds(state, expander), state.seconds);
}

}  // namespace
}  // namespace cryolite
