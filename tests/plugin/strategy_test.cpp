// autoscheduler.strategy=NAME: other schedulers through the same door.
#include "reference/strategy.h"

#include <regex>
#include <set>

#include "graph/builder/build.h"
#include "machine/presets.h"
#include "plugin/planning/strategy_plans.h"
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using namespace Halide;
using testing::complaint;
using testing::expect_same;
using testing::schedule;

Pipeline smooth_product() {
    Var x("x"), y("y");
    Buffer<int32_t> image(96, 96);
    image.for_each_element([&](int i, int j) { image(i, j) = (i * 7919 + j * 104729) % 1009; });
    Halide::Func source("source"), rows("rows"), product("product"), out("out");
    source(x, y) = BoundaryConditions::repeat_edge(image)(y, x);
    rows(x, y) = source(x - 1, y) + 2 * source(x, y) + source(x + 1, y);
    RDom k(0, 24, "k");
    product(x, y) += rows(x, k) * source(k, y);
    out(x, y) = product(x, y) + rows(x, y - 1) + rows(x, y + 1);
    out.set_estimates({{0, 96}, {0, 96}});
    return Pipeline(out);
}

TEST(PluginStrategy, schedules_compute_the_same_at_any_size) {
    for (const std::string &name : strategy_names())
        for (const std::vector<int32_t> &size :
             std::vector<std::vector<int32_t>>{{96, 96}, {61, 43}, {3, 2}, {1, 1}})
            expect_same(smooth_product, size, {{"strategy", name}, {"parallelism", "4"}});
}

// Without the numbers by which Halide tells Funcs of the same name in one process apart.
std::string trace_of(const AutoSchedulerResults &results) {
    const std::string text(results.featurization.begin(), results.featurization.end());
    return std::regex_replace(text, std::regex("\\$[0-9]+|(lambda_)[0-9]+"), "$1");
}

TEST(PluginStrategy, is_said_in_the_trace_as_any_schedule_is) {
    std::set<std::string> traces;
    for (const char *name : {"search", "temporal", "reuse"}) {
        const AutoSchedulerResults results =
            schedule(smooth_product(), testing::quick({{"strategy", name}}));
        EXPECT_EQ(trace_of(results).rfind("cryolite-trace", 0), 0u) << trace_of(results);
        EXPECT_FALSE(results.schedule_source.empty());
        EXPECT_TRUE(traces.insert(trace_of(results)).second) << name;
    }
}

TEST(PluginStrategy, tells_how_far_it_got_when_asked) {
    ::testing::internal::CaptureStderr();
    schedule(smooth_product(), {{"strategy", "temporal"}, {"log_level", "info"}});
    const std::string told = ::testing::internal::GetCapturedStderr();
    for (const char *part : {"strategy temporal; stages: ", " as planned", "predicted ", "loops:"})
        EXPECT_NE(told.find(part), told.npos) << part << " is not in:\n" << told;
}

TEST(PluginStrategy, makes_its_plan_in_a_process_of_its_own_for_the_search) {
    std::vector<Halide::Internal::Function> functions;
    const Halide::Pipeline pipeline = testing::box_filter();
    for (const Halide::Func &f : pipeline.outputs()) functions.push_back(f.function());
    const auto built = build_graph(functions, Halide::get_host_target());
    ASSERT_TRUE(built.ok());
    const Machine machine = *machine_preset("x86-avx2");
    const std::vector<LoopNest> plans = strategy_plans(built->graph, machine, 600, {});
    const std::vector<std::string> names = strategy_names();
    ASSERT_EQ(plans.size(), names.size());
    for (size_t i = 0; i < names.size(); i++)
        EXPECT_EQ(plans[i].hash(),
                  schedule_by(*strategy_named(names[i]), built->graph, machine).nest.hash())
            << names[i];
}

TEST(PluginStrategy, is_asked_in_one_shot_only) {
    EXPECT_EQ(trace_of(schedule(smooth_product(), {{"mode", "plain"}, {"strategy", "reuse"}})),
              trace_of(schedule(smooth_product(), {{"mode", "plain"}})));
}

TEST(PluginStrategy, of_no_known_name_is_an_error_that_lists_them) {
    const std::string said = complaint(smooth_product(), {{"strategy", "magic"}});
    for (const char *part : {"strategy", "magic", "search", "temporal", "spatial", "reuse"})
        EXPECT_NE(said.find(part), said.npos) << part << "\n" << said;
}

}  // namespace
}  // namespace cryolite
