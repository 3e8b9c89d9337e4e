// The search for a GPU: legal kernels that can be launched, priced the same by every way to the price.
#include <gtest/gtest.h>

#include "analytical/gpu/schedule_time.h"
#include "code/legality/apply.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/validate.h"
#include "machine/presets.h"
#include "schedule/func_nest.h"
#include "schedule/trace_text.h"
#include "search/gpu/gpu_template.h"
#include "search/gpu/gpu_tilings.h"
#include "search/search.h"
#include "tests/featurize/scheduled.h"
#include "tests/schedule/pipelines.h"

namespace cryolite {
namespace {

using test::some_machine;

gpu::GpuDevice device() { return gpu::device_of(*gpu_preset("a100")); }

SearchOptions narrow() {
    SearchOptions options;
    options.beam_size = 4;
    options.num_passes = 2;
    options.tilings_per_placement = 8;
    options.threads = 1;
    return options;
}

class GpuSearch : public ::testing::TestWithParam<const char *> {
protected:
    void SetUp() override {
        pipeline_ = testing::make_pipeline(GetParam());
        auto built = test::try_build(pipeline_.outputs);
        ASSERT_TRUE(built.ok()) << built.error().message;
        built_ = std::make_unique<BuiltGraph>(std::move(*built));
    }
    const StageGraph &graph() const { return built_->graph; }
    Hardware hardware() const { return {some_machine(), &device_}; }

    testing::SmallPipeline pipeline_;
    std::unique_ptr<BuiltGraph> built_;
    const gpu::GpuDevice device_ = device();
};

TEST_P(GpuSearch, GivesKernelsThatCanBeLaunched) {
    for (int64_t seed = 0; seed < 3; seed++) {
        SearchOptions options = narrow();
        options.seed = seed;
        const SearchResult found = search(graph(), hardware(), options);
        EXPECT_TRUE(found.nest.complete());
        EXPECT_EQ(validate(found.nest), "") << to_tree_text(found.nest);
        const auto fault = find_kernel_fault(found.nest, launch_limits(device_));
        EXPECT_FALSE(fault) << fault->text << "\n" << to_tree_text(found.nest);
        EXPECT_FALSE(found.time.too_large);
        CostModel model(graph(), hardware());
        const double plain = model.evaluate(plain_schedule(graph(), hardware())).seconds;
        EXPECT_LE(found.time.seconds, plain * 1.0001);
        for (const LoopNest &other : found.shallower) EXPECT_EQ(validate(other), "");
    }
}

TEST_P(GpuSearch, FindsTheSameOnAnyNumberOfThreads) {
    SearchOptions options = narrow();
    const SearchResult one = search(graph(), hardware(), options);
    options.threads = 3;
    const SearchResult three = search(graph(), hardware(), options);
    options.remember_kernels = false;
    const SearchResult anew = search(graph(), hardware(), options);
    EXPECT_EQ(one.nest.hash(), three.nest.hash());
    EXPECT_EQ(one.nest.hash(), anew.nest.hash());
    EXPECT_EQ(one.time.seconds, three.time.seconds);
}

// A price from the memo, by the costs of a nest nearby, and in parts: all are one.
TEST_P(GpuSearch, PricesAreTheSameByEveryWay) {
    const SearchResult found = search(graph(), hardware(), narrow());
    const LoopNest plain = plain_schedule(graph(), hardware());
    for (const LoopNest *nest : {&found.nest, &plain}) {
        CostModel model(graph(), hardware());
        const double fresh = model.evaluate(*nest).seconds;
        EXPECT_EQ(model.evaluate(*nest).seconds, fresh);
        const auto near = model.costed(plain, nullptr);
        EXPECT_EQ(model.evaluate(*nest, *near).seconds, fresh);
        const ScheduleTime parts = model.explain(*nest);
        EXPECT_NEAR(parts.seconds, fresh, 1e-12 * fresh);
        double sum = 0;
        for (const StageTime &t : parts.stages) sum += t.seconds();
        EXPECT_NEAR(sum, fresh, 1e-12 * fresh);
        const double predicted = gpu::predict(*nest, device_, some_machine()).seconds;
        EXPECT_NEAR(predicted, fresh, 1e-12 * fresh);
    }
}

// Every way to arrange loops is taken as a whole: nothing of it is refused.
TEST_P(GpuSearch, TilingsAreLegal) {
    LoopNest nest(graph());
    for (size_t i = 0; i < graph().num_scheduled(); i++) {
        const Func &func = graph().func(FuncId(i));
        if (func.inline_only) {
            ASSERT_TRUE(try_apply(nest, action::Inline{func.id}));
            continue;
        }
        ASSERT_TRUE(try_apply(nest, action::ComputeRoot{func.id}));
        const auto all = tilings(nest, func.id, hardware(), {500, false}, Random(1));
        ASSERT_FALSE(all.empty());
        for (const std::vector<Action> &actions : all) {
            LoopNest shaped = nest;
            for (const Action &a : actions)
                EXPECT_TRUE(try_apply(shaped, a)) << to_text(graph(), {a});
        }
        for (const Action &a : all[0]) nest = *cryolite::apply(nest, a);
    }
    EXPECT_EQ(validate(nest), "");
}

INSTANTIATE_TEST_SUITE_P(Pipelines, GpuSearch,
                         ::testing::Values("blur", "clamped_blur", "tall_chain", "pyramid",
                                           "product", "equalise", "updates", "transpose",
                                           "two_outputs"),
                         [](const auto &info) { return std::string(info.param); });

// A loop of a thread that stays a loop keeps what it walks over out of the registers.
TEST(GpuLocalMemory, IsWhatALoopOfAThreadIndexes) {
    using namespace Halide;
    Var x("x"), y("y");
    ImageParam in(Float(32), 2, "in");
    Halide::Func rows("rows"), out("out");
    rows(x, y) = in(x, y) * 2;
    out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2) + rows(x, y + 3);
    test::estimate(out, {1024, 1024});
    const BuiltGraph built = test::build({out});
    const FuncId o = test::func(built, out).id, r = test::func(built, rows).id;
    const StageId s = test::stage(built, out).id, p = test::stage(built, rows).id;
    const LoopName row{s, 1, 0}, column{s, 0, 0}, thread{s, 0, 1};
    Trace trace{action::ComputeRoot{o},
                action::Tile{s, 0, {128}},
                action::Reorder{s, {row, column, thread}},
                action::MapToBlocks{s, {row, column}},
                action::MapToThreads{s, {thread}},
                action::ComputeAt{r, thread}};
    const gpu::GpuDevice gpu = device();
    const auto bytes = [&] {
        double sum = 0;
        const LoopNest nest = test::scheduled(built.graph, trace);
        for (const auto &work : gpu::predict(nest, gpu, some_machine()).in_kernels)
            sum += work.counts.local_bytes;
        return sum;
    };
    // 128 threads store and load four values of four bytes.
    EXPECT_EQ(bytes(), 128 * 4 * 4 * 2);
    trace.push_back(action::Tile{p, 1, {4}});
    trace.push_back(action::Unroll{{p, 1, 1}});
    EXPECT_EQ(bytes(), 0);
}

}  // namespace
}  // namespace cryolite
