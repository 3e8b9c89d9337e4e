#include "analytical/gpu/cost_components.h"

#include <numeric>

namespace cryolite::gpu {
namespace {

constexpr std::array<CostComponentInfo, num_gpu_cost_components> table{{
    {"compute", "compute_cost", "arithmetic: each operation at its throughput"},
    {"register_spills", "cost_of_working_set", "what a thread keeps beyond its registers"},
    {"global_loads", "load_cost", "lines and sectors that L1 looks up for global loads"},
    {"shared_loads", "load_cost", "transactions of shared memory, bank conflicts included"},
    {"shared_stores", "store_cost", "the same of stores"},
    {"l2_loads", "load_cost", "sectors that blocks get from L2"},
    {"l2_stores", "store_cost", "sectors that global stores write to L2"},
    {"memory_loads", "load_cost", "bytes read that L2 does not have"},
    {"memory_stores", "store_cost", "bytes written"},
    {"load_latency", "load_cost", "waiting for loads, where too few warps are resident to hide it"},
    {"launches", "cost_of_parallel_launches", "starting kernels"},
    {"blocks", "cost_of_parallel_tasks", "starting blocks"},
    {"host_stages", "compute_cost", "stages that stay on the host, all their components"},
    {"copies", "load_cost",
     "between host and device, of what is computed on one and read on the other"},
}};

}  // namespace

const std::array<CostComponentInfo, num_gpu_cost_components> &gpu_cost_component_table() {
    return table;
}

double sum(const GpuCostBreakdown &parts) {
    return std::accumulate(parts.begin(), parts.end(), 0.0);
}

const char *name(GpuBoundBy bound) {
    switch (bound) {
        case GpuBoundBy::Core: return "core";
        case GpuBoundBy::L1: return "l1";
        case GpuBoundBy::L2: return "l2";
        case GpuBoundBy::Memory: return "memory";
        case GpuBoundBy::Latency: return "latency";
        case GpuBoundBy::Host: break;
    }
    return "host";
}

std::vector<std::string> constants_of(GpuCostComponent component) {
    switch (component) {
        case GpuCostComponent::Compute:
            return {"hertz",
                    "float16_per_cycle",
                    "float32_per_cycle",
                    "float64_per_cycle",
                    "integer_per_cycle",
                    "special_per_cycle",
                    "conversion_per_cycle"};
        case GpuCostComponent::RegisterSpills:
        case GpuCostComponent::GlobalLoads:
        case GpuCostComponent::SharedLoads:
        case GpuCostComponent::SharedStores: return {"hertz", "l1_bytes_per_cycle"};
        case GpuCostComponent::L2Loads:
        case GpuCostComponent::L2Stores: return {"hertz", "l2_bytes_per_cycle"};
        case GpuCostComponent::MemoryLoads:
        case GpuCostComponent::MemoryStores:
            return {"memory_bytes_per_second", "memory_share", "l2_bytes", "hertz",
                    "l2_bytes_per_cycle"};
        case GpuCostComponent::LoadLatency: return {"hertz", "memory_latency_cycles"};
        case GpuCostComponent::Launches: return {"launch_seconds"};
        case GpuCostComponent::Blocks: return {"hertz", "block_start_cycles"};
        case GpuCostComponent::Copies: return {"host_bytes_per_second"};
        case GpuCostComponent::HostStages:
        case GpuCostComponent::Count: break;
    }
    return {};
}

}  // namespace cryolite::gpu
