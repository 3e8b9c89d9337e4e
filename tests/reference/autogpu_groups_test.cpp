// Groups as kernels: the example of the thesis's section 6.3, tile bounds, nested fusion, and whole
// plans.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/autogpu/grouping.h"
#include "reference/autogpu/nested_fusion.h"
#include "tests/reference/made_graph.h"

namespace cryolite::gpu {
namespace {

using testing::GraphMaker;

GpuDevice device_of(int major, int minor, int sms) {
    GpuDevice d;
    d.limits = gpu_limits(major, minor)->limits;
    d.sm_count = sms;
    return d;
}

// Figures 6.2 to 6.4: K(x, y, c) = E(x) + E(x+1) + E(x+2); H = 4 E; W = K(0) + K(1) + K(2) + 2 H;
// Z = five rows of W.
StageGraph example(int64_t width = 1536, int64_t height = 1536) {
    GraphMaker make;
    const FuncId z =
        make.func("Z", {"x", "y"}, FuncRole::Output, Box{{0, width - 1}, {0, height - 1}});
    const FuncId w = make.func("W", {"x", "y"});
    const FuncId k = make.func("K", {"x", "y", "c"});
    const FuncId h = make.func("H", {"x", "y"});
    const FuncId e = make.func("E", {"x", "y"}, FuncRole::Input);
    make.reads(z, w, {{0}, {1, -2, 2}});
    make.reads(w, k, {{0}, {1}, {-1, 0, 2}});
    make.reads(w, h, {{0}, {1}});
    make.reads(k, e, {{0, 0, 2}, {1}});
    make.reads(h, e, {{0}, {1}});
    return testing::with_work(make.finish(), 4, {{"H", 1}});
}

struct Kernel {
    StageGraph graph;
    GpuDevice device;
    AutoGpuOptions options;
    reuse::SegmentRegions regions{graph, testing::whole(graph)};
    std::vector<reuse::MemberOverlaps> overlaps = member_overlaps(regions);
    GroupShape shape = shape_of(graph, regions.segment().driver, options);
    GroupModel model{regions, overlaps, shape, device, options};
    std::vector<MemberSite> sites;

