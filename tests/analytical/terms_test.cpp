// What stays exposed of the terms adds up to the predicted time, whatever the schedule. Each raw term changes with
// the constants that it is said to be made from, and with no others.
#include "analytical/terms.h"

#include <algorithm>

#include "analytical/cost_model.h"
#include "machine/machine_fields.h"
#include "tests/featurize/scheduled.h"
#include "tests/schedule/pipelines.h"
#include "tests/schedule/random_trace.h"

namespace cryolite {
namespace {

using test::estimate;
using test::func;
using test::scheduled;
using test::some_machine;

constexpr double rounding = 1e-12;

void expect_shares_add_up(const StageGraph &graph, const Machine &machine, const LoopNest &nest,
                          const std::string &what) {
    CostModel model(graph, machine);
    const ScheduleTime explained = model.explain(nest);
    EXPECT_EQ(explained.seconds, model.evaluate(nest).seconds) << what;
    double all = 0;
    for (const StageTime &t : explained.stages) {
        EXPECT_NEAR(sum(t.overlap.exposed), t.seconds(), rounding * t.seconds())
            << what << " stage " << t.stage.value;
        EXPECT_EQ(t.corrected, t.raw);
        for (size_t k = 0; k < num_terms; k++) {
            EXPECT_GE(t.overlap.exposed[k], 0) << what;
            EXPECT_LE(t.overlap.exposed[k], t.raw[k] * (1 + rounding)) << what;
        }
        all += t.seconds();
    }
    EXPECT_NEAR(all, explained.seconds, rounding * explained.seconds) << what;
}

Machine with_caches(size_t levels) {
    Machine machine = some_machine();
    machine.cores = 4;
    while (machine.caches.size() > levels) machine.caches.pop_back();
    while (machine.caches.size() < levels) {
        CacheLevel next = machine.caches.back();
        next.size_bytes *= 8;
        next.core_bytes_per_cycle /= 1.5;
        machine.caches.push_back(next);
    }
    return machine;
}

Terms total(const StageGraph &graph, const Machine &machine, const LoopNest &nest) {
    Terms terms{};
    for (const StageTime &t : CostModel(graph, machine).explain(nest).stages)
        for (size_t k = 0; k < num_terms; k++) terms[k] += t.raw[k];
    return terms;
}

template <typename Number>
Number nudged(Number value) {
    if constexpr (std::is_integral_v<Number>)
        return value + 1;
    else
        return value * 1.0001;
}

// No two costs are equal, so that a small step changes none of those that another hides.
Machine without_ties(Machine machine) {
    double step = 1;
    for (const FieldValue &v : values_of(machine))
        if (double *const *number = std::get_if<double *>(&v.number))
            **number *= 1 + 0.001 * (step += 0.618);
    return machine;
}

class TermsOfSchedules : public ::testing::TestWithParam<const char *> {};

TEST_P(TermsOfSchedules, AddUpToTheCostOfRandomSchedules) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    for (size_t levels = 1; levels <= 4; levels++) {
        const Machine machine = with_caches(levels);
        for (uint64_t seed = 0; seed < 40; seed++) {
            const LoopNest nest = testing::random_nest(built->graph, Random(seed));
            expect_shares_add_up(built->graph, machine, nest,
                                 std::to_string(levels) + " caches, seed " + std::to_string(seed));
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Pipelines, TermsOfSchedules,
                         ::testing::Values("blur", "clamped_blur", "tall_chain", "pyramid",
                                           "product", "equalise", "lowest", "updates", "transpose",
                                           "two_outputs"),
                         [](const auto &info) { return std::string(info.param); });

// Steps are small, so that no threshold is crossed.
TEST_P(TermsOfSchedules, ChangeOnlyWithTheConstantsThatTheyName) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    const Machine before = without_ties(with_caches(3));
    Machine after = before;
    const auto values = values_of(after);
    for (uint64_t seed = 0; seed < 10; seed++) {
        const LoopNest nest = testing::random_nest(built->graph, Random(seed));
        const Terms expected = total(built->graph, before, nest);
        for (size_t v = 0; v < values.size(); v++) {
            const std::string &key = values[v].key;
            // Powers of two, small counts, and what is in the speed-up.
            if (key == "cores" || key == "vector_bytes" || key.ends_with("line_bytes") ||
                key.ends_with("cores_sharing") || key == "task_jitter_share")
                continue;
            std::visit([](auto *at) { *at = nudged(*at); }, values[v].number);
            const Terms found = total(built->graph, after, nest);
            after = before;
            for (size_t k = 0; k < num_terms; k++) {
                const Term term = static_cast<Term>(k);
                const auto named = constants_of(term, before);
                if (std::find(named.begin(), named.end(), key) != named.end()) continue;
                EXPECT_NEAR(found[k], expected[k], rounding * expected[k])
                    << info(term).name << " changes with " << key << ", seed " << seed;
            }
        }
    }
}

// What is said above is said of all but page faults, which only large pipelines have. The last cache is
// too small for the pipelines' images.
TEST(TermTable, HasNothingThatNoScheduleCosts) {
    Terms seen{};
    Machine machine = with_caches(3);
    machine.caches.back().size_bytes = 4096;
    for (const char *name : {"blur", "product", "updates", "equalise"}) {
        const auto pipeline = testing::make_pipeline(name);
        const BuiltGraph built = test::build(pipeline.outputs);
        for (uint64_t seed = 0; seed < 40; seed++) {
            const Terms terms =
                total(built.graph, machine, testing::random_nest(built.graph, Random(seed)));
            for (size_t k = 0; k < num_terms; k++) seen[k] += terms[k];
        }
    }
    for (size_t k = 0; k < num_terms; k++)
        EXPECT_EQ(seen[k] > 0, info(static_cast<Term>(k)).cpu && k != index(Term::PageFaults))
            << term_table()[k].name;
}

TEST(TermTable, NamesKeysOfTheMachine) {
    for (size_t levels = 1; levels <= 4; levels++) {
        Machine machine = with_caches(levels);
        std::vector<std::string> keys;
        for (const FieldValue &v : values_of(machine)) keys.push_back(v.key);
        for (size_t k = 0; k < num_terms; k++)
            for (const std::string &key : constants_of(static_cast<Term>(k), machine))
                EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
    }
}

// Which term a cost lands in, by what it is proportional to.
struct TermsOfTwoFuncs : ::testing::Test {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam in{Halide::Float(32), 2, "in"};
    Halide::Func rows{"rows"}, out{"out"};
    Machine machine = with_caches(3);
    BuiltGraph built = make();
    LoopNest at_root = scheduled(built.graph, {action::ComputeRoot{func(built, out).id},
                                               action::Parallel{func(built, out).stages[0], 1},
                                               action::ComputeRoot{func(built, rows).id},
                                               action::Parallel{func(built, rows).stages[0], 1}});

