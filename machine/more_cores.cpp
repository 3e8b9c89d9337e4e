#include "machine/more_cores.h"

#include <algorithm>

namespace cryolite {
namespace {

// What the processors' makers say of all channels, by hardware threads, which is what a program sees as cores and a
// cloud's guest gets its share by: Graviton3 4.8e9, EPYC 9554 3.6e9, Core i9-13900K 2.8e9, Xeon 8480+ 2.7e9 and
// Ryzen 7950X 2.6e9.
constexpr double memory_bytes_per_second_of_a_core = 3e9;

double last_levels(int cores, const CacheLevel &last) {
    return std::max(1.0, static_cast<double>(cores) / std::max(1, last.cores_sharing));
}

}  // namespace

void add_cores(Machine &machine, int cores) {
    if (cores > machine.cores) {
        machine.memory_total_bytes_per_cycle =
            std::max(machine.memory_total_bytes_per_cycle,
                     cores * memory_bytes_per_second_of_a_core / machine.hertz);
        if (!machine.caches.empty()) {
            CacheLevel &last = machine.caches.back();
            last.total_bytes_per_cycle *=
                last_levels(cores, last) / last_levels(machine.cores, last);
        }
    }
    machine.cores = cores;
}

void share_last_level(Machine &machine, const Machine &preset, int cores) {
    if (machine.caches.empty() || preset.caches.empty()) return;
    int &sharing = machine.caches.back().cores_sharing;
    if (sharing < machine.cores || cores <= machine.cores) return;
    sharing = std::max(sharing, std::min(cores, preset.caches.back().cores_sharing));
}

}  // namespace cryolite
