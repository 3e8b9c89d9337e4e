#include "code/kernel/pooled_storage.h"

#include <algorithm>

#include "code/kernel/kernel_members.h"
#include "graph/facts/unlimited_regions.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// Plain schedules of 100 and 200 Funcs take 5 and 26 seconds to compile without a pool, and 2 and 5 with it. With it
// they run 1.11 and 1.03 times slower, because pages that were freed lately are still in the caches.
constexpr size_t fewest_pooled = 128;
constexpr double smallest_share = 0.25;  // of the largest Func's memory

}  // namespace

std::vector<FuncId> pooled_storage(const LoopNest &nest) {
    const StageGraph &graph = nest.graph();
    if (graph.num_scheduled() < fewest_pooled) return {};
    const std::vector<bool> unlimited = unlimited_regions(graph);
    std::vector<FuncId> pooled;
    double largest = 0;
    const auto bytes = [&](FuncId f) {
        return box_bytes(graph.func(f), nest.at(f).compute_region);
    };
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || !nest.decided(func.id)) continue;
        const FuncNest &placed = nest.at(func.id);
        if (std::ranges::any_of(placed.stages, is_on_gpu)) return {};
        if (func.is_output() || func.is_extern || placed.placement != Placement::Root ||
            is_left_alone(func, placed) || !unlimited[func.id.index()])
            continue;
        pooled.push_back(func.id);
        largest = std::max(largest, bytes(func.id));
    }
    std::erase_if(pooled, [&](FuncId f) { return bytes(f) < smallest_share * largest; });
    return pooled.size() < fewest_pooled ? std::vector<FuncId>() : pooled;
}

}  // namespace cryolite
