// Schedules that compile in time: places that are the same are taken once, predictions of compile time
// grow with what makes it long, and of states as good as each other the simpler one wins.
#include <gtest/gtest.h>

#include "analytical/compile/compile_cost.h"
#include "code/legality/apply.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "search/beam/beam.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::SmallPipeline;

Machine machine() {
    Machine m = *machine_preset("x86-avx512");
    m.cores = 2;
    return m;
}

// Pointwise Funcs with ten parameters each: too many operations to inline them all.
SmallPipeline chain_with_parameters(int length) {
    Halide::Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func last("first");
    last(x, y) = input(x, y);
    for (int i = 0; i < length; i++) {
        Halide::Func next("stage" + std::to_string(i));
        Halide::Expr value = last(x, y);
        for (int p = 0; p < 10; p++) {
            Halide::Param<float> param("p" + std::to_string(i) + "_" + std::to_string(p));
            param.set_estimate(1.0f);
            value = p % 2 ? value * param : value + param;
        }
        next(x, y) = value;
        last = next;
    }
    input.set_estimates({{0, 1536}, {0, 1024}});
    last.set_estimates({{0, 1536}, {0, 1024}});
    return {{last}};
}

int depth(const LoopNest &nest, FuncId f) {
    int funcs_around = 0;
    for (auto at = nest.at(f).compute_at; at; at = nest.at(f).compute_at) {
        f = nest.graph().stage(at->stage).func;
        funcs_around++;
    }
    return funcs_around;
}

FuncId func_of_stage(const BuiltGraph &built, int i) {
    const std::string wanted = "stage" + std::to_string(i);
    for (const Func &f : built.graph.funcs())
        if (f.name.substr(0, f.name.find('$')) == wanted) return f.id;
    throw std::runtime_error("no Func " + wanted);
}

// Stages last - 1, last - 2, ... each in the one iteration of its reader's loop, `nested` of them; their
// vectors unrolled by `unroll`.
LoopNest nested_chain(const BuiltGraph &built, int length, int nested, int64_t unroll) {
    const StageGraph &graph = built.graph;
    StageId reader = graph.func(func_of_stage(built, length - 1)).stages[0];
    const auto tiles = [&](StageId s) {
        return Trace{action::Tile{s, 0, {16 * unroll}}, action::Vectorize{s, 0, 16},
                     action::Unroll{{s, 0, 1}}};
    };
    Trace trace{action::ComputeRoot{func_of_stage(built, length - 1)}};
    const auto add = [&](const Trace &more) {
        trace.insert(trace.end(), more.begin(), more.end());
    };
    add(tiles(reader));
    for (int i = length - 2; i >= 0; i--) {
        const FuncId f = func_of_stage(built, i);
        if (i < length - 1 - nested) {
            add({action::Inline{f}});
            continue;
        }
        add({action::ComputeAt{f, {reader, 0, 0}}});
        reader = graph.func(f).stages[0];
        add(tiles(reader));
    }
    const auto nest = replay(graph, trace);
    if (!nest.ok()) throw std::runtime_error(name(nest.error().reason));
    return *nest;
}

// Each in a loop of one iteration of its reader took Halide more than a hundred seconds to lower.
TEST(SimpleSchedules, a_chain_is_computed_side_by_side_where_its_places_are_the_same) {
    const BuiltGraph built = chain_with_parameters(9).build();
    SearchOptions options;
    options.num_passes = 1;
    options.beam_size = 8;
    options.time_limit_seconds = 1e6;
    const SearchResult found = search(built.graph, machine(), options);
    size_t nested = 0;
    for (size_t f = 0; f < built.graph.num_scheduled(); f++) {
        const std::optional<LoopName> site = found.nest.at(FuncId(f)).compute_at;
        EXPECT_LE(depth(found.nest, FuncId(f)), 2) << to_tree_text(found.nest);
        if (!site) continue;
        nested++;
        const LoopLevels &loops = found.nest.stage_nest(site->stage).loops;
        EXPECT_GT(loops[static_cast<size_t>(found.nest.position(*site))].extent, 1)
            << to_tree_text(found.nest);
    }
    EXPECT_GT(nested, 0u) << to_tree_text(found.nest);
    const Machine m = machine();
    CompileModel model(built.graph, m);
    // Nests of two lower as fast as one of one, unlike those that go through the same place again and again.
    EXPECT_LT(model.evaluate(found.nest).lowering_seconds(), 1.0) << to_tree_text(found.nest);
}

TEST(CompileCost, grows_with_the_depth_of_a_nest_faster_and_faster) {
    const BuiltGraph built = chain_with_parameters(9).build();
    const Machine m = machine();
    CompileModel model(built.graph, m);
    double before = 0, step = 0;
    for (int nested = 1; nested <= 8; nested++) {
        const double seconds = model.evaluate(nested_chain(built, 9, nested, 2)).lowering_seconds();
        EXPECT_GT(seconds, before);
        if (nested > 2) {
            EXPECT_GT(seconds - before, step);
        }
        step = nested > 1 ? seconds - before : 0;
        before = seconds;
    }
}

TEST(CompileCost, grows_with_unrolling) {
    const BuiltGraph built = chain_with_parameters(3).build();
    const Machine m = machine();
    CompileModel model(built.graph, m);
    CodeSize before;
    for (int64_t unroll : {2, 4, 8}) {
        const CodeSize now = model.size(nested_chain(built, 3, 1, unroll));
        EXPECT_GT(now.statements, before.statements);
        EXPECT_GT(now.vectors, before.vectors);
        EXPECT_GT(compile_cost(now).llvm_seconds(), compile_cost(before).llvm_seconds());
        before = now;
    }
}

