// What comes with more cores than a preset has, and that nothing changes with fewer.
#include "machine/more_cores.h"

#include <gtest/gtest.h>

#include "machine/machine_fields.h"
#include "machine/presets.h"

namespace cryolite {
namespace {

Machine of_cores(const char *preset, int cores) {
    Machine m = *machine_preset(preset);
    add_cores(m, cores);
    return m;
}

TEST(MoreCores, no_more_than_a_preset_has_change_nothing_else) {
    for (const MachinePreset &p : machine_presets())
        for (int cores : {1, 2, p.machine.cores}) {
            Machine m = of_cores(p.name.c_str(), cores), preset = p.machine;
            EXPECT_EQ(m.cores, cores);
            m.cores = p.machine.cores;
            const auto is = values_of(m), was = values_of(preset);
            for (size_t i = 0; i < was.size(); i++)
                EXPECT_EQ(is[i].digits(), was[i].digits()) << p.name << " " << was[i].key;
        }
}

TEST(MoreCores, have_a_share_of_memory_each_and_never_less_together) {
    for (const MachinePreset &p : machine_presets()) {
        double before = p.machine.memory_total_bytes_per_cycle;
        for (int cores : {9, 16, 32, 64, 128}) {
            const Machine m = of_cores(p.name.c_str(), cores);
            EXPECT_GE(m.memory_total_bytes_per_cycle, before) << p.name << " " << cores;
            EXPECT_EQ(m.memory_core_bytes_per_cycle, p.machine.memory_core_bytes_per_cycle);
            EXPECT_LE(m.memory_total_bytes_per_cycle, cores * m.memory_core_bytes_per_cycle);
            before = m.memory_total_bytes_per_cycle;
        }
    }
    const double of_64 = of_cores("x86-avx512", 64).memory_total_bytes_per_cycle;
    EXPECT_NEAR(of_64, 64 * 3e9 / 3.7e9, 1e-9);
    EXPECT_NEAR(of_cores("x86-avx512", 128).memory_total_bytes_per_cycle, 2 * of_64, 1e-9);
}

TEST(MoreCores, have_more_last_level_caches) {
    const Machine eight = *machine_preset("x86-avx512"), many = of_cores("x86-avx512", 32);
    EXPECT_EQ(many.caches.back().total_bytes_per_cycle,
              4 * eight.caches.back().total_bytes_per_cycle);
    EXPECT_EQ(many.caches.back().size_bytes, eight.caches.back().size_bytes);
    // One cache is shared by 32 cores of this one.
    const Machine xeon = *machine_preset("x86-avx512-sapphirerapids");
    EXPECT_EQ(of_cores(xeon.name.c_str(), 32).caches.back().total_bytes_per_cycle,
              xeon.caches.back().total_bytes_per_cycle);
    EXPECT_EQ(of_cores(xeon.name.c_str(), 64).caches.back().total_bytes_per_cycle,
              2 * xeon.caches.back().total_bytes_per_cycle);
}

TEST(MoreCores, than_are_seen_share_the_last_level_as_in_the_preset) {
    const Machine preset = *machine_preset("x86-avx512");
    const auto sharing = [&](int seen, int share, int cores) {
        Machine m = preset;
        m.cores = seen;
        m.caches.back().cores_sharing = share;
        share_last_level(m, preset, cores);
        return m.caches.back().cores_sharing;
    };
    EXPECT_EQ(sharing(2, 2, 32), 8);
    EXPECT_EQ(sharing(2, 2, 4), 4);
    EXPECT_EQ(sharing(2, 2, 2), 2);    // no more than are seen
    EXPECT_EQ(sharing(16, 4, 32), 4);  // four caches are seen
    EXPECT_EQ(sharing(16, 16, 32), 16);
}

}  // namespace
}  // namespace cryolite
