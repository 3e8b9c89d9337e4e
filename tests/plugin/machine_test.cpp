// The machine that a target stands for.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "machine/machine_file.h"
#include "machine/presets.h"
#include "plugin/target/target_machine.h"

namespace cryolite {
namespace {

Machine machine(const std::string &target, const std::string &name = "auto", int64_t cores = 0) {
    auto found = machine_of_target(Halide::Target(target), name, cores);
    if (!found.ok()) throw std::runtime_error(found.error().message);
    return found->machine;
}

TEST(TargetMachine, takes_the_vector_width_from_the_target) {
    EXPECT_EQ(machine("x86-64-linux-sse41").vector_bytes, 16);
    EXPECT_EQ(machine("x86-64-linux-avx2-fma-f16c-sse41-avx").vector_bytes, 32);
    EXPECT_EQ(machine("x86-64-linux-avx512-avx512_skylake-avx2-fma-f16c-sse41-avx").vector_bytes,
              64);
    EXPECT_EQ(machine("arm-64-linux").vector_bytes, 16);
}

TEST(TargetMachine, of_another_system_is_the_nearest_preset) {
    EXPECT_EQ(machine("arm-64-android").name, "arm-neon");
    EXPECT_EQ(machine("x86-64-windows-avx2-fma-f16c-sse41-avx").name, "x86-avx2");
    const std::string avx512 = "x86-64-windows-avx512-avx512_skylake-avx2-fma-f16c-sse41-avx";
    EXPECT_EQ(machine("x86-64-windows-avx2-fma-f16c-sse41-avx-tune_znver3").name, "x86-avx2-zen3");
    // Without AMD's features it is one of Intel's.
    EXPECT_EQ(machine(avx512).name, "x86-avx512-sapphirerapids");
    EXPECT_EQ(machine(avx512 + "-avx512_cannonlake-avx512_zen4").name, "x86-avx512");
    EXPECT_EQ(machine(avx512 + "-avx512_cannonlake-avx512_sapphirerapids").name,
              "x86-avx512-sapphirerapids");
#if HALIDE_VERSION_MAJOR >= 21
    EXPECT_EQ(machine(avx512 + "-avx512_cannonlake-avx512_zen4-avx512_zen5").name,
              "x86-avx512-zen5");
#endif
}

TEST(TargetMachine, has_as_many_cores_as_the_user_says) {
    EXPECT_EQ(machine("x86-64-linux-sse41", "auto", 7).cores, 7);
    EXPECT_EQ(machine("x86-64-linux-sse41", "x86-avx2", 7).cores, 7);
}

TEST(TargetMachine, has_the_bandwidth_of_as_many_cores_as_the_user_says) {
    const Machine eight = machine("arm-64-android"), many = machine("arm-64-android", "auto", 64);
    EXPECT_GT(many.memory_total_bytes_per_cycle, 2 * eight.memory_total_bytes_per_cycle);
    EXPECT_EQ(many.caches.back().total_bytes_per_cycle,
              4 * eight.caches.back().total_bytes_per_cycle);
    EXPECT_EQ(machine("arm-64-android", "auto", 4).memory_total_bytes_per_cycle,
              eight.memory_total_bytes_per_cycle);
}

// A machine file in a folder of its own.
class TargetMachineFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("cryolite_target_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
        path_ = (folder_ / "mine.json").string();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path folder_;
    std::string path_;
};

TEST_F(TargetMachineFile, is_taken_as_it_stands_but_for_the_vector_width) {
    DescribedMachine d = describe_preset(*machine_preset("x86-avx512"));
    d.machine.name = "mine";
    d.machine.cores = 77;
    d.machine.hertz = 1.25e9;
    d.machine.caches[0].size_bytes = 12345;
    ASSERT_TRUE(write_machine_file(path_, d).ok());
    const Machine avx2 = machine("x86-64-linux-avx2-fma-f16c-sse41-avx", path_);
    EXPECT_EQ(avx2.name, "mine");
    EXPECT_EQ(avx2.hertz, 1.25e9);
    EXPECT_EQ(avx2.vector_bytes, 32);
    // Nothing is detected, and a target of another computer makes no difference.
    for (const char *target : {"host", "arm-64-android", "x86-64-windows-sse41"}) {
        EXPECT_EQ(machine(target, path_).cores, 77) << target;
        EXPECT_EQ(machine(target, path_).caches[0].size_bytes, 12345) << target;
    }
    EXPECT_EQ(machine("arm-64-android", path_).vector_bytes, 16);
    EXPECT_EQ(machine("host", path_, 3).cores, 3);
    // Its bandwidths are what was measured or written.
    EXPECT_EQ(machine("host", path_, 128).memory_total_bytes_per_cycle,
              d.machine.memory_total_bytes_per_cycle);
    // An architecture without a preset can be described.
    EXPECT_EQ(machine("riscv-64-linux", path_).name, "mine");
}

TEST_F(TargetMachineFile, of_other_vectors_than_the_targets_is_said_to_be_so) {
    ASSERT_TRUE(write_machine_file(path_, describe_preset(*machine_preset("x86-avx512"))).ok());
    const auto m = machine_of_target(Halide::Target("x86-64-linux-sse41"), path_, 0);
    ASSERT_TRUE(m.ok());
    EXPECT_NE(m->source.find(path_), std::string::npos);
    EXPECT_NE(m->source.find("of 64 bytes and the target's are of 16"), std::string::npos);
}

TEST_F(TargetMachineFile, that_is_missing_or_bad_is_the_users_error) {
    const auto refused = [&] {
        const auto m = machine_of_target(Halide::Target("x86-64-linux-sse41"), path_, 0);
        return m.ok() ? "accepted" : m.error().message;
    };
    EXPECT_NE(refused().find("no machine file '" + path_ + "'"), std::string::npos);
    std::ofstream(path_) << R"({"cryolite_machine": 1, "preset": "x86-avx2", "herz": 1})";
    EXPECT_NE(refused().find("unknown key 'herz'"), std::string::npos) << refused();
}

}  // namespace
}  // namespace cryolite
