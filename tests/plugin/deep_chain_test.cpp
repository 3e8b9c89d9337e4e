// A chain of Funcs of ten scalars each. Nested in each other it takes Halide's lowering exponential time:
// eight deep 18 s and ten deep more than 100 s, where all at root takes 0.1 s.
#include <gtest/gtest.h>

#include "graph/build.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/alternatives.h"
#include "search/search.h"
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

constexpr int length = 10, scalars = 10;

Halide::Pipeline chain() {
    Halide::Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func last("first");
    last(x, y) = input(x, y);
    for (int i = 0; i < length; i++) {
        Halide::Expr value = last(x, y);
        for (int k = 0; k < scalars; k++) {
            Halide::Param<float> p("p" + std::to_string(i) + "_" + std::to_string(k));
            p.set_estimate(0.5f);
            value = select(value > p, value * p, value + p);
        }
        Halide::Func next("stage" + std::to_string(i));
        next(x, y) = value;
        last = next;
    }
    input.set_estimates({{0, 1024}, {0, 1024}});
    last.set_estimates({{0, 1024}, {0, 1024}});
    return last;
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
    const BuiltGraph built =
        *build_graph({pipeline.outputs()[0].function()}, Halide::get_host_target());
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
