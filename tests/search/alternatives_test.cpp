// Schedules that nest less deeply than the one that was found.
#include "search/beam/alternatives.h"

#include <gtest/gtest.h>

#include "analytical/compile/compile_cost.h"
#include "code/legality/apply.h"
#include "code/legality/legal_sites.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

Machine machine() { return *machine_preset("x86-avx2"); }

// Every Func inside of the outermost loop of its only reader.
LoopNest nested(const StageGraph &graph) {
    LoopNest nest(graph);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const std::vector<LoopName> sites = legal_sites(nest, FuncId(i));
        Action a = action::ComputeRoot{FuncId(i)};
        // Innermost first: the loops of the reader itself come first.
        if (!sites.empty()) a = action::ComputeAt{FuncId(i), sites.front()};
        auto next = cryolite::apply(nest, a);
        if (next.ok()) nest = std::move(*next);
    }
    return finish_plainly(nest, machine());
}

TEST(Alternatives, know_how_deep_a_schedule_is) {
    const BuiltGraph built = testing::shifted_chain(8, 333).build();
    EXPECT_EQ(nesting_depth(LoopNest(built.graph)), 0);
    EXPECT_EQ(nesting_depth(plain_schedule(built.graph, machine())), 0);
    EXPECT_GE(nesting_depth(nested(built.graph)), 7);
}

TEST(Alternatives, are_made_as_shallow_as_is_asked_for) {
    for (const testing::SmallPipeline &p :
         {testing::shifted_chain(8, 333), testing::box_filter(640, 480),
          testing::matrix_multiply(256)}) {
        const BuiltGraph built = p.build();
        const LoopNest deep = nested(built.graph);
        ASSERT_EQ(validate(deep), "");
        for (int depth = 0; depth <= nesting_depth(deep); depth++) {
            const LoopNest made = flattened(deep, depth, machine());
            EXPECT_TRUE(made.complete());
            EXPECT_EQ(validate(made), "") << to_tree_text(made);
            EXPECT_LE(nesting_depth(made), depth) << to_tree_text(made);
        }
        EXPECT_EQ(flattened(deep, nesting_depth(deep), machine()).hash(), deep.hash());
    }
}

TEST(Alternatives, are_the_cheapest_of_their_depth_or_less) {
    const BuiltGraph built = testing::shifted_chain(4, 333).build();
    const LoopNest deep = nested(built.graph), plain = plain_schedule(built.graph, machine());
    Alternatives a;
    EXPECT_EQ(a.at_most(100), nullptr);
    a.add({deep, 3});
    EXPECT_EQ(a.at_most(0), nullptr);
    a.add({plain, 5});
    a.add({plain, 6});
    EXPECT_EQ(a.at_most(0)->seconds, 5);
    EXPECT_EQ(a.at_most(100)->seconds, 3);
    a.add({plain, 2});
    EXPECT_EQ(a.at_most(100)->seconds, 2);
}

// Found in a guided filter: Halide took longer than predicted for what was found and for schedules as deep and as long,
// and the plain schedule was left.
TEST(Search, makes_a_schedule_of_less_code_to_fall_back_on) {
    using namespace Halide;
    Var x("x"), y("y");
    ImageParam a(UInt(8), 2, "a"), b(UInt(8), 2, "b");
    const Halide::Func i = BoundaryConditions::repeat_edge(a),
                       p = BoundaryConditions::repeat_edge(b);
    const RDom r(-8, 17, "r");
    Halide::Func columns("columns"), out("out");
    columns(x, y) = Tuple(0, 0, 0);
    const Expr left = cast<int>(i(x, y + r)), right = cast<int>(p(x, y + r));
    columns(x, y) =
        Tuple(columns(x, y)[0] + left, columns(x, y)[1] + right, columns(x, y)[2] + left * right);
    out(x, y) = columns(x, y)[0] * columns(x, y)[1] - columns(x, y)[2];
    for (ImageParam *in : {&a, &b}) in->set_estimates({{0, 1536}, {0, 1024}});
    out.set_estimates({{0, 1536}, {0, 1024}});
    const BuiltGraph built = testing::SmallPipeline{{out}}.build();
    SearchOptions options;
    options.beam_size = 8;
    options.num_passes = 1;
    const Machine here = machine();
    const SearchResult result = search(built.graph, here, options);
    CompileModel model(built.graph, here);
    const LoopNest light = lightened(result.nest, here, options);
    EXPECT_EQ(validate(light), "");
    EXPECT_TRUE(light.complete());
    EXPECT_LT(model.evaluate(light).seconds(), model.evaluate(result.nest).seconds() / 4);
}

TEST(Search, offers_shallower_schedules_to_fall_back_on) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    SearchOptions options;
    options.beam_size = 8;
    options.num_passes = 1;
    const SearchResult r = search(built.graph, machine(), options);
    int depth = nesting_depth(r.nest);
    ASSERT_GT(depth, 0) << "the best schedule needs no fallback";
    EXPECT_FALSE(r.shallower.empty());
    for (const LoopNest &nest : r.shallower) {
        EXPECT_TRUE(nest.complete());
        EXPECT_EQ(validate(nest), "");
        EXPECT_LT(nesting_depth(nest), depth);
        depth = nesting_depth(nest);
    }
}

}  // namespace
}  // namespace cryolite
