// The GPU's part of a row, counted by hand for a stage of a tiled stencil.
#include "featurize/rows/gpu_features.h"
#include "code/legality/validate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cryolite {
namespace {

using Role = GpuLoopRole;

// 4 x 16 blocks of 32 x 8 threads, of which the stage uses 30 x 8; every thread computes 4 rows,
// unrolled, of 3 taps in x from shared memory, where a row has 36 floats, and stores to an image
// 1024 floats wide.
struct Stencil {
    GpuMapping m;
    GpuOccupancy occupancy;
    Stencil() {
        m.loops = {{Role::Block, 16},
                   {Role::Block, 4},
                   {Role::Thread, 8, 1},
                   {Role::Thread, 30, 0},
                   {Role::Unrolled, 4}};
        m.block_threads = {32, 8, 1};
        m.realisation_depth = 2;
        m.block_shared_bytes = 12 * 1024;
        m.thread_bytes = 64;
        GpuAccess load;
        load.memory = GpuMemory::Shared;
        load.buffer = 1;
        load.allocation_bytes = 36 * 32 * 4;
        load.strides = {0, 0, 4 * 36, 1, 36};
        load.offsets = {0, 1, 2};
        GpuAccess store;
        store.is_store = true;
        store.buffer = 2;
        store.strides = {32 * 1024, 32, 4 * 1024, 1, 1024};
        m.accesses = {load, store};
        occupancy.active_blocks = 4;
        occupancy.active_blocks_by_shared = 8;
        occupancy.block_limit = 32;
        occupancy.active_warps = 32;
        occupancy.warp_limit = 64;
    }
    FeatureRow row() const {
        FeatureRow r{};
        EXPECT_EQ(validate(m), "");
        gpu_features(m, occupancy, r);
        return r;
    }
};

TEST(GpuFeatures, ThreadsWarpsAndLanes) {
    const FeatureRow row = Stencil().row();
    const auto at = [&](Feature f) { return row[index(f)]; };
    EXPECT_EQ(at(Feature::num_scalars), 64 * 240 * 4);
    EXPECT_EQ(at(Feature::points_computed_per_thread), 4);
    EXPECT_EQ(at(Feature::num_blocks), 64);
    EXPECT_EQ(at(Feature::num_warps_per_block), 8);
    EXPECT_EQ(at(Feature::num_active_warps_per_block), 8);
    EXPECT_EQ(at(Feature::num_threads_per_block), 240);
    EXPECT_DOUBLE_EQ(at(Feature::warp_lane_utilization), 240.0 / 256);
    EXPECT_DOUBLE_EQ(at(Feature::idle_lane_wastage), 16.0 / 1024);
    EXPECT_DOUBLE_EQ(at(Feature::block_occupancy), 240.0 / 1024);
    EXPECT_EQ(at(Feature::working_set_at_thread), 64);
    EXPECT_DOUBLE_EQ(at(Feature::shared_mem_occupancy), 0.25);
    EXPECT_DOUBLE_EQ(at(Feature::shared_mem_block_limit_factor), 0.25);
    EXPECT_DOUBLE_EQ(at(Feature::max_warp_occupancy), 0.5);
    EXPECT_DOUBLE_EQ(at(Feature::max_block_occupancy), 0.125);
}

// 64 blocks.
TEST(GpuFeatures, MultiprocessorsIdleInTheLastWave) {
    const auto idle = [](double multiprocessors, double blocks_each) {
        Stencil s;
        s.occupancy.multiprocessors = multiprocessors;
        s.occupancy.active_blocks = blocks_each;
        return s.row()[index(Feature::idle_multiprocessor_share)];
    };
    EXPECT_DOUBLE_EQ(idle(100, 1), 0.36);
    EXPECT_DOUBLE_EQ(idle(30, 1), 26.0 / 30);  // the third wave has 4 blocks
    EXPECT_DOUBLE_EQ(idle(30, 2), 26.0 / 30);  // the second wave
    EXPECT_DOUBLE_EQ(idle(32, 1), 0);
    EXPECT_DOUBLE_EQ(idle(1, 4), 0);
}

// Two additions a point: 122,880 of them by 240 threads at half of the warps that a multiprocessor can hold. 96 shared
// transactions a block at 40 / 12 operations each.
TEST(GpuFeatures, TheGroupCostOfListing61) {
    Stencil s;
    s.occupancy.multiprocessors = 100;
    FeatureRow row{};
    row[index(Feature::expanded_add_float)] = 2;
    gpu_features(s.m, s.occupancy, row);
    EXPECT_DOUBLE_EQ(row[index(Feature::stage_occupancy)], 0.5);
    EXPECT_DOUBLE_EQ(row[index(Feature::active_multiprocessor_share)], 0.64);
    EXPECT_DOUBLE_EQ(row[index(Feature::group_arithmetic)], 122880 / (0.5 * 240));
    EXPECT_DOUBLE_EQ(row[index(Feature::group_memory)], 64 * 96 * 40.0 / 12);
    EXPECT_DOUBLE_EQ(row[index(Feature::group_cost)],
                     122880 / (0.5 * 240) + 64 * 96 * 40.0 / 12 / (0.5 * 240));
    s.occupancy.active_blocks = 0;
    gpu_features(s.m, s.occupancy, row);
    EXPECT_EQ(row[index(Feature::stage_occupancy)], 0);
    EXPECT_EQ(row[index(Feature::group_cost)], 0);
}

// Ten launches of a kernel, each of 4 blocks of 32 threads that load 128 floats of an image 1000 wide.
TEST(GpuFeatures, AKernelCountsInAllItsLaunches) {
    GpuMapping m;
    m.host_loops = {10};
    m.loops = {{Role::Block, 4}, {Role::Thread, 32, 0}};
    m.block_threads = {32, 1, 1};
    GpuAccess load;
    load.strides = {32, 1};
    load.host_walks = {{0, 1024, 10}};
    m.accesses = {load};
    ASSERT_EQ(validate(m), "");
    const auto row = [&](size_t realisation_depth) {
        m.realisation_depth = realisation_depth;
        FeatureRow r{};
        gpu_features(m, {}, r);
        return r;
    };
    const FeatureRow at_root = row(0), per_launch = row(1);
    EXPECT_EQ(at_root[index(Feature::num_scalars)], 10 * 4 * 32);
    EXPECT_EQ(at_root[index(Feature::global_bytes_read_per_realisation)], 10 * 128 * 4);
    EXPECT_EQ(at_root[index(Feature::global_lines_read_per_realisation)], 10 * 4);
    EXPECT_EQ(at_root[index(Feature::global_bytes_read_per_block)], 32 * 4);
    EXPECT_EQ(per_launch[index(Feature::num_scalars)], 10 * 4 * 32);
    EXPECT_EQ(per_launch[index(Feature::global_bytes_read_per_realisation)], 128 * 4);
    EXPECT_EQ(per_launch[index(Feature::global_lines_read_per_realisation)], 4);
}

TEST(GpuFeatures, FootprintsAreApartByMemory) {
    const FeatureRow row = Stencil().row();
    const auto at = [&](Feature f) { return row[index(f)]; };
    EXPECT_EQ(at(Feature::shared_bytes_read_per_block), 32 * 32 * 4);
    EXPECT_EQ(at(Feature::shared_bytes_read_per_realisation), 32 * 32 * 4);
    EXPECT_EQ(at(Feature::shared_bytes_read_per_thread), 3 * 4 * 4);
    EXPECT_EQ(at(Feature::shared_bytes_read_per_iteration), 3 * 4 * 4);
    EXPECT_EQ(at(Feature::shared_allocation_bytes_read), 36 * 32 * 4);
    EXPECT_EQ(at(Feature::global_bytes_read_per_block), 0);
    EXPECT_EQ(at(Feature::register_bytes_read_per_block), 0);
    EXPECT_EQ(at(Feature::global_bytes_at_task), 30 * 32 * 4);
    EXPECT_EQ(at(Feature::global_innermost_bytes_at_task), 30 * 4);
    EXPECT_EQ(at(Feature::shared_bytes_at_task), 0);
}

TEST(GpuFeatures, TransactionsAndTheirEfficiency) {
    const FeatureRow row = Stencil().row();
    const auto at = [&](Feature f) { return row[index(f)]; };
    // 8 warps, 4 rows of 3 taps, no conflict: 30 lanes of neighbouring words.
    EXPECT_EQ(at(Feature::num_shared_mem_loads_per_block), 8 * 4 * 3);
    EXPECT_DOUBLE_EQ(at(Feature::shared_mem_load_efficiency), 30.0 / 32);
    // 30 floats from a line's start: 4 sectors.
    EXPECT_EQ(at(Feature::num_global_mem_stores_per_block), 8 * 4 * 4);
    EXPECT_EQ(at(Feature::num_global_mem_store_lines_per_block), 8 * 4);
    EXPECT_DOUBLE_EQ(at(Feature::global_mem_store_efficiency), 30.0 / 32);
    EXPECT_EQ(at(Feature::num_global_mem_loads_per_block), 0);
    EXPECT_EQ(at(Feature::global_mem_load_efficiency), 1);
    EXPECT_EQ(at(Feature::shared_mem_store_efficiency), 1);
}

TEST(GpuFeatures, NothingElseOfTheRowIsTouched) {
    const FeatureRow row = Stencil().row();
    for (size_t i = 0; i < num_features; i++) {
        EXPECT_TRUE(std::isfinite(row[i]) && row[i] >= 0) << feature_table()[i].name;
        if (feature_table()[i].target != FeatureTarget::Gpu) {
            EXPECT_EQ(row[i], 0) << feature_table()[i].name;
        }
    }
}

TEST(GpuFeatures, AStageWithoutLoopsIsOneThread) {
    GpuMapping m;
    FeatureRow row{};
    gpu_features(m, {}, row);
    EXPECT_EQ(row[index(Feature::num_scalars)], 1);
    EXPECT_EQ(row[index(Feature::num_warps_per_block)], 1);
    EXPECT_DOUBLE_EQ(row[index(Feature::warp_lane_utilization)], 1.0 / 32);
}

}  // namespace
}  // namespace cryolite
