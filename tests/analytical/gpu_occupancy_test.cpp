// Occupancy against a recount that places blocks one by one, and against values that NVIDIA's
// guides print.
#include <gtest/gtest.h>

#include <array>

#include "analytical/gpu/occupancy.h"

namespace cryolite::gpu {
namespace {

constexpr std::array<std::pair<int, int>, 8> capabilities{
    {{7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}}};

GpuLimits limits_of(int major, int minor) { return gpu_limits(major, minor)->limits; }

// An SM that is filled until something runs out.
class EmptySm {
public:
    explicit EmptySm(const GpuLimits &limits)
        : limits_(limits), shared_left_(limits.shared_bytes_per_multiprocessor) {
        registers_left_.fill(limits.registers_per_multiprocessor / 4);
    }

    bool place(const KernelResources &kernel) {
        if (blocks_ == limits_.blocks_per_multiprocessor) return false;
        int64_t shared = kernel.shared_bytes_per_block + limits_.shared_bytes_reserved_per_block;
        while (shared % limits_.shared_allocation_unit != 0) shared++;
        if (shared > shared_left_) return false;
        auto registers = registers_left_;
        int warps = 0;
        for (int thread = 0; thread < kernel.threads_per_block; thread += 32) {
            if (warps_ + ++warps > limits_.warps_per_multiprocessor) return false;
            int64_t needed = 0;
            while (needed < int64_t{32} * kernel.registers_per_thread) needed += 256;
            auto *freest = &registers[0];
            for (int64_t &r : registers) {
                if (r > *freest) freest = &r;
            }
            if (*freest < needed) return false;
            *freest -= needed;
        }
        registers_left_ = registers;
        shared_left_ -= shared;
        warps_ += warps;
        blocks_++;
        return true;
    }
    int blocks() const { return blocks_; }
    int warps() const { return warps_; }

private:
    const GpuLimits &limits_;
    std::array<int64_t, 4> registers_left_{};
    int64_t shared_left_;
    int warps_ = 0, blocks_ = 0;
};

TEST(Occupancy, IsWhatFillingAnSmGives) {
    for (const auto &[major, minor] : capabilities) {
        const GpuLimits limits = limits_of(major, minor);
        for (int threads = 1; threads <= 1024; threads += threads < 64 ? 7 : 31) {
            for (int registers = 0; registers <= 255; registers += 5) {
                for (int64_t shared : {0, 1, 1000, 1024, 3073, 8192, 16000, 33000, 49152, 65536,
                                       98304, 101376, 166912, 232448}) {
                    if (shared > limits.shared_bytes_per_block_opt_in) continue;
                    const KernelResources kernel{threads, registers, shared};
                    EmptySm sm(limits);
                    while (sm.place(kernel)) {
                    }
                    const Occupancy o = occupancy(limits, kernel);
                    ASSERT_EQ(o.blocks_per_sm, sm.blocks())
                        << major << "." << minor << ": " << threads << " threads, " << registers
                        << " registers, " << shared << " bytes";
                    ASSERT_EQ(o.warps_per_sm, sm.warps());
                    ASSERT_DOUBLE_EQ(o.fraction, static_cast<double>(sm.warps()) /
                                                     limits.warps_per_multiprocessor);
                }
            }
        }
    }
}

// CUDA C++ Best Practices Guide, "Calculating Occupancy", for capability 7.0.
TEST(Occupancy, IsWhatTheBestPracticesGuideSays) {
    const GpuLimits limits = limits_of(7, 0);
    EXPECT_EQ(occupancy(limits, {1024, 32, 0}).fraction, 1);
    EXPECT_EQ(occupancy(limits, {128, 37, 0}).blocks_per_sm, 12);
    EXPECT_EQ(occupancy(limits, {128, 37, 0}).fraction, 0.75);
    EXPECT_EQ(occupancy(limits, {320, 37, 0}).blocks_per_sm, 4);
    EXPECT_EQ(occupancy(limits, {320, 37, 0}).fraction, 0.625);  // printed as 63 %
}

// CUDA C++ Programming Guide, "Multiprocessor Level": two blocks of 512 threads with 64 registers
// use all of the registers, and one register more leaves room for one.
TEST(Occupancy, IsWhatTheProgrammingGuideSays) {
    for (const auto &[major, minor] : capabilities) {
        const GpuLimits limits = limits_of(major, minor);
        EXPECT_EQ(occupancy(limits, {512, 64, 0}).blocks_per_sm, 2);
        EXPECT_EQ(occupancy(limits, {512, 65, 0}).blocks_per_sm, 1);
    }
}

// Section 6.3 of the thesis: 512 threads, 64 registers, 2,048 bytes on 7.5.
TEST(Occupancy, OfTheThesisExampleIsFull) {
    EXPECT_EQ(occupancy(limits_of(7, 5), {512, 64, 2048}).fraction, 1);
}

TEST(Occupancy, SaysWhatLimits) {
    const GpuLimits limits = limits_of(8, 6);
    EXPECT_EQ(occupancy(limits, {32, 16, 0}).limited_by, OccupancyLimit::Blocks);
    EXPECT_EQ(occupancy(limits, {1024, 16, 0}).limited_by, OccupancyLimit::Warps);
    EXPECT_EQ(occupancy(limits, {256, 128, 0}).limited_by, OccupancyLimit::Registers);
    EXPECT_EQ(occupancy(limits, {64, 16, 40000}).limited_by, OccupancyLimit::SharedMemory);
    EXPECT_EQ(occupancy(limits, {1025, 16, 0}).limited_by, OccupancyLimit::CannotLaunch);
    EXPECT_EQ(occupancy(limits, {64, 256, 0}).limited_by, OccupancyLimit::CannotLaunch);
    EXPECT_EQ(occupancy(limits, {64, 16, 101377}).limited_by, OccupancyLimit::CannotLaunch);
    EXPECT_EQ(occupancy(limits, {1024, 255, 0}).blocks_per_sm, 0);
    EXPECT_EQ(occupancy(limits, {0, 16, 0}).blocks_per_sm, 0);
}

TEST(EstimateRegisters, IsTheMostThatStillLaunches) {
    for (const auto &[major, minor] : capabilities) {
        const GpuLimits limits = limits_of(major, minor);
        for (int threads = 1; threads <= 1024; threads++) {
            const int r = estimate_registers(limits, threads, 255);
            ASSERT_GE(occupancy(limits, {threads, r, 0}).blocks_per_sm, 1) << threads;
            // Rounding down aside it is the text's bound.
            ASSERT_LE(r * threads, 65536);
            ASSERT_TRUE(r == 255 || occupancy(limits, {threads, r + 1, 0}).blocks_per_sm == 0);
        }
        EXPECT_EQ(estimate_registers(limits, 1024, 255), 64);
        EXPECT_EQ(estimate_registers(limits, 512, 255), 128);
        EXPECT_EQ(estimate_registers(limits, 768, 255), 80);
        EXPECT_EQ(estimate_registers(limits, 128, 64), 64);
    }
}

TEST(StageActivity, CountsTheIdleThreadsOfABlock) {
    GpuDevice device;
    device.limits = limits_of(7, 0);
    const KernelResources kernel{512, 32, 2048};
    const StageActivity all = stage_activity(device, kernel, 512, 1000);
    EXPECT_EQ(all.occupancy, 1);
    EXPECT_EQ(all.active_threads, 512);
    EXPECT_EQ(all.active_sms, 80);
    const StageActivity some = stage_activity(device, kernel, 384, 7);
    EXPECT_EQ(some.occupancy, 0.75);
    EXPECT_EQ(some.active_threads, 384);
    EXPECT_EQ(some.active_sms, 7);
    EXPECT_EQ(stage_activity(device, {2048, 32, 0}, 64, 100).active_threads, 0);
}

}  // namespace
}  // namespace cryolite::gpu