TEST(CompileCost, of_a_state_is_the_sum_of_its_kernels) {
    const BuiltGraph built = chain_with_parameters(4).build();
    const Machine m = machine();
    const LoopNest nest = nested_chain(built, 4, 2, 2);
    CostModel model(built.graph, m);
    CompileModel alone(built.graph, m);
    EXPECT_EQ(alone.size(nest).funcs, 3);
    const double expected = alone.evaluate(nest).seconds();
    // Computed, remembered and explained.
    for (const CompileCost &cost : {model.evaluate(nest).compiling, model.evaluate(nest).compiling,
                                    model.explain(nest).compiling})
        EXPECT_NEAR(cost.seconds(), expected, 1e-5);
}

CompileCost cost_of(double lowering_seconds, double llvm_seconds) {
    CompileCost cost;
    cost.lowering_alone = 1e6 * lowering_seconds;
    cost.llvm_alone = 1e6 * llvm_seconds;
    return cost;
}

TEST(CompileCost, beyond_the_budget_a_schedule_is_priced_up) {
    EXPECT_EQ(overprice(cost_of(14, 15), {0, 30}), 1);
    EXPECT_EQ(overprice(cost_of(1e9, 1e9), {}), 1);
    EXPECT_GT(overprice(cost_of(16, 15), {0, 30}), 1);
    EXPECT_LT(overprice(cost_of(16, 15), {0, 30}), 1.1);
    EXPECT_GT(overprice(cost_of(60, 60), {0, 30}), 10);
    EXPECT_GT(overprice(cost_of(10, 15), {5, 30}), 3.9);
    EXPECT_EQ(overprice(cost_of(4, 15), {5, 30}), 1);
}

TEST(CompileCost, of_a_child_is_the_same_by_its_parent) {
    const BuiltGraph built = chain_with_parameters(5).build();
    const Machine m = machine();
    CostModel model(built.graph, m);
    const auto parent = model.costed(nested_chain(built, 5, 1, 2), nullptr);
    for (int nested : {0, 2, 4}) {
        const LoopNest child = nested_chain(built, 5, nested, 4);
        EXPECT_EQ(model.evaluate(child, *parent).compiling.seconds(),
                  CostModel(built.graph, m).evaluate(child).compiling.seconds());
    }
}

TEST(BeamState, of_two_that_cost_the_same_the_one_that_compiles_faster_is_better) {
    const BuiltGraph built = chain_with_parameters(3).build();
    const BeamState slow{nested_chain(built, 3, 0, 2), 1, 9}, fast{slow.nest, 1, 3},
        costly{slow.nest, 2, 1};
    EXPECT_TRUE(fast < slow);
    EXPECT_FALSE(slow < fast);
    EXPECT_TRUE(slow < costly);
}

TEST(SimplestState, wins_among_those_that_the_model_cannot_tell_apart) {
    const BuiltGraph built = chain_with_parameters(3).build();
    const LoopNest any = nested_chain(built, 3, 0, 2);
    const BeamState best{any, 1.00, 9};
    const std::vector<BeamState> states{
        best,
        {nested_chain(built, 3, 1, 2), 1.01, 3},
        {nested_chain(built, 3, 2, 2), 1.01, 5},
        {nested_chain(built, 3, 1, 4), 1.03, 1},
    };
    EXPECT_EQ(simplest(states, best, 2).compile_seconds, 3);
    // No state costs more than the plain schedule.
    EXPECT_EQ(simplest(states, best, 1.00).compile_seconds, 9);
}

TEST(SimplestState, loses_where_it_is_little_simpler) {
    const BuiltGraph built = chain_with_parameters(3).build();
    const LoopNest any = nested_chain(built, 3, 0, 2);
    const BeamState best{any, 1.00, 20};
    EXPECT_EQ(simplest({best, {any, 1.001, 16.1}}, best, 2).compile_seconds, 20);
    EXPECT_EQ(simplest({best, {any, 1.001, 15.9}}, best, 2).compile_seconds, 15.9);
    // Saved is more than half, but only two seconds.
    const BeamState quick{any, 1.00, 3};
    EXPECT_EQ(simplest({quick, {any, 1.001, 1}}, quick, 2).compile_seconds, 3);
}

// Refining a rotary embedding gained 0.6 % of its time by unrolling, and took 20 s more to compile.
TEST(BeamState, a_change_must_gain_what_its_longer_compiling_is_worth) {
    const BuiltGraph built = chain_with_parameters(3).build();
    const LoopNest any = nested_chain(built, 3, 0, 2);
    const BeamState state{any, 1.00, 10};
    EXPECT_TRUE(is_worth_compiling({any, 0.999, 9}, state));
    EXPECT_FALSE(is_worth_compiling({any, 0.99, 13}, state));
    EXPECT_TRUE(is_worth_compiling({any, 0.97, 13}, state));
    EXPECT_FALSE(is_worth_compiling({any, 0.995, 11}, state));
    EXPECT_TRUE(is_worth_compiling({any, 0.97, 20}, state)) << "no gain of this size is given up";
    EXPECT_FALSE(is_worth_compiling({any, 1.001, 5}, state)) << "that is for simplest()";
}

TEST(SimplestState, does_not_depend_on_the_order_of_states) {
    const BuiltGraph built = chain_with_parameters(3).build();
    const BeamState best{nested_chain(built, 3, 0, 2), 1.00, 9},
        one{nested_chain(built, 3, 1, 2), 1.01, 3}, other{nested_chain(built, 3, 2, 2), 1.01, 3};
    EXPECT_EQ(simplest({one, other}, best, 2).nest.hash(),
              simplest({other, one}, best, 2).nest.hash());
}

}  // namespace
}  // namespace cryolite
