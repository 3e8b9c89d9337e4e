// What is remembered of a kernel is what it costs, whatever else is decided by then. Funcs are decided one after the
// other, as in a search, and a model that remembers is compared with one that counts all anew.
#include <gtest/gtest.h>

#include "analytical/cost_model.h"
#include "code/legality/apply.h"
#include "graph/builder/build.h"
#include "machine/presets.h"
#include "schedule/trace_text.h"
#include "tests/semantics/random_pipeline.h"
#include "tests/semantics/random_trace.h"

namespace cryolite {
namespace {

bool decides_another_func(const Action &action) {
    return std::holds_alternative<action::Inline>(action) ||
           std::holds_alternative<action::ComputeRoot>(action) ||
           std::holds_alternative<action::ComputeAt>(action);
}

class StepByStep {
public:
    StepByStep(const StageGraph &graph, const Machine &machine)
        : graph_(graph), machine_(machine), model_(graph, machine) {}

    void walk(const Trace &trace) {
        LoopNest nest(graph_);
        std::shared_ptr<const CostedNest> near;
        for (size_t i = 0; i < trace.size(); i++) {
            ASSERT_EQ(apply_in_place(nest, trace[i]), std::nullopt);
            if (i + 1 < trace.size() && !decides_another_func(trace[i + 1])) continue;
            near = model_.costed(nest, near.get());
            compare(*near);
            if (::testing::Test::HasFailure()) return;
        }
    }

private:
    void compare(const CostedNest &remembered) {
        CostModel fresh(graph_, machine_);
        const auto anew = fresh.costed(remembered.nest, nullptr);
        ASSERT_EQ(remembered.kernels.size(), anew->kernels.size());
        for (size_t k = 0; k < anew->kernels.size(); k++)
            ASSERT_EQ(remembered.kernels[k].seconds, anew->kernels[k].seconds)
                << "of the kernel of " << graph_.func(anew->kernels[k].members[0]).name << " in\n"
                << to_text(graph_, trace_of(remembered.nest));
    }

    const StageGraph &graph_;
    const Machine &machine_;
    CostModel model_;
};

void expect_the_same(uint64_t seed, const SizeProfile &profile, const Machine &machine) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomPipeline pipeline = make_random_pipeline(seed, profile);
    std::vector<Halide::Internal::Function> outputs;
    for (const PipelineOutput &output : pipeline.outputs) outputs.push_back(output.func.function());
    const Result<BuiltGraph> built = build_graph(outputs, Halide::get_host_target());
    ASSERT_TRUE(built.ok()) << built.error().message;
    StepByStep steps(built->graph, machine);
    // The second schedule meets kernels of the first.
    for (const char *label : {"first", "second"})
        steps.walk(draw_random_trace(built->graph, Random(seed).fork(label)).trace);
}

TEST(KernelMemo, holds_on_random_schedules) {
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 4;
    machine.pages_remembered = 2;  // so that small pipelines ask for more
    SizeProfile profile;
    profile.max_funcs = 6;
    for (uint64_t seed = 1; seed <= 300 && !HasFailure(); seed++)
        expect_the_same(seed, profile, machine);
    for (uint64_t seed = 1001; seed <= 1060 && !HasFailure(); seed++)
        expect_the_same(seed, {}, machine);
}

}  // namespace
}  // namespace cryolite