    Kernel(StageGraph g, const GpuDevice &d, std::vector<Site> at)
        : graph(std::move(g)), device(d) {
        for (Site s : at) sites.push_back({s, {}, -1});
    }
    GroupCost cost(std::vector<int64_t> tile, CostPhase phase = CostPhase::FinalTiling) {
        return model.evaluate(tile, sites, phase);
    }
    std::vector<MemberSite> nested(std::vector<int64_t> tile) {
        return nest_stages(regions, shape, cost(tile), sites, options);
    }
};

// Members: W, K, H.
Kernel example_kernel(Site k) {
    return Kernel(example(), device_of(7, 5, 68), {Site::Shared, k, Site::Inline});
}

TEST(ExampleOfSection63, TakesABlockOf32By16For32By12Outputs) {
    Kernel kernel = example_kernel(Site::Inline);
    const GroupCost c = kernel.cost({32, 12});
    EXPECT_EQ(c.block, (std::array<int64_t, 3>{32, 16, 1}));
    EXPECT_EQ(c.threads_per_block, 512);
    EXPECT_EQ(c.shared_bytes, 2048);
    EXPECT_EQ(c.blocks, 48 * 128);
    EXPECT_EQ(c.registers, 64);
    EXPECT_EQ(c.members[0].threads, 512);
    EXPECT_EQ(c.active_threads, 384);  // Z needs no more
    EXPECT_TRUE(c.can_launch);
    EXPECT_EQ(c.waste, 0);
    // The block fills the SM: two of them. Z's own warps are 12 of each block's 16.
    EXPECT_EQ(occupancy(kernel.device.limits, {512, c.registers, c.shared_bytes}).fraction, 1);
    EXPECT_EQ(c.occupancy, 0.75);
}

TEST(ExampleOfSection63, SharesKAsWellWhereTilesOverlap) {
    const GroupCost c = example_kernel(Site::Shared).cost({4, 4});
    EXPECT_EQ(c.block, (std::array<int64_t, 3>{4, 8, 1}));  // figure 6.3
    EXPECT_EQ(c.shared_bytes, 4 * 8 * 4 + 3 * 4 * 8 * 4);   // W[4*8], K[3*4*8]
    EXPECT_EQ(c.members[1].threads, 4 * 8);
}

TEST(ExampleOfSection63, NestsKInTheThreadsOfW) {
    Kernel kernel = example_kernel(Site::Shared);
    const std::vector<MemberSite> sites = kernel.nested({32, 12});
    const StageId w = kernel.graph.func(testing::find(kernel.graph, "W")).stages[0];
    EXPECT_EQ(sites[0].site, Site::Shared);  // its rows are shared along y
    EXPECT_EQ(sites[1], (MemberSite{Site::Nested, w, 0}));
    EXPECT_EQ(sites[2].site, Site::Inline);
    const GroupCost before = kernel.cost({32, 12});
    kernel.sites = sites;
    const GroupCost after = kernel.cost({32, 12});
    EXPECT_EQ(before.shared_bytes, 2048 + 3 * 2048);
    EXPECT_EQ(after.shared_bytes, 2048);
    EXPECT_EQ(points(after.members[1].box), 3);
    EXPECT_LT(after.memory, before.memory);
}

// 3 K per W, each of 4 operations: nesting moves work from K's threads to W's and adds none.
TEST(ExampleOfSection63, NestingComputesNothingTwice) {
    Kernel kernel = example_kernel(Site::Shared);
    const double shared = kernel.cost({32, 12}).arithmetic;
    kernel.sites = kernel.nested({32, 12});
    EXPECT_DOUBLE_EQ(kernel.cost({32, 12}).arithmetic, shared);
}

// --- listing 6.1 ---

TEST(GroupCost, RefusesWhatCannotBeLaunched) {
    EXPECT_FALSE(example_kernel(Site::Inline).cost({64, 16}).can_launch);  // 64 x 20 threads
    Kernel kernel = example_kernel(Site::Shared);
    kernel.device.shared_bytes_per_block = 8191;
    EXPECT_FALSE(kernel.cost({32, 12}).can_launch);
    kernel.device.shared_bytes_per_block = 8192;
    EXPECT_TRUE(kernel.cost({32, 12}).can_launch);
}

TEST(GroupCost, KnowsWaste) {
    EXPECT_EQ(example_kernel(Site::Inline).cost({6, 6}).waste & 1, 1);  // 6 x 10 threads
    EXPECT_EQ(example_kernel(Site::Inline).cost({6, 6}, CostPhase::Grouping).waste & 1, 0);
    Kernel few(example(64, 64), device_of(7, 5, 68), {Site::Shared, Site::Inline, Site::Inline});
    EXPECT_EQ(few.cost({32, 12}).waste & 2, 2);  // 12 blocks
    Kernel thin = example_kernel(Site::Inline);
    thin.options.occupancy_threshold = 0.8;
    EXPECT_EQ(thin.cost({32, 12}).waste & 4, 4);
}

TEST(GroupCost, CountsArithmeticByHand) {
    // Blur: out 3 operations on 32 x 8, blur_x 5 operations on 32 x 10, in 20 x 60 blocks.
    Kernel kernel(testing::with_work(testing::blur_graph(640, 480), 3, {{"blur_x", 5}}),
                  device_of(8, 0, 108), {Site::Shared});
    const GroupCost c = kernel.cost({32, 8}, CostPhase::Grouping);
    EXPECT_EQ(c.blocks, 1200);
    EXPECT_EQ(c.threads_per_block, 320);
    // 64 registers: 8 warps per partition, 32 per SM, 3 blocks of 10 warps.
    const double blur_x = 5 * 320 / (30.0 / 64 * 320), out = 3 * 256 / (24.0 / 64 * 256);
    EXPECT_DOUBLE_EQ(c.arithmetic, 1200 * (blur_x + out));
    EXPECT_DOUBLE_EQ(c.occupancy, 24.0 / 64);
    // Loads: 3 shared ones per point of out, 3 global ones per point of blur_x, 32 in a
    // transaction.
    const double shared = 3 * 256 * kernel.options.shared_transaction / 32;
    const double global = 3 * 320 * kernel.options.global_transaction / 32;
    EXPECT_DOUBLE_EQ(c.memory, 1200 * (shared + global));
    EXPECT_DOUBLE_EQ(c.cost, c.arithmetic + c.memory);
    const GroupCost last = kernel.cost({32, 8}, CostPhase::FinalTiling);
    EXPECT_DOUBLE_EQ(last.cost, c.arithmetic + c.memory / (24.0 / 64 * 256));
}

TEST(GroupCost, PaysForTransposedLoadsOneByOne) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 511}, {0, 511}});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, in, {{1}, {0}});
    Kernel kernel(testing::with_work(make.finish(), 1), device_of(8, 0, 108), {});
    EXPECT_DOUBLE_EQ(kernel.cost({32, 8}).memory, 512.0 * 512 * kernel.options.global_transaction);
}

// --- tiles ---

