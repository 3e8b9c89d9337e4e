// Products that a block computes chunk by chunk: what the search starts from, and what it finds.
#include "search/gpu/staged_products.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analytical/cost_model.h"
#include "code/legality/apply.h"
#include "code/legality/gpu_kernels.h"
#include "code/legality/legal_sites.h"
#include "code/legality/validate.h"
#include "code/regions/storage_bounds.h"
#include "graph/builder/divide_reductions.h"
#include "machine/gpu.h"
#include "search/gpu/staged_reads.h"
#include "search/search.h"
#include "search/space/placements.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;
using testing::machine;
using testing::product_of_images;

const gpu::GpuDevice device = gpu::device_of(*gpu_preset("h100"));
const Machine host = machine();
const Hardware hardware(host, &device);

struct StagedProducts : ::testing::Test {
    Halide::Func product = product_of_images(1024), out{"out"};

    void SetUp() override {
        if (!can_divide_reductions) GTEST_SKIP() << "this Halide's rfactor() is not used";
        Var x("x"), y("y");
        out(x, y) = product(x, y) + 1;
        out.set_estimates({{0, 1024}, {0, 1024}});
    }

    BuiltGraph chunked(int64_t points) {
        const DividedReduction chunk{product.name(), 1, "k$x", DividedReduction::Kind::Blocks,
                                     points};
        auto built = build_divided_graph({out.function()}, get_host_target(), {&chunk, 1});
        if (!built.ok()) throw std::runtime_error(built.error().message);
        return std::move(*built);
    }
};

TEST_F(StagedProducts, HaveTheirFactorsInSharedMemoryInEachChunk) {
    const BuiltGraph built = chunked(16);
    const StageGraph &graph = built.graph;
    const std::vector<LoopNest> plans = staged_products(graph, hardware);
    ASSERT_GE(plans.size(), 3u);
    for (const LoopNest &plan : plans) {
        EXPECT_EQ(validate(plan), "");
        size_t in_shared_memory = 0, in_registers = 0;
        for (const cryolite::Func &f : graph.funcs()) {
            if (f.is_input() || plan.at(f.id).placement != Placement::At) continue;
            const KernelLevel level = level_of(plan, plan.at(f.id).compute_at);
            in_shared_memory += level == KernelLevel::Block;
            in_registers += level == KernelLevel::Thread;
            // No loop on the host looks for the most that a block needs.
            for (int64_t bound : rounded_storage_bounds(plan, f.id)) EXPECT_GT(bound, 0) << f.name;
        }
        EXPECT_EQ(in_shared_memory, 3u);  // the sums of all chunks, and both factors
        EXPECT_EQ(in_registers, 1u);      // the sums of a chunk
    }
}

TEST_F(StagedProducts, ArePredictedFasterThanWholeOnes) {
    SearchOptions narrow;
    narrow.beam_size = 4;
    narrow.num_passes = narrow.threads = 1;
    const BuiltGraph parts = chunked(32);
    const SearchResult in_chunks = search(parts.graph, hardware, narrow);
    EXPECT_EQ(validate(in_chunks.nest), "");
    // The pipeline is divided now, and stays so.
    Halide::Func again = product_of_images(1024), reader("reader");
    Var x("x"), y("y");
    reader(x, y) = again(x, y) + 1;
    reader.set_estimates({{0, 1024}, {0, 1024}});
    const BuiltGraph undivided = testing::SmallPipeline{{reader}}.build();
    EXPECT_LT(in_chunks.time.seconds, search(undivided.graph, hardware, narrow).time.seconds);
}

TEST_F(StagedProducts, NeedChunks) {
    const BuiltGraph whole = testing::SmallPipeline{{out}}.build();
    EXPECT_TRUE(staged_products(whole.graph, hardware).empty());
    const BuiltGraph built = chunked(16);
    EXPECT_TRUE(staged_products(built.graph, Hardware(host)).empty());
}

// A window's input is worth a copy in shared memory, a point's is not.
TEST(StagedReads, AreReadManyTimes) {
    Var x("x"), y("y");
    ImageParam in = testing::image(Float(32), 1034, 1034);
    const RDom r(0, 5, 0, 5, "r");
    Halide::Func window("window"), out("out");
    window(x, y) = 0.0f;
    window(x, y) += in(x + r.x, y + r.y) * (r.x + r.y);
    out(x, y) = window(x, y) + 1;
    out.set_estimates({{0, 1024}, {0, 1024}});
    const BuiltGraph built = testing::SmallPipeline{{out}}.build();
    const StageGraph &graph = built.graph;
    const FuncId o = graph.find(out.name());
    const FuncId copy = std::ranges::find(graph.funcs(), true, &cryolite::Func::is_trivial)->id;
    const StageId s = graph.func(o).stages[0];
    const LoopName block{s, 0, 0}, thread{s, 0, 1};
    Trace trace{action::ComputeRoot{o},
                action::Tile{s, 1, {8}},
                action::Tile{s, 0, {32}},
                action::Reorder{s, {{s, 1, 0}, block, {s, 1, 1}, thread}},
                action::MapToBlocks{s, {{s, 1, 0}, block}},
                action::MapToThreads{s, {{s, 1, 1}, thread}},
                action::ComputeAt{graph.find(window.name()), thread}};
    const auto nest = replay(graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    EXPECT_TRUE(is_worth_staging(*nest, copy, block));
    EXPECT_FALSE(is_worth_staging(*nest, copy, thread));
    size_t sites = 0;
    for (const PlacementActions &place : placements(*nest, copy, false))
        sites += std::holds_alternative<action::ComputeAt>(place[0]);
    EXPECT_EQ(sites, 1u);
}

}  // namespace
}  // namespace cryolite
