// Features of the schedule on a GPU: appendix A of the OOPSLA 2021 paper, under our names.
#pragma once

#define CRYOLITE_GPU_READS(X, memory, level)                                           \
    CRYOLITE_GPU_2(X, memory##_bytes_read_per_##level, "bytes", Log1p, Bound,          \
                   "Distinct bytes of " #memory " memory read per " #level             \
                   "; appendix A: unique_" #memory "_bytes_read_per_" #level ".")      \
    CRYOLITE_GPU_2(X, memory##_lines_read_per_##level, "128-byte lines", Log1p, Bound, \
                   "Distinct aligned lines of " #memory " memory read per " #level     \
                   "; appendix A: unique_" #memory "_lines_read_per_" #level ".")

#define CRYOLITE_GPU_FOOTPRINTS(X, memory)                                                  \
    CRYOLITE_GPU_READS(X, memory, realisation)                                              \
    CRYOLITE_GPU_READS(X, memory, block)                                                    \
    CRYOLITE_GPU_READS(X, memory, thread)                                                   \
    CRYOLITE_GPU_READS(X, memory, iteration)                                                \
    CRYOLITE_GPU(X, memory##_allocation_bytes_read, "bytes", Log1p, Exact,                  \
                 "Sizes of the " #memory " allocations that are read; appendix A: " #memory \
                 "_allocation_bytes_read_per_realization.")                                 \
    CRYOLITE_GPU(X, memory##_bytes_at_task, "bytes", Log1p, Bound,                          \
                 "Distinct bytes that a block writes to " #memory " memory.")               \
    CRYOLITE_GPU(X, memory##_innermost_bytes_at_task, "bytes", Log1p, Exact,                \
                 "Bytes of the run of consecutive memory that a block writes first.")

#define CRYOLITE_GPU_MAPPING_FEATURES(X)                                                           \
    CRYOLITE_GPU_2(X, num_scalars, "points", Log1p, Exact,                                         \
                   "Product of the extents of all loops around the stage, with the loops on the "  \
                   "host that launch the kernel.")                                                 \
    CRYOLITE_GPU(X, points_computed_per_thread, "points", Log1p, Exact,                            \
                 "Product of the extents of the serial and unrolled loops.")                       \
    CRYOLITE_GPU(X, num_blocks, "blocks", Log1p, Exact, "Product of the block loops' extents.")    \
    CRYOLITE_GPU(X, idle_multiprocessor_share, "ratio", None, Exact,                               \
                 "Multiprocessors without a block in the last wave of blocks over all of them. A " \
                 "wave is what all multiprocessors hold at once.")                                 \
    CRYOLITE_GPU(X, num_warps_per_block, "warps", Log1p, Exact, "Warps of a block of the kernel.") \
    CRYOLITE_GPU(X, num_active_warps_per_block, "warps", Log1p, Exact,                             \
                 "Warps of a block with at least one thread of this stage.")                       \
    CRYOLITE_GPU(X, num_threads_per_block, "threads", Log1p, Exact,                                \
                 "Threads of a block that this stage uses.")                                       \
    CRYOLITE_GPU(X, warp_lane_utilization, "ratio", None, Exact,                                   \
                 "num_threads_per_block / (32 x num_active_warps_per_block).")                     \
    CRYOLITE_GPU(X, idle_lane_wastage, "ratio", None, Exact,                                       \
                 "Idle threads of the active warps over the hardware's threads per block.")        \
    CRYOLITE_GPU(X, block_occupancy, "ratio", None, Exact,                                         \
                 "num_threads_per_block over the hardware's threads per block.")                   \
    CRYOLITE_GPU(X, working_set_at_thread, "bytes", Log1p, Exact,                                  \
                 "Bytes allocated at the thread level: a hint at register pressure.")              \
    CRYOLITE_GPU(X, shared_mem_occupancy, "ratio", None, Exact,                                    \
                 "Shared memory of the stage's block level over what a block may have.")           \
    CRYOLITE_GPU(X, shared_mem_block_limit_factor, "ratio", None, Exact,                           \
                 "Blocks that the shared memory lets be resident over the hardware's limit.")      \
    CRYOLITE_GPU(X, max_warp_occupancy, "ratio", None, Exact,                                      \
                 "Resident warps over the hardware's limit, per multiprocessor.")                  \
    CRYOLITE_GPU(X, max_block_occupancy, "ratio", None, Exact,                                     \
                 "Resident blocks over the hardware's limit, per multiprocessor.")

// These are exact for the block at the origin and the first iteration of the serial loops. Alignment may differ
// elsewhere.
#define CRYOLITE_GPU_TRANSACTION_FEATURES(X)                                                      \
    CRYOLITE_GPU(X, num_global_mem_loads_per_block, "sectors", Log1p, Estimate,                   \
                 "32-byte sectors moved by global loads, warp by warp. A load that copies of an " \
                 "unrolled loop share happens once.")                                             \
    CRYOLITE_GPU(X, num_global_mem_stores_per_block, "sectors", Log1p, Estimate,                  \
                 "As num_global_mem_loads_per_block, for stores.")                                \
    CRYOLITE_GPU(X, num_global_mem_load_lines_per_block, "128-byte lines", Log1p, Estimate,       \
                 "Lines that global loads ask for: what the L1 cache looks up.")                  \
    CRYOLITE_GPU(X, num_global_mem_store_lines_per_block, "128-byte lines", Log1p, Estimate,      \
                 "Lines that global stores ask for.")                                             \
    CRYOLITE_GPU(X, num_shared_mem_loads_per_block, "transactions", Log1p, Estimate,              \
                 "Transactions of shared loads: per warp, the most distinct 4-byte words that "   \
                 "fall in one of the 32 banks.")                                                  \
    CRYOLITE_GPU(X, num_shared_mem_stores_per_block, "transactions", Log1p, Estimate,             \
                 "As num_shared_mem_loads_per_block, for stores.")                                \
    CRYOLITE_GPU(X, global_mem_load_efficiency, "ratio", None, Estimate,                          \
                 "Distinct bytes that lanes load over bytes moved. 1: nothing is loaded.")        \
    CRYOLITE_GPU(X, global_mem_store_efficiency, "ratio", None, Estimate,                         \
                 "As global_mem_load_efficiency, for stores.")                                    \
    CRYOLITE_GPU(X, shared_mem_load_efficiency, "ratio", None, Estimate,                          \
                 "Distinct bytes that lanes load over 128 bytes a transaction. 1: nothing is "    \
                 "loaded.")                                                                       \
    CRYOLITE_GPU(X, shared_mem_store_efficiency, "ratio", None, Estimate,                         \
                 "As shared_mem_load_efficiency, for stores.")

// Chapter 6 of the thesis, listing 6.1, for one stage. The kernel stands for the group.
#define CRYOLITE_GPU_GROUP_FEATURES(X)                                                             \
    CRYOLITE_GPU(X, stage_occupancy, "ratio", None, Exact,                                         \
                 "Resident warps with a thread of the stage over the hardware's limit, per "       \
                 "multiprocessor. 0 where the kernel cannot be launched.")                         \
    CRYOLITE_GPU(X, active_multiprocessor_share, "ratio", None, Exact,                             \
                 "Multiprocessors with a block in the first wave over all of them.")               \
    CRYOLITE_GPU(X, group_arithmetic, "operations", Log1p, Bound,                                  \
                 "Operations of all launches over stage_occupancy x num_threads_per_block. 0 "     \
                 "where the kernel cannot be launched.")                                           \
    CRYOLITE_GPU(                                                                                  \
        X, group_memory, "operations", Log1p, Estimate,                                            \
        "Lines of global loads and transactions of shared loads of all launches, each in "         \
        "the operations that it counts as.")                                                       \
    CRYOLITE_GPU(X, group_cost, "operations", Log1p, Estimate,                                     \
                 "group_arithmetic + group_memory / (stage_occupancy x num_threads_per_block). 0 " \
                 "where the kernel cannot be launched.")

#define CRYOLITE_GPU_FEATURES(X)         \
    CRYOLITE_GPU_MAPPING_FEATURES(X)     \
    CRYOLITE_GPU_FOOTPRINTS(X, global)   \
    CRYOLITE_GPU_FOOTPRINTS(X, shared)   \
    CRYOLITE_GPU_FOOTPRINTS(X, register) \
    CRYOLITE_GPU_TRANSACTION_FEATURES(X) \
    CRYOLITE_GPU_GROUP_FEATURES(X)