TEST(TileBounds, AreThoseOfSection64) {
    const auto check = [](int64_t extent, size_t dims, int64_t least, int64_t most) {
        EXPECT_EQ(tile_bounds(extent, dims).least, least) << extent;
        EXPECT_EQ(tile_bounds(extent, dims).most, most) << extent;
    };
    check(2560, 2, 8, 80);
    check(1024, 2, 8, 32);
    check(2560, 1, 8, 20);
    check(1023, 2, 8, 511);
    check(64, 2, 8, 32);
    check(63, 1, 2, 31);
    check(5, 1, 2, 2);
    check(3, 1, 2, 2);  // the formulas cross
    check(1, 1, 1, 1);
}

TEST(GroupShape, TilesLongLoopsOrTheLongest) {
    const StageGraph g = example();
    const GroupShape z = shape_of(g, g.func(FuncId(0)).stages[0], AutoGpuOptions{});
    EXPECT_EQ(z.thread_loops, (std::vector<int>{0, 1}));
    const GroupShape k = shape_of(g, g.func(testing::find(g, "K")).stages[0], AutoGpuOptions{});
    EXPECT_EQ(k.thread_loops, (std::vector<int>{0, 1}));  // not c, of three iterations
    EXPECT_EQ(k.nest.order[0], (reuse::TiledLoop{2, false}));
    const StageGraph tiny = example(9, 40);
    EXPECT_EQ(shape_of(tiny, tiny.func(FuncId(0)).stages[0], AutoGpuOptions{}).thread_loops,
              std::vector<int>{1});
}

// --- nested fusion ---

TEST(NestedFusion, LeavesReducersOfSharedValuesAlone) {
    // blur_x is shared along y by out's threads.
    Kernel kernel(testing::with_work(testing::blur_graph(640, 480), 3), device_of(8, 0, 108),
                  {Site::Shared});
    EXPECT_EQ(kernel.nested({32, 8})[0].site, Site::Shared);
}

TEST(NestedFusion, NeedsOneReader) {
    GraphMaker make;
    const FuncId out = make.func("out", {"x", "y"}, FuncRole::Output, Box{{0, 511}, {0, 511}});
    const FuncId a = make.func("a", {"x", "y"});
    const FuncId b = make.func("b", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, a, {{0, -1, 1}, {1}});
    make.reads(out, b, {{0}, {1}});
    make.reads(a, b, {{0}, {1}});
    make.reads(b, in, {{0}, {1}});
    Kernel kernel(testing::with_work(make.finish(), 3), device_of(8, 0, 108),
                  {Site::Shared, Site::Shared});
    EXPECT_EQ(kernel.nested({32, 8})[1].site, Site::Shared);
    kernel.sites[0].site = Site::Inline;  // then all of b's readers are threads of out, which share
    EXPECT_EQ(kernel.nested({32, 8})[1].site, Site::Shared);
}

TEST(NestedFusion, StaysAboveSerialLoopsThatReuse) {
    // out(c, x, y) reads weight(x, y) at each of three c: computed once per thread, outside of c.
    GraphMaker make;
    const FuncId out =
        make.func("out", {"c", "x", "y"}, FuncRole::Output, Box{{0, 2}, {0, 511}, {0, 511}});
    const FuncId weight = make.func("weight", {"x", "y"});
    const FuncId in = make.func("in", {"x", "y"}, FuncRole::Input);
    make.reads(out, weight, {{1}, {2}});
    make.reads(weight, in, {{0, -1, 1}, {1}});
    Kernel kernel(testing::with_work(make.finish(), 6), device_of(8, 0, 108), {Site::Shared});
    const std::vector<MemberSite> sites = kernel.nested({32, 8});
    EXPECT_EQ(sites[0], (MemberSite{Site::Nested, kernel.shape.nest.stage, 1}));
    const double shared = kernel.cost({32, 8}).arithmetic;
    kernel.sites = sites;
    EXPECT_DOUBLE_EQ(kernel.cost({32, 8}).arithmetic, shared);
}

TEST(NestedFusion, KeepsWithinItsRegisters) {
    Kernel kernel = example_kernel(Site::Shared);
    kernel.options.nested_bytes_per_thread = 11;
    EXPECT_EQ(kernel.nested({32, 12})[1].site, Site::Shared);
}

// --- whole plans ---

