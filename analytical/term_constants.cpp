#include <algorithm>

#include "analytical/terms.h"

namespace cryolite {
namespace {

// Keys for the traffic across the boundaries behind caches [first, end): the sizes of these caches, and the speeds of
// the levels behind them.
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
        if (!last) add("", {c > 0 ? "cache_stream_start_lines" : "l1_stream_start_lines"});
    }
    return keys;
}

std::vector<std::string> core_constants(std::initializer_list<const char *> costs,
                                        std::initializer_list<const char *> others = {}) {
    std::vector<std::string> keys{"hertz", "vector_bytes"};
    keys.insert(keys.end(), others.begin(), others.end());
    for (const char *group : {"vector.", "scalar."})
        for (const char *cost : costs) keys.push_back(std::string(group) + cost);
    return keys;
}

}  // namespace

std::vector<std::string> constants_of(Term term, const Machine &machine) {
    const size_t levels = machine.caches.size();
    const size_t last = levels > 0 ? levels - 1 : 0;
    switch (term) {
        case Term::Compute:
            return core_constants(
                {"float_add", "float_multiply", "float_divide", "float_square_root",
                 "integer_simple", "integer_multiply_8", "integer_multiply_16",
                 "integer_multiply_32", "integer_multiply_64", "integer_divide",
                 "integer_divide_by_value", "bit_count", "cast", "transcendental",
                 "extern_call_scalar"},
                {"loop_iteration_cycles", "core.fused_share", "core.float_units_apart",
                 "core.decoded_instructions", "core.fetched_bytes_per_cycle", "word_products",
                 "mixed_byte_products", "equal_byte_products"});
        case Term::Dependence:
            return {"hertz",
                    "vector_bytes",
                    "vector_registers",
                    "core.usable_register_share",
                    "core.accumulate_latency_cycles",
                    "core.store_forward_cycles",
                    "core.masked_store_forward_cycles",
                    "core.instructions_ahead",
                    "core.same_place_share"};
        case Term::LoopOverhead:
            return {"hertz",
                    "loop_iteration_cycles",
                    "core_exposed_share",
                    "core.loop_entry_cycles",
                    "core.realisation_cycles_per_loop",
                    "core.usable_register_share",
                    "core.misprediction_cycles",
                    "core.branches_learned"};
        case Term::L1Loads: {
            auto keys = core_constants({"load", "shuffle", "strided_element", "gather_element"});
            for (const char *key :
                 {"vector_registers", "address_registers", "load_bytes", "caches[0].line_bytes",
                  "loop_iteration_cycles", "core.usable_register_share", "core.exposed_sums_share"})
                keys.emplace_back(key);
            return keys;
        }
        case Term::L1Stores: {
            auto keys = core_constants({"store", "shuffle", "gather_element"});
            for (const char *key :
                 {"vector_registers", "loop_iteration_cycles", "core.usable_register_share",
                  "core.exposed_sums_share", "core.scattered_store_factor",
                  "core.guarded_vector_cycles", "core.shared_line_cycles", "caches[0].line_bytes"})
                keys.emplace_back(key);
            return keys;
        }
        case Term::RegisterSpills:
            return {"hertz", "vector_bytes", "vector_registers", "core.spill_cycles",
                    "core.exposed_sums_share"};
        case Term::L2Loads:
        case Term::L2Stores: return traffic_constants(0, last > 0 ? 1 : 0, machine);
        case Term::LastLevelLoads:
        case Term::LastLevelStores: return traffic_constants(1, last, machine);
        case Term::MemoryLoads:
        case Term::MemoryStores: return traffic_constants(last, levels, machine);
        case Term::Allocations:
            return {"allocation_seconds", "page_fault_seconds", "page_bytes",
                    "mapped_allocation_bytes", "arena_kept_bytes"};
        case Term::PageFaults:
            return {"page_fault_seconds", "page_bytes", "mapped_allocation_bytes",
                    "arena_kept_bytes"};
        case Term::Launches: return {"parallel_loop_seconds"};
        case Term::Tasks: return {"parallel_task_seconds"};
        default: break;
    }
    return {};
}

std::vector<std::string> gpu_constants_of(Term term) {
    switch (term) {
        case Term::Compute:
            return {"hertz",
                    "float16_per_cycle",
                    "float32_per_cycle",
                    "float64_per_cycle",
                    "integer_per_cycle",
                    "special_per_cycle",
                    "conversion_per_cycle",
                    "busy_warps",
                    "warp_instructions_in_parallel",
                    "division_instructions",
                    "modulo_instructions",
                    "square_root_instructions",
                    "transcendental_instructions",
                    "extern_call_instructions",
                    "tensor_float16_per_cycle",
                    "tensor_wide_per_cycle",
                    "tensor_int8_per_cycle",
                    "tensor_tf32_per_cycle",
                    "mma_share",
                    "unit_copy_instructions",
                    "gather_instructions",
                    "rounding_instructions"};
        case Term::RegisterSpills: return {"hertz", "l1_bytes_per_cycle", "l2_bytes_per_cycle"};
        case Term::L1Loads:
        case Term::SharedLoads:
        case Term::SharedStores: return {"hertz", "l1_bytes_per_cycle"};
        case Term::L2Loads:
        case Term::L2Stores: return {"hertz", "l2_bytes_per_cycle", "l2_bytes", "kept_l2_share"};
        case Term::MemoryLoads:
        case Term::MemoryStores:
            return {"memory_bytes_per_second", "memory_share", "l2_bytes", "hertz",
                    "l2_bytes_per_cycle",      "kept_l2_share"};
        case Term::LoadLatency:
            return {"hertz", "memory_latency_cycles", "l1_latency_cycles", "shared_latency_cycles",
                    "warp_loads_in_flight"};
        case Term::Launches: return {"launch_seconds"};
        case Term::Tasks: return {"hertz", "blocks_per_cycle"};
        case Term::Copies: return {"host_bytes_per_second"};
        default: break;
    }
    return {};
}

}  // namespace cryolite
