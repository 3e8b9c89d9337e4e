#include <gtest/gtest.h>

#include "machine/detect.h"
#include "machine/presets.h"

namespace cryolite {
namespace {

TEST(Machine, every_preset_is_sane) {
    for (const MachinePreset &p : machine_presets()) {
        const Machine &m = p.machine;
        EXPECT_EQ(m.name, p.name);
        ASSERT_GE(m.caches.size(), 2u);
        for (size_t i = 1; i < m.caches.size(); i++) {
            EXPECT_GT(m.caches[i].size_bytes, m.caches[i - 1].size_bytes) << p.name;
            EXPECT_LE(m.caches[i].core_bytes_per_cycle, m.caches[i - 1].core_bytes_per_cycle)
                << p.name;
        }
        EXPECT_GT(m.memory_core_bytes_per_cycle, 0);
        EXPECT_LE(m.memory_core_bytes_per_cycle, m.memory_total_bytes_per_cycle);
    }
}

TEST(Machine, an_unknown_preset_lists_those_there_are) {
    const auto r = machine_preset("pdp11");
    ASSERT_FALSE(r.ok());
    EXPECT_NE(r.error().message.find("x86-avx2"), std::string::npos);
}

TEST(Machine, an_unknown_architecture_says_how_to_name_a_machine) {
    TargetTraits t;
    t.architecture = TargetTraits::Architecture::Other;
    t.text = "riscv-64-linux";
    const auto r = machine_for_target(t);
    ASSERT_FALSE(r.ok());
    EXPECT_NE(r.error().message.find("riscv-64-linux"), std::string::npos);
    EXPECT_NE(r.error().message.find("autoscheduler.machine="), std::string::npos);
}

TEST(Machine, detection_finds_cores_and_growing_caches) {
    const Detection d = detect_machine(*machine_preset("x86-avx2"));
    EXPECT_GE(d.machine.cores, 1);
    EXPECT_FALSE(d.source.empty());
    for (size_t i = 1; i < d.machine.caches.size(); i++)
        EXPECT_GT(d.machine.caches[i].size_bytes, d.machine.caches[i - 1].size_bytes);
}

TEST(Machine, a_cache_of_cores_that_are_not_seen_counts_in_part) {
    const auto limited = [](int64_t megabytes, int cores) {
        CacheLevel cache;
        cache.size_bytes = megabytes << 20;
        cache.cores_sharing = cores;
        limit_to_seen_cores(cache);
        return cache.size_bytes >> 20;
    };
    EXPECT_EQ(limited(480, 2), 64);  // a virtual machine with two cores of 120
    EXPECT_EQ(limited(480, 120), 480);
    EXPECT_EQ(limited(96, 8), 96);  // a Ryzen 9800X3D
    EXPECT_EQ(limited(32, 1), 32);  // an EPYC 72F3
}

}  // namespace
}  // namespace cryolite
