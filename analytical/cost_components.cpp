#include "analytical/cost_components.h"

#include <algorithm>
#include <numeric>

namespace cryolite {
namespace {

// Where each access is served is in the name: L2's loads are what L1 misses and L2 has.
constexpr std::array<CostComponentInfo, num_cost_components> table{{
    {"compute", "compute_cost", "arithmetic: each operation at its throughput"},
    {"dependence", "compute_cost", "waiting for the result before, in a sum or a scan"},
    {"loop_overhead", "compute_cost", "iterations and entries of loops, and what precedes them"},
    {"l1_loads", "load_cost", "loads that L1 serves, with shuffles, strides and gathers"},
    {"l1_stores", "store_cost", "stores to L1"},
    {"register_spills", "cost_of_working_set", "sums that do not fit in the vector registers"},
    {"l2_loads", "load_cost", "reads that miss L1"},
    {"l2_stores", "store_cost", "writes that leave L1, and lines read to be written"},
    {"last_level_loads", "load_cost", "reads that miss L2"},
    {"last_level_stores", "store_cost", "writes that leave L2, and lines read to be written"},
    {"memory_loads", "load_cost", "reads that miss all caches"},
    {"memory_stores", "store_cost", "writes that leave all caches, and lines read to be written"},
    {"allocations", "cost_of_malloc", "heap allocations and their release"},
    {"page_faults", "cost_of_malloc", "first touches of an allocation's fresh pages"},
    {"parallel_launches", "cost_of_parallel_launches", "starting and joining parallel loops"},
    {"parallel_tasks", "cost_of_parallel_tasks", "handing out the tasks of parallel loops"},
}};

// Of the traffic across the boundaries behind caches [first, end): what those hold, and how fast what
// is behind them serves.
std::vector<std::string> traffic_constants(size_t first, size_t end, const Machine &machine) {
    std::vector<std::string> keys;
    const auto add = [&](const std::string &prefix, std::initializer_list<const char *> fields) {
        for (const char *field : fields)
            if (std::find(keys.begin(), keys.end(), prefix + field) == keys.end())
                keys.push_back(prefix + field);
    };
    for (size_t c = first; c < end; c++) {
        const bool last = c + 1 == machine.caches.size();
        add("", {"hertz", "followed_streams"});
        add("caches[" + std::to_string(c) + "].",
            {"size_bytes", "ways", "line_bytes", "cores_sharing"});
        if (last)
            add("", {"memory_core_bytes_per_cycle", "memory_total_bytes_per_cycle",
                     "memory_stream_start_lines", "memory_stream_start_lines_max"});
        else
            add("caches[" + std::to_string(c + 1) + "].",
                {"cores_sharing", "core_bytes_per_cycle", "total_bytes_per_cycle"});
        if (!last && c > 0) add("", {"cache_stream_start_lines"});
    }
    return keys;
}

std::vector<std::string> core_constants(std::initializer_list<const char *> costs) {
    std::vector<std::string> keys{"hertz", "vector_bytes"};
    for (const char *group : {"vector.", "scalar."})
        for (const char *cost : costs) keys.push_back(std::string(group) + cost);
    return keys;
}

}  // namespace

const std::array<CostComponentInfo, num_cost_components> &cost_component_table() { return table; }

double sum(const CostBreakdown &parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

const char *name(BoundBy bound) {
    switch (bound) {
        case BoundBy::Core: return "core";
        case BoundBy::L2: return "l2";
        case BoundBy::LastLevel: return "last_level";
        case BoundBy::Memory: break;
    }
    return "memory";
}

std::vector<std::string> constants_of(CostComponent component, const Machine &machine) {
    const size_t levels = machine.caches.size();
    const size_t last = levels > 0 ? levels - 1 : 0;
    switch (component) {
        case CostComponent::Compute:
            return core_constants({"float_add", "float_multiply", "float_divide",
                                   "float_square_root", "integer_simple", "integer_multiply_8",
                                   "integer_multiply_16", "integer_multiply_32",
                                   "integer_multiply_64", "integer_divide", "cast",
                                   "transcendental", "extern_call_scalar"});
        case CostComponent::Dependence: return {"hertz", "vector_bytes", "vector_registers"};
        case CostComponent::LoopOverhead: return {"hertz", "loop_iteration_cycles"};
        case CostComponent::L1Loads: {
            auto keys = core_constants({"load", "shuffle", "strided_element", "gather_element"});
            for (const char *key : {"vector_registers", "load_bytes", "caches[0].line_bytes"})
                keys.emplace_back(key);
            return keys;
        }
        case CostComponent::L1Stores: {
            auto keys = core_constants({"store"});
            keys.emplace_back("vector_registers");
            return keys;
        }
        case CostComponent::RegisterSpills: return {"hertz", "vector_bytes", "vector_registers"};
        case CostComponent::L2Loads:
        case CostComponent::L2Stores: return traffic_constants(0, last > 0 ? 1 : 0, machine);
        case CostComponent::LastLevelLoads:
        case CostComponent::LastLevelStores: return traffic_constants(1, last, machine);
        case CostComponent::MemoryLoads:
        case CostComponent::MemoryStores: return traffic_constants(last, levels, machine);
        case CostComponent::Allocations: return {"allocation_seconds"};
        case CostComponent::PageFaults:
            return {"page_fault_seconds", "page_bytes", "mapped_allocation_bytes",
                    "arena_kept_bytes"};
        case CostComponent::ParallelLaunches: return {"parallel_loop_seconds"};
        case CostComponent::ParallelTasks: return {"parallel_task_seconds"};
        case CostComponent::Count: break;
    }
    return {};
}

}  // namespace cryolite
