#include "machine/gpu.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

TEST(Gpu, limits_are_those_of_the_capability) {
    const auto volta = gpu_limits(7, 0);
    ASSERT_TRUE(volta.ok());
    EXPECT_EQ(volta->note, "");
    EXPECT_EQ(volta->limits.shared_bytes_per_multiprocessor, 96 << 10);
    EXPECT_EQ(volta->limits.shared_bytes_reserved_per_block, 0);
    EXPECT_EQ(volta->limits.shared_allocation_unit, 256);
    const auto ada = gpu_limits(8, 9);
    ASSERT_TRUE(ada.ok());
    EXPECT_EQ(ada->limits.threads_per_multiprocessor, 1536);
    EXPECT_EQ(ada->limits.blocks_per_multiprocessor, 24);
    EXPECT_EQ(ada->limits.shared_bytes_per_block_opt_in, 99 << 10);
    EXPECT_EQ(ada->limits.shared_bytes_reserved_per_block, 1 << 10);
}

TEST(Gpu, limits_of_every_capability_agree_with_each_other) {
    for (const auto &[major, minor] : std::vector<std::pair<int, int>>{
             {7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}}) {
        const auto known = gpu_limits(major, minor);
        ASSERT_TRUE(known.ok());
        EXPECT_EQ(known->note, "") << major << "." << minor;
        const GpuLimits &l = known->limits;
        EXPECT_EQ(l.major, major);
        EXPECT_EQ(l.minor, minor);
        EXPECT_EQ(l.threads_per_multiprocessor, l.warps_per_multiprocessor * l.threads_per_warp);
        EXPECT_EQ(l.registers_per_multiprocessor / l.sub_partitions, 16384);
        EXPECT_EQ(l.shared_bytes_per_block_opt_in + l.shared_bytes_reserved_per_block,
                  l.shared_bytes_per_multiprocessor);
        EXPECT_LE(l.shared_bytes_per_block, l.shared_bytes_per_block_opt_in);
    }
}

TEST(Gpu, an_unknown_capability_has_the_limits_of_the_nearest_lower_one_and_a_note) {
    const auto orin = gpu_limits(8, 7);
    ASSERT_TRUE(orin.ok());
    EXPECT_EQ(orin->limits.minor, 6);
    EXPECT_NE(orin->note.find("8.7"), std::string::npos);
    EXPECT_NE(orin->note.find("8.6"), std::string::npos);
    const auto later = gpu_limits(13, 1);
    ASSERT_TRUE(later.ok());
    EXPECT_EQ(later->limits.major, 12);
    const auto between = gpu_limits(11, 0);
    ASSERT_TRUE(between.ok());
    EXPECT_EQ(between->limits.major, 10);
}

TEST(Gpu, what_is_older_than_the_table_is_an_error) {
    const auto pascal = gpu_limits(6, 1);
    ASSERT_FALSE(pascal.ok());
    EXPECT_NE(pascal.error().message.find("6.1"), std::string::npos);
    EXPECT_NE(pascal.error().message.find("7.0"), std::string::npos);
}

TEST(Gpu, every_preset_is_sane) {
    for (const GpuPreset &p : gpu_presets()) {
        EXPECT_EQ(p.gpu.name, p.name);
        EXPECT_GT(p.gpu.multiprocessors, 0) << p.name;
        EXPECT_GT(p.gpu.speeds.hertz, 1e9) << p.name;
        EXPECT_LT(p.gpu.speeds.hertz, 4e9) << p.name;
        EXPECT_GE(p.gpu.speeds.l2_bytes, 1 << 20) << p.name;
        EXPECT_GT(p.gpu.speeds.memory_bytes_per_second, 1e11) << p.name;
        EXPECT_LT(p.gpu.speeds.memory_bytes_per_second, 1e13) << p.name;
        EXPECT_GE(p.gpu.limits.major, 7) << p.name;
    }
}

TEST(Gpu, an_unknown_preset_lists_those_there_are) {
    const auto r = gpu_preset("voodoo");
    ASSERT_FALSE(r.ok());
    EXPECT_NE(r.error().message.find("rtx-4090"), std::string::npos);
}

}  // namespace
}  // namespace cryolite
