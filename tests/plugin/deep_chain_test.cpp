// Schedules that Halide does not lower in any useful time: a chain of stencils, each computed in its reader's
// loops. Half as deep, the same chain is lowered in a moment.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "graph/builder/build.h"
#include "machine/presets.h"
#include "plugin/trial/trial.h"
#include "plugin/trial/verify.h"
#include "schedule/trace_text.h"
#include "search/beam/alternatives.h"
#include "search/search.h"
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

constexpr int length = 10;

Halide::Pipeline chain() {
    Halide::Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func last("first");
    last(x, y) = input(x, y);
    for (int i = 0; i < length; i++) {
        Halide::Func next("stage" + std::to_string(i));
        next(x, y) = last(x - 1, y) + last(x + 1, y) + last(x, y - 1) + last(x, y + 1);
        last = next;
    }
    input.set_estimates({{-length, 1024 + 2 * length}, {-length, 1024 + 2 * length}});
    last.set_estimates({{0, 1024}, {0, 1024}});
    return last;
}

BuiltGraph build(const Halide::Pipeline &pipeline) {
    return *build_graph({pipeline.outputs()[0].function()}, Halide::get_host_target());
}

// The output in tiles, and every other Func in vectors inside of its reader's outermost loop.
LoopNest nested(const StageGraph &graph, const Machine &machine) {
    LoopNest nest(graph);
    const auto apply = [&](const Action &a) {
        auto next = cryolite::apply(nest, a);
        if (next.ok()) nest = std::move(*next);
        return next.ok();
    };
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        const FuncId f(i);
        const StageId s = graph.func(f).stages[0];
        if (i == 0 || !apply(action::ComputeAt{f, {StageId(s.value - 1), 0, 0}}))
            apply(action::ComputeRoot{f});
        apply(action::Tile{s, 0, {32}});
        apply(action::Vectorize{s, 0, 8});
    }
    return finish_plainly(nest, machine);
}

TEST(DeepChain, has_alternatives_that_are_less_deep) {
    const Machine machine = *machine_preset("x86-avx2");
    const Halide::Pipeline pipeline = chain();
    const BuiltGraph built = build(pipeline);
    const LoopNest deep = nested(built.graph, machine);
    const int depth = nesting_depth(deep);
    ASSERT_GE(depth, 8) << to_tree_text(deep);
    for (const int most : {depth / 2, depth / 4}) {
        const LoopNest flat = flattened(deep, most, machine);
        EXPECT_LE(nesting_depth(flat), most);
        EXPECT_TRUE(flat.complete());
        EXPECT_EQ(validate(flat), "");
    }
}

TEST(DeepChain, is_given_up_and_a_less_deep_schedule_is_taken) {
    const Machine machine = *machine_preset("x86-avx2");
    const Halide::Pipeline pipeline = chain();
    const BuiltGraph built = build(pipeline);
    const LoopNest deep = nested(built.graph, machine);
    const int depth = nesting_depth(deep);
    const std::vector<LoopNest> nests{deep, flattened(deep, depth / 2, machine),
                                      flattened(deep, depth / 4, machine)};
    const auto refuses = [&](size_t i) {
        return what_halide_refuses(pipeline, built, nests[i], Halide::get_host_target(), machine);
    };
    const Trials trials = try_schedules(nests.size(), refuses, {Deadline(), 5});
    EXPECT_EQ(trials.of[0].verdict, Trial::Verdict::GivenUp) << trials.of[0].why;
    ASSERT_TRUE(trials.taken);
    EXPECT_GE(*trials.taken, 1u);
}

// Whatever the search finds for it: the call ends, and what comes of it compiles.
TEST(DeepChain, is_scheduled_within_the_limits) {
    const Halide::Pipeline pipeline = chain();
    testing::schedule(pipeline, testing::Options{{"compile_limit", "15"}, {"time_limit", "60"}});
    Halide::Pipeline scheduled(pipeline);
    EXPECT_NO_THROW(scheduled.compile_to_module(scheduled.infer_arguments(), "chain",
                                                Halide::get_host_target()));
}

}  // namespace
}  // namespace cryolite
