#include "featurize/thesis/equations.h"

#include <algorithm>

namespace cryolite::thesis {

double cold_misses(double runs, double run_bytes, int line_bytes, bool streaming) {
    return streaming ? runs : runs * std::max(1.0, run_bytes / line_bytes);
}

double fetches(double iterations, double renewed) { return 1 + (iterations - 1) * renewed; }

double miss_cycles(const Machine &machine, size_t level) {
    const double line = machine.caches[level].line_bytes;
    if (level + 1 < machine.caches.size()) {
        return machine.cache_stream_start_lines * line /
               machine.caches[level + 1].core_bytes_per_cycle;
    }
    return machine.memory_stream_start_lines * line / machine.memory_core_bytes_per_cycle;
}

double loop_distance(std::span<const OrderedLoop> loops) {
    double distance = 0;
    for (size_t outer = 0; outer < loops.size(); outer++) {
        double between = 1;
        for (size_t inner = outer + 1; inner < loops.size(); inner++) {
            if ((loops[outer].dimensions & loops[inner].dimensions) != 0) {
                distance += between;
                break;
            }
            between *= loops[inner].iterations;
        }
    }
    return distance;
}

double spatial_cost(double runs, double width, double points_per_line) {
    return runs * std::max(1.0, width / points_per_line);
}

bool is_streamed(double run_bytes, double row_bytes, int line_bytes) {
    return run_bytes >= line_bytes || run_bytes >= row_bytes;
}

double arithmetic_cost(double operations, double occupancy, double active_threads) {
    const double active = occupancy * active_threads;
    return active > 0 ? operations / active : 0;
}

double group_cost(double arithmetic, double memory, double occupancy, double active_threads) {
    const double active = occupancy * active_threads;
    return active > 0 ? arithmetic + memory / active : 0;
}

}  // namespace cryolite::thesis