void expect_sound(const StageGraph &g, const GpuPlan &plan, const GpuDevice &device) {
    SCOPED_TRACE(to_text(g, plan));
    std::vector<int> stored(g.num_scheduled()), inlined(g.num_scheduled());
    for (const GroupPlan &group : plan.groups) {
        stored[group.segment.output.index()]++;
        EXPECT_TRUE(group.cost.can_launch);
        EXPECT_LE(group.cost.threads_per_block, device.limits.threads_per_block);
        EXPECT_LE(group.cost.shared_bytes, device.shared_bytes_per_block);
        for (size_t i = 0; i < group.sites.size(); i++) {
            const FuncId f = group.segment.members[i];
            const bool here = group.sites[i].site == Site::Inline;
            (here ? inlined : stored)[f.index()]++;
            EXPECT_TRUE(!here || g.func(f).can_inline);
        }
        for (size_t j = 0; j < group.shape.thread_loops.size(); j++) {
            const auto l = static_cast<size_t>(group.shape.thread_loops[j]);
            EXPECT_GE(group.shape.nest.tile[l], 1);
            EXPECT_LE(group.shape.nest.tile[l], group.shape.nest.ranges[l].extent());
        }
    }
    for (size_t i = 0; i < g.num_scheduled(); i++) {
        EXPECT_TRUE(stored[i] == 1 ? inlined[i] == 0 : stored[i] == 0 && inlined[i] > 0)
            << g.func(FuncId(i)).name;
    }
}

StageGraph chain(int stages, int64_t width, int64_t height) {
    GraphMaker make;
    std::vector<FuncId> f{
        make.func("f0", {"x", "y"}, FuncRole::Output, Box{{0, width - 1}, {0, height - 1}})};
    for (int k = 1; k < stages; k++) f.push_back(make.func("f" + std::to_string(k), {"x", "y"}));
    f.push_back(make.func("in", {"x", "y"}, FuncRole::Input));
    for (size_t k = 0; k + 1 < f.size(); k++) make.reads(f[k], f[k + 1], {{0, -1, 1}, {1, -1, 1}});
    return testing::with_work(make.finish(), 6);
}

TEST(AutoGpu, PlansEveryShape) {
    for (const auto nested :
         {NestedFusion::Never, NestedFusion::WhereSevere, NestedFusion::Always}) {
        for (const GpuDevice &device : {device_of(7, 5, 68), device_of(9, 0, 132)}) {
            for (const StageGraph &g : {example(), chain(4, 1021, 509),
                                        testing::with_work(testing::pyramid_graph(512), 4),
                                        testing::with_work(testing::histogram_graph(), 4),
                                        testing::with_work(testing::matmul_graph(512), 2),
                                        testing::with_work(testing::transpose_graph(), 1)}) {
                expect_sound(g, plan_for_gpu(g, device, AutoGpuOptions{}, nested), device);
            }
        }
    }
}

TEST(AutoGpu, PlansTinyImages) {
    const GpuDevice device = device_of(8, 0, 108);
    for (const int64_t size : {1, 2, 3, 7, 33}) {
        for (const StageGraph &g : {chain(3, size, size), chain(2, size, 1), example(size, size)}) {
            expect_sound(g, plan_for_gpu(g, device, AutoGpuOptions{}), device);
        }
    }
}

TEST(AutoGpu, MergesOnlyWhatSaves) {
    const GpuDevice device = device_of(8, 0, 108);
    const StageGraph g = chain(4, 1536, 1024);
    const GpuPlan plan = plan_for_gpu(g, device, AutoGpuOptions{}, NestedFusion::Never);
    EXPECT_LT(plan.groups.size(), 4u);  // loads of what another kernel stores are dear
    AutoGpuOptions dear_sharing;
    dear_sharing.shared_transaction = 1e6;
    const GpuPlan apart = plan_for_gpu(g, device, dear_sharing, NestedFusion::Never);
    for (const GroupPlan &group : apart.groups) EXPECT_EQ(group.cost.shared_bytes, 0);
}

TEST(AutoGpu, EndsInWholeWarps) {
    const GpuDevice device = device_of(8, 0, 108);
    for (const StageGraph &g : {chain(4, 1536, 1024), example()}) {
        for (const GroupPlan &group : plan_for_gpu(g, device, AutoGpuOptions{}).groups) {
            EXPECT_EQ(group.cost.waste, 0);
            EXPECT_EQ(group.cost.threads_per_block % 32, 0);
            EXPECT_GE(group.cost.blocks, 108);
        }
    }
}

TEST(AutoGpu, IsTheSameTwice) {
    const GpuDevice device = device_of(8, 0, 108);
    const StageGraph g = testing::with_work(testing::pyramid_graph(512), 4);
    EXPECT_EQ(to_text(g, plan_for_gpu(g, device, AutoGpuOptions{})),
              to_text(g, plan_for_gpu(g, device, AutoGpuOptions{})));
}

}  // namespace
}  // namespace cryolite::gpu