    // 64 MB, larger than any block that the C library keeps.
    BuiltGraph make() {
        rows(x, y) = in(x, y) * 2.0f + in(x + 1, y);
        out(x, y) = rows(x, y) + rows(x, y + 1);
        estimate(out, {4096, 4096});
        return test::build({out});
    }
    void expect_proportional(Term term, double Machine::*constant) {
        const double before = total(built.graph, machine, at_root)[index(term)];
        EXPECT_GT(before, 0) << info(term).name;
        machine.*constant *= 3;
        EXPECT_NEAR(total(built.graph, machine, at_root)[index(term)], 3 * before, 1e-9 * before)
            << info(term).name;
    }
};

TEST_F(TermsOfTwoFuncs, OfOverheadsAreProportionalToTheirConstant) {
    expect_proportional(Term::Allocations, &Machine::allocation_seconds);
    expect_proportional(Term::PageFaults, &Machine::page_fault_seconds);
    expect_proportional(Term::Launches, &Machine::parallel_loop_seconds);
    expect_proportional(Term::Tasks, &Machine::parallel_task_seconds);
}

// 128 MB go to memory and back, and come from it again: by far the slowest of all.
TEST_F(TermsOfTwoFuncs, SayWhatTheStageIsBoundBy) {
    machine.memory_core_bytes_per_cycle = machine.memory_total_bytes_per_cycle = 0.01;
    for (const StageTime &t : CostModel(built.graph, machine).explain(at_root).stages)
        EXPECT_EQ(t.overlap.bound_by, Resource::Memory);
    machine = with_caches(3);
    machine.hertz /= 1e4;
    for (CacheLevel &c : machine.caches)
        c.core_bytes_per_cycle *= 1e6, c.total_bytes_per_cycle *= 1e6;
    machine.memory_core_bytes_per_cycle *= 1e6;
    machine.memory_total_bytes_per_cycle *= 1e6;
    for (const StageTime &t : CostModel(built.graph, machine).explain(at_root).stages)
        EXPECT_TRUE(t.overlap.bound_by == Resource::L1 ||
                    t.overlap.bound_by == Resource::Arithmetic);
}

}  // namespace
}  // namespace cryolite
