// The components of the predicted time add up to it, whatever the schedule, and each grows with the
// constants that it is said to be made from.
#include "analytical/cost_components.h"

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

void expect_parts_add_up(const StageGraph &graph, const Machine &machine, const LoopNest &nest,
                         const std::string &what) {
    CostModel model(graph, machine);
    const ScheduleTime explained = model.explain(nest);
    EXPECT_EQ(explained.seconds, model.evaluate(nest).seconds) << what;
    double all = 0;
    for (const StageTime &t : explained.stages) {
        EXPECT_NEAR(sum(t.parts), t.seconds, rounding * t.seconds)
            << what << " stage " << t.stage.value;
        for (double part : t.parts) EXPECT_GE(part, 0) << what;
        all += sum(t.parts);
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

CostBreakdown total(const StageGraph &graph, const Machine &machine, const LoopNest &nest) {
    CostBreakdown parts{};
    for (const StageTime &t : CostModel(graph, machine).explain(nest).stages)
        for (size_t c = 0; c < num_cost_components; c++) parts[c] += t.parts[c];
    return parts;
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

class CostComponents : public ::testing::TestWithParam<const char *> {};

TEST_P(CostComponents, AddUpToTheCostOfRandomSchedules) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    for (size_t levels = 1; levels <= 4; levels++) {
        const Machine machine = with_caches(levels);
        for (uint64_t seed = 0; seed < 40; seed++) {
            const LoopNest nest = testing::random_nest(built->graph, Random(seed));
            expect_parts_add_up(built->graph, machine, nest,
                                std::to_string(levels) + " caches, seed " + std::to_string(seed));
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Pipelines, CostComponents,
                         ::testing::Values("blur", "clamped_blur", "tall_chain", "pyramid",
                                           "product", "equalise", "lowest", "updates", "transpose",
                                           "two_outputs"),
                         [](const auto &info) { return std::string(info.param); });

// The table names the constants that a component is made from: those that it does not name change
// nothing. Steps are small, so that no component takes another's place as the slowest.
TEST_P(CostComponents, ChangeOnlyWithTheConstantsThatTheyName) {
    const auto pipeline = testing::make_pipeline(GetParam());
    const Result<BuiltGraph> built = test::try_build(pipeline.outputs);
    ASSERT_TRUE(built.ok()) << built.error().message;
    const Machine before = without_ties(with_caches(3));
    Machine after = before;
    const auto values = values_of(after);
    for (uint64_t seed = 0; seed < 10; seed++) {
        const LoopNest nest = testing::random_nest(built->graph, Random(seed));
        const CostBreakdown expected = total(built->graph, before, nest);
        for (size_t v = 0; v < values.size(); v++) {
            const std::string &key = values[v].key;
            // Powers of two, small counts, and what is in the speed-up.
            if (key == "cores" || key == "vector_bytes" || key.ends_with("line_bytes") ||
                key.ends_with("cores_sharing"))
                continue;
            std::visit([](auto *at) { *at = nudged(*at); }, values[v].number);
            const CostBreakdown found = total(built->graph, after, nest);
            after = before;
            for (size_t c = 0; c < num_cost_components; c++) {
                const auto component = static_cast<CostComponent>(c);
                const auto named = constants_of(component, before);
                if (std::find(named.begin(), named.end(), key) != named.end()) continue;
                EXPECT_NEAR(found[c], expected[c], rounding * expected[c])
                    << info(component).name << " changes with " << key << ", seed " << seed;
            }
        }
    }
}

// What is said above is said of all but page faults, which only large pipelines have. The last cache is
// too small for the pipelines' images.
TEST(CostComponentTable, HasNothingThatNoScheduleCosts) {
    CostBreakdown seen{};
    Machine machine = with_caches(3);
    machine.caches.back().size_bytes = 4096;
    for (const char *name : {"blur", "product", "updates", "equalise"}) {
        const auto pipeline = testing::make_pipeline(name);
        const BuiltGraph built = test::build(pipeline.outputs);
        for (uint64_t seed = 0; seed < 40; seed++) {
            const CostBreakdown parts =
                total(built.graph, machine, testing::random_nest(built.graph, Random(seed)));
            for (size_t c = 0; c < num_cost_components; c++) seen[c] += parts[c];
        }
    }
    for (size_t c = 0; c < num_cost_components; c++)
        EXPECT_EQ(seen[c] > 0, c != index(CostComponent::PageFaults))
            << cost_component_table()[c].name;
}

TEST(CostComponentTable, NamesKeysOfTheMachine) {
    for (size_t levels = 1; levels <= 4; levels++) {
        Machine machine = with_caches(levels);
        std::vector<std::string> keys;
        for (const FieldValue &v : values_of(machine)) keys.push_back(v.key);
        for (size_t c = 0; c < num_cost_components; c++)
            for (const std::string &key : constants_of(static_cast<CostComponent>(c), machine))
                EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
    }
}

// Which component a cost lands in, by what it is proportional to.
struct Components : ::testing::Test {
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
    void expect_proportional(CostComponent component, double Machine::*constant) {
        const double before = total(built.graph, machine, at_root)[index(component)];
        EXPECT_GT(before, 0) << info(component).name;
        machine.*constant *= 3;
        EXPECT_NEAR(total(built.graph, machine, at_root)[index(component)], 3 * before,
                    1e-9 * before)
            << info(component).name;
    }
};

TEST_F(Components, OfOverheadsAreProportionalToTheirConstant) {
    expect_proportional(CostComponent::Allocations, &Machine::allocation_seconds);
    expect_proportional(CostComponent::PageFaults, &Machine::page_fault_seconds);
    expect_proportional(CostComponent::ParallelLaunches, &Machine::parallel_loop_seconds);
    expect_proportional(CostComponent::ParallelTasks, &Machine::parallel_task_seconds);
}

// 128 MB go to memory and back, and come from it again: by far the slowest of all.
TEST_F(Components, OfTheSlowestResourceCountInFull) {
    machine.memory_core_bytes_per_cycle = machine.memory_total_bytes_per_cycle = 0.01;
    for (const StageTime &t : CostModel(built.graph, machine).explain(at_root).stages) {
        EXPECT_EQ(t.bound_by, BoundBy::Memory);
        EXPECT_NEAR(t.parts[index(CostComponent::MemoryLoads)] +
                        t.parts[index(CostComponent::MemoryStores)],
                    t.memory_seconds, rounding * t.memory_seconds);
        EXPECT_GT(t.parts[index(CostComponent::MemoryLoads)], 0);
        EXPECT_GT(t.parts[index(CostComponent::MemoryStores)], 0);
        EXPECT_NEAR(
            t.parts[index(CostComponent::L2Loads)] + t.parts[index(CostComponent::L2Stores)],
            0.5 * t.l2_seconds, rounding * t.l2_seconds);
    }
}

TEST_F(Components, OfTheCoreCountInFullWhereItIsTheSlowest) {
    machine.hertz /= 1e4;
    for (CacheLevel &c : machine.caches)
        c.core_bytes_per_cycle *= 1e6, c.total_bytes_per_cycle *= 1e6;
    machine.memory_core_bytes_per_cycle *= 1e6;
    machine.memory_total_bytes_per_cycle *= 1e6;
    for (const StageTime &t : CostModel(built.graph, machine).explain(at_root).stages) {
        EXPECT_EQ(t.bound_by, BoundBy::Core);
        double core = 0;
        for (CostComponent c :
             {CostComponent::Compute, CostComponent::Dependence, CostComponent::LoopOverhead,
              CostComponent::L1Loads, CostComponent::L1Stores, CostComponent::RegisterSpills})
            core += t.parts[index(c)];
        EXPECT_NEAR(core, t.core_seconds / t.speedup, rounding * core);
    }
}

}  // namespace
}  // namespace cryolite
