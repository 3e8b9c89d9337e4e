// Hundreds of random graphs, and pipelines that the thesis's methods do not cover: a complete legal
// schedule, the same one again.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "code/stage/expanded_stage.h"
#include "machine/presets.h"
#include "reference/strategy.h"
#include "schedule/trace_text.h"
#include "tests/oracle/random_graph.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

constexpr Strategy all_strategies[] = {Strategy::Temporal, Strategy::Spatial, Strategy::Reuse};

void expect_sound(const StrategyResult &result) {
    ASSERT_TRUE(result.nest.complete());
    EXPECT_EQ(validate(result.nest), "") << to_tree_text(result.nest);
    const auto again = replay(result.nest.graph(), trace_of(result.nest));
    ASSERT_TRUE(again.ok()) << name(again.error().reason);
    EXPECT_EQ(again->hash(), result.nest.hash());
}

class Strategies : public ::testing::TestWithParam<Strategy> {};

TEST_P(Strategies, give_complete_legal_schedules_of_random_graphs) {
    StrategyReport sum;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const oracle::RandomGraph drawn = oracle::draw_graph(Random(seed));
        Machine machine = machine_presets()[seed % machine_presets().size()].machine;
        machine.cores = 1 + static_cast<int>(seed % 9);
        const StrategyResult result = schedule_by(GetParam(), drawn.graph, machine);
        expect_sound(result);
        EXPECT_EQ(schedule_by(GetParam(), drawn.graph, machine).nest.hash(), result.nest.hash());
        sum.stages_as_planned += result.report.stages_as_planned;
        sum.stages_adapted += result.report.stages_adapted;
        sum.stages_plain += result.report.stages_plain;
    }
    // Else the test would be about falling back.
    EXPECT_GT(sum.stages_as_planned, sum.stages_adapted + sum.stages_plain);
}

TEST_P(Strategies, take_what_the_methods_do_not_cover) {
    using namespace Halide;
    Var x("x"), y("y");
    ImageParam input(UInt(8), 2, "input");
    Halide::Func histogram("histogram"), sum("sum"), upper("upper"), scan("scan"), out("out");
    RDom r(0, 300, 0, 200, "r"), k(0, 16, "k"), s(1, 255, "s");
    histogram(x) = 0;
    histogram(input(r.x, r.y)) += 1;
    scan(x) = histogram(x);
    scan(s) += scan(s - 1);
    sum() = 0;
    sum() += scan(k);
    RDom t(0, 40, "t");
    t.where(t <= x);
    upper(x) = 0;
    upper(x) += cast<int>(input(t, x));
    out(x, y) = scan(clamp(cast<int>(input(x, y)), 0, 255)) + sum() + upper(x);
    out.set_estimates({{0, 300}, {0, 200}});
    input.set_estimates({{0, 300}, {0, 300}});
    const BuiltGraph built = testing::SmallPipeline{{out}}.build();
    const StrategyResult result =
        schedule_by(GetParam(), built.graph, machine_presets().front().machine);
    expect_sound(result);
    if (GetParam() != Strategy::Reuse) {
        EXPECT_GE(result.report.stages_plain, 3u) << "scatter, scalar, gather";
    }
}

// Every Func reads the one before in two places of its own: inlined throughout, 2^14 loads a point.
TEST_P(Strategies, do_not_inline_beyond_reason) {
    using namespace Halide;
    Var x("x");
    ImageParam input(Float(32), 1, "input");
    Halide::Func f("f");
    f(x) = input(x);
    for (int i = 0; i < 14; i++) {
        Halide::Func next("f");
        next(x) = select(x % 2 == 0, f(x * 2), f(x * 2 + 1));
        f = next;
    }
    f.set_estimates({{0, 100}});
    input.set_estimates({{0, 100 << 14}});
    const BuiltGraph built = testing::SmallPipeline{{f}}.build();
    const StrategyResult result =
        schedule_by(GetParam(), built.graph, machine_presets().front().machine);
    expect_sound(result);
    StageExpander expander(built.graph);
    for (const Stage &s : built.graph.stages())
        EXPECT_FALSE(result.nest.at(s.func).placement != Placement::Inline &&
                     expander.expand(result.nest, s.id).too_large);
}

TEST_P(Strategies, have_names_that_lead_back_to_them) {
    EXPECT_EQ(strategy_named(name(GetParam())), GetParam());
    EXPECT_EQ(strategy_named("search"), std::nullopt);
    EXPECT_EQ(strategy_names().size(), std::size(all_strategies));
}

INSTANTIATE_TEST_SUITE_P(Thesis, Strategies, ::testing::ValuesIn(all_strategies),
                         [](const auto &info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace cryolite
