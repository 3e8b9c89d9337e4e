// The machine that a target stands for.
#include <stdexcept>

#include <gtest/gtest.h>

#include "plugin/target_machine.h"

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
}

TEST(TargetMachine, has_as_many_cores_as_the_user_says) {
    EXPECT_EQ(machine("x86-64-linux-sse41", "auto", 7).cores, 7);
    EXPECT_EQ(machine("x86-64-linux-sse41", "x86-avx2", 7).cores, 7);
}

}  // namespace
}  // namespace cryolite
