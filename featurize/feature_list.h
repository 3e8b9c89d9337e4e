// The one table of features, as an X macro: schema.h makes indices, names, documents and the hash of
// it. A row is X(name, unit, scope, target, transform, exactness, version, doc); the words that the
// docs use (task, core, production, ...) are explained in schema.cpp's document. Raise a row's
// version when its meaning changes and its name stays.
#pragma once

// The short forms of the columns.
#define CRYOLITE_ALGORITHM(X, name, unit, transform, doc) \
    X(name, unit, Algorithm, Both, transform, Exact, 1, doc)
#define CRYOLITE_SCHEDULE(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Both, transform, exactness, 1, doc)
#define CRYOLITE_CPU(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Cpu, transform, exactness, 1, doc)
#define CRYOLITE_GPU(X, name, unit, transform, exactness, doc) \
    X(name, unit, Schedule, Gpu, transform, exactness, 1, doc)

// --- the algorithm: of the stage alone, without what is inlined into it, per point of its loops ---

// In the order of OpKind, each in the order of TypeClass.
#define CRYOLITE_OPS_OF_TYPE(X, kind, type)                         \
    CRYOLITE_ALGORITHM(X, ops_##kind##_##type, "operations", Log1p, \
                       "Operations of kind " #kind " on " #type " per point.")
#define CRYOLITE_OPS_OF_KIND(X, kind)      \
    CRYOLITE_OPS_OF_TYPE(X, kind, int8)    \
    CRYOLITE_OPS_OF_TYPE(X, kind, int16)   \
    CRYOLITE_OPS_OF_TYPE(X, kind, int32)   \
    CRYOLITE_OPS_OF_TYPE(X, kind, int64)   \
    CRYOLITE_OPS_OF_TYPE(X, kind, float16) \
    CRYOLITE_OPS_OF_TYPE(X, kind, float32) \
    CRYOLITE_OPS_OF_TYPE(X, kind, float64) \
    CRYOLITE_OPS_OF_TYPE(X, kind, bool)
#define CRYOLITE_FOR_EACH_OP_KIND(M, X) \
    M(X, add)                           \
    M(X, multiply)                      \
    M(X, divide)                        \
    M(X, modulo)                        \
    M(X, min_max)                       \
    M(X, compare)                       \
    M(X, select)                        \
    M(X, bitwise)                       \
    M(X, cast)                          \
    M(X, square_root)                   \
    M(X, transcendental)                \
    M(X, extern_call)

#define CRYOLITE_ACCESS_FEATURES(X)                                                               \
    CRYOLITE_ALGORITHM(X, loads, "loads", Log1p,                                                  \
                       "Distinct loads per point: the sum of the four kinds that follow.")        \
    CRYOLITE_ALGORITHM(X, loads_pointwise, "loads", Log1p,                                        \
                       "Loads whose indices are loops, each at most once, with factor 1 and any " \
                       "offset, in an order that agrees with the storage orders of both Funcs.")  \
    CRYOLITE_ALGORITHM(X, loads_transpose, "loads", Log1p, "The same in any other order.")        \
    CRYOLITE_ALGORITHM(X, loads_affine, "loads", Log1p,                                           \
                       "All other loads at affine indices: scaled, or sums of loops.")            \
    CRYOLITE_ALGORITHM(X, loads_gather, "loads", Log1p,                                           \
                       "Loads with an index that is loaded or not affine.")                       \
    CRYOLITE_ALGORITHM(X, loads_broadcast, "loads", Log1p,                                        \
                       "Loads that some loop of the stage does not move.")                        \
    CRYOLITE_ALGORITHM(X, loads_slice, "loads", Log1p, "Loads with an index that no loop moves.") \
    CRYOLITE_ALGORITHM(X, stores, "stores", Log1p, "Stores per point: one per tuple element.")    \
    CRYOLITE_ALGORITHM(X, stores_pointwise, "stores", Log1p,                                      \
                       "Stores at pointwise indices, as loads_pointwise.")                        \
    CRYOLITE_ALGORITHM(X, stores_affine, "stores", Log1p, "Stores at any other affine indices.")  \
    CRYOLITE_ALGORITHM(X, stores_scatter, "stores", Log1p,                                        \
                       "Stores with an index that is loaded or not affine.")

// The Jacobian of the loads, by how one step of a loop moves the address.
#define CRYOLITE_STRIDES_ALONG(X, loop, loops)                                               \
    CRYOLITE_ALGORITHM(X, strides_still_along_##loop, "loads", Log1p,                        \
                       "Pairs of a load and " loops " that does not move it.")               \
    CRYOLITE_ALGORITHM(X, strides_fraction_along_##loop, "loads", Log1p,                     \
                       "Pairs of a load and " loops                                          \
                       " that moves it by less than an element along the innermost storage " \
                       "dimension and along no other.")                                      \
    CRYOLITE_ALGORITHM(X, strides_unit_along_##loop, "loads", Log1p,                         \
                       "Pairs of a load and " loops " that moves it to the next element.")   \
    CRYOLITE_ALGORITHM(X, strides_long_along_##loop, "loads", Log1p,                         \
                       "Pairs of a load and " loops                                          \
                       " that moves it by more than an element along the innermost storage " \
                       "dimension and along no other.")                                      \
    CRYOLITE_ALGORITHM(X, strides_row_along_##loop, "loads", Log1p,                          \
                       "Pairs of a load and " loops                                          \
                       " that moves it along another storage dimension.")                    \
    CRYOLITE_ALGORITHM(X, strides_unknown_along_##loop, "loads", Log1p,                      \
                       "Pairs of a load and " loops                                          \
                       " that moves it by an index that is loaded or not affine.")

#define CRYOLITE_SHAPE_FEATURES(X)                                                               \
    CRYOLITE_ALGORITHM(X, producers_read, "Funcs", Log1p,                                        \
                       "Other Funcs that the stage reads, pipeline inputs included.")            \
    CRYOLITE_ALGORITHM(X, inputs_read, "Funcs", Log1p, "Pipeline inputs among them.")            \
    CRYOLITE_ALGORITHM(X, reads_itself, "flag", None, "An update that loads from its own Func.") \
    CRYOLITE_ALGORITHM(X, pure_loops, "loops", None, "Loops that are no reduction loops.")       \
    CRYOLITE_ALGORITHM(X, reduction_loops, "loops", None, "Depth of the reduction domain.")      \
    CRYOLITE_ALGORITHM(X, reduction_points, "points", Log1p,                                     \
                       "Points of the reduction domain at the estimates; 1 if there is none.")   \
    CRYOLITE_ALGORITHM(X, expression_branching, "registers", None,                               \
                       "Strahler number of the right-hand side with equal subexpressions "       \
                       "computed anew at each use: registers to evaluate it without spilling, "  \
                       "constants being free. Its appendix A name is expr_branching.")           \
    CRYOLITE_ALGORITHM(X, has_predicate, "flag", None, "RDom::where.")                           \
    CRYOLITE_ALGORITHM(X, tuple_size, "elements", None, "Elements of the Func's tuple.")         \
    CRYOLITE_ALGORITHM(X, point_bytes, "bytes", Log1p, "Of a point, over the tuple.")            \
    CRYOLITE_ALGORITHM(X, update_index, "stages", None, "0: the pure definition.")               \
    CRYOLITE_ALGORITHM(X, is_output, "flag", None, "The Func is an output of the pipeline.")     \
    CRYOLITE_ALGORITHM(X, is_extern, "flag", None, "The Func is defined outside of Halide.")     \
    CRYOLITE_ALGORITHM(X, is_copy, "flag", None, "The Func copies, or casts, what it reads.")    \
    CRYOLITE_ALGORITHM(X, points_required, "points", Log1p,                                      \
                       "Points of the stage's loops when its Func is computed once, at root.")

#define CRYOLITE_ALGORITHM_FEATURES(X)                                                \
    CRYOLITE_FOR_EACH_OP_KIND(CRYOLITE_OPS_OF_KIND, X)                                \
    CRYOLITE_ACCESS_FEATURES(X)                                                       \
    CRYOLITE_STRIDES_ALONG(X, inner, "the loop over the innermost storage dimension") \
    CRYOLITE_STRIDES_ALONG(X, outer, "another pure loop")                             \
    CRYOLITE_STRIDES_ALONG(X, reduction, "a reduction loop")                          \
    CRYOLITE_SHAPE_FEATURES(X)

// --- the schedule, whatever it runs on ---

#define CRYOLITE_POINT_FEATURES(X)                                                                \
    CRYOLITE_SCHEDULE(X, points_computed, "points", Log1p, Bound,                                 \
                      "Points computed in all: productions x points_per_production, and what "    \
                      "fills sliding windows, its own and those whose loops it is in. Exact "     \
                      "where no border cuts a region short.")                                     \
    CRYOLITE_SCHEDULE(X, points_per_production, "points", Log1p, Exact,                           \
                      "Points of the stage's loops over one production, with what splits round "  \
                      "up or compute twice.")                                                     \
    CRYOLITE_SCHEDULE(X, points_per_realisation, "points", Log1p, Bound,                          \
                      "points_computed / realisations.")                                          \
    CRYOLITE_SCHEDULE(X, recomputation_ratio, "ratio", Log1p, Bound,                              \
                      "points_computed / points_required.")                                       \
    CRYOLITE_SCHEDULE(X, productions, "runs", Log1p, Exact,                                       \
                      "Runs of the stage's loops in all: iterations of compute_at.")              \
    CRYOLITE_SCHEDULE(X, realisations, "allocations", Log1p, Exact,                               \
                      "Allocations of the Func in all: iterations of store_at.")                  \
    CRYOLITE_SCHEDULE(X, allocation_bytes, "bytes", Log1p, Exact,                                 \
                      "Of the Func's storage at its store level; a sliding window's, where "      \
                      "Halide folds it, to the next power of two.")                               \
    CRYOLITE_SCHEDULE(X, folded_share, "ratio", None, Exact,                                      \
                      "Extent kept along the sliding dimension over that of the store region; 1 " \
                      "where nothing is folded.")                                                 \
    CRYOLITE_SCHEDULE(X, window_new_share, "ratio", None, Exact,                                  \
                      "Points newly computed per production along the sliding dimension over "    \
                      "the window's; 1 where nothing slides.")                                    \
    CRYOLITE_SCHEDULE(X, inlined_calls, "calls", Log1p, Exact,                                    \
                      "Distinct calls of inlined Funcs per point.")                               \
    CRYOLITE_SCHEDULE(X, expanded_loads, "loads", Log1p, Exact,                                   \
                      "Distinct loads of what is stored, per point, with what is inlined.")       \
    CRYOLITE_SCHEDULE(X, expanded_gathers, "loads", Log1p, Exact,                                 \
                      "Those at indices that are loaded or not affine.")

// In the order of OpKind.
#define CRYOLITE_EXPANDED_OPS(X, kind)                                                     \
    CRYOLITE_SCHEDULE(X, expanded_##kind##_integer, "operations", Log1p, Exact,            \
                      "Operations of kind " #kind                                          \
                      " on integers and booleans per point, with those of inlined calls.") \
    CRYOLITE_SCHEDULE(X, expanded_##kind##_float, "operations", Log1p, Exact,              \
                      "The same on floating point.")

#define CRYOLITE_COMMON_SCHEDULE_FEATURES(X) \
    CRYOLITE_POINT_FEATURES(X)               \
    CRYOLITE_FOR_EACH_OP_KIND(CRYOLITE_EXPANDED_OPS, X)

// --- the schedule on a CPU ---

#define CRYOLITE_TASK_FEATURES(X)                                                                \
    CRYOLITE_CPU(X, tasks_own, "tasks", Log1p, Exact,                                            \
                 "Iterations of the stage's own parallel loops per production; 1 without.")      \
    CRYOLITE_CPU(X, tasks_enclosing, "tasks", Log1p, Exact,                                      \
                 "Iterations of the parallel loops of other Funcs around it; 1 without.")        \
    CRYOLITE_CPU(X, core_use, "ratio", None, Exact,                                              \
                 "tasks / (cores x ceil(tasks / cores)), where tasks = tasks_own x "             \
                 "tasks_enclosing: the share of all cores' time that has work.")                 \
    CRYOLITE_CPU(X, parallel_launches, "launches", Log1p, Exact,                                 \
                 "How often the stage's own parallel loops are started in all; 0 without.")      \
    CRYOLITE_CPU(X, points_per_task, "points", Log1p, Bound, "points_computed / tasks.")         \
    CRYOLITE_CPU(X, points_per_core, "points", Log1p, Bound,                                     \
                 "points_per_task x ceil(tasks / cores).")                                       \
    CRYOLITE_CPU(X, innermost_extent, "iterations", Log1p, Exact,                                \
                 "Of the innermost loop of more than one iteration that is neither vectorised "  \
                 "nor unrolled, of the stage's own; 1 if there is none.")                        \
    CRYOLITE_CPU(X, innermost_is_reduction, "flag", None, Exact, "That loop is a reduction's.")  \
    CRYOLITE_CPU(X, loop_iterations, "iterations", Log1p, Exact,                                 \
                 "Iterations of all own loops that are neither vectorised nor unrolled, summed " \
                 "over the loops and productions.")

// Of one run or iteration, by where the memory belongs.
#define CRYOLITE_TOUCHED_PER(X, level)                                                          \
    CRYOLITE_CPU(X, input_bytes_read_per_##level, "bytes", Log1p, Bound,                        \
                 "Distinct bytes of pipeline inputs read per " #level ".")                      \
    CRYOLITE_CPU(X, input_lines_read_per_##level, "cache lines", Log1p, Estimate,               \
                 "Distinct cache lines of pipeline inputs read per " #level ".")                \
    CRYOLITE_CPU(X, intermediate_bytes_read_per_##level, "bytes", Log1p, Bound,                 \
                 "Distinct bytes of other Funcs, its own included, read per " #level ".")       \
    CRYOLITE_CPU(X, intermediate_lines_read_per_##level, "cache lines", Log1p, Estimate,        \
                 "Distinct cache lines of other Funcs, its own included, read per " #level ".") \
    CRYOLITE_CPU(X, bytes_stored_per_##level, "bytes", Log1p, Bound,                            \
                 "Distinct bytes of its Func written per " #level ".")                          \
    CRYOLITE_CPU(X, lines_stored_per_##level, "cache lines", Log1p, Estimate,                   \
                 "Distinct cache lines of its Func written per " #level ".")

#define CRYOLITE_STREAM_FEATURES(X)                                                               \
    CRYOLITE_CPU(X, streams_per_innermost_run, "streams", Log1p, Estimate,                        \
                 "Runs of consecutive memory read or written per innermost_run, over the Funcs.") \
    CRYOLITE_CPU(X, streams_per_task, "streams", Log1p, Estimate, "The same per task.")           \
    CRYOLITE_CPU(X, contiguous_bytes_stored_per_production, "bytes", Log1p, Estimate,             \
                 "Mean length of the runs of consecutive memory written per production.")         \
    CRYOLITE_CPU(X, contiguous_bytes_stored_per_task, "bytes", Log1p, Estimate,                   \
                 "The same per task.")                                                            \
    CRYOLITE_CPU(X, contiguous_bytes_read_per_task, "bytes", Log1p, Estimate,                     \
                 "Mean length of the runs of consecutive memory read per task, all Funcs "        \
                 "together.")                                                                     \
    CRYOLITE_CPU(X, shared_line_share, "ratio", None, Estimate,                                   \
                 "Of the cache lines that a task writes, those that may hold bytes of another "   \
                 "task: two per run of consecutive memory, where the Func is stored outside of "  \
                 "the tasks; 0 where it is not.")                                                 \
    CRYOLITE_CPU(X, stored_at_root, "flag", None, Exact,                                          \
                 "Allocated once per pipeline run, or an output.")                                \
    CRYOLITE_CPU(X, stored_per_task, "flag", None, Exact,                                         \
                 "Allocated once per iteration of the innermost parallel loop around it.")        \
    CRYOLITE_CPU(X, stored_inside, "flag", None, Exact, "Allocated at any other loop.")

// In bytes of cache lines, of all Funcs that are computed inside that much of the loops.
#define CRYOLITE_WORKING_SET_FEATURES(X)                                                          \
    CRYOLITE_CPU(X, working_set_per_point, "bytes", Log1p, Estimate,                              \
                 "Touched by one iteration of the innermost loop.")                               \
    CRYOLITE_CPU(X, working_set_per_vector, "bytes", Log1p, Estimate, "Touched per vector.")      \
    CRYOLITE_CPU(X, working_set_per_register_block, "bytes", Log1p, Estimate,                     \
                 "Touched per register_block.")                                                   \
    CRYOLITE_CPU(X, working_set_per_innermost_run, "bytes", Log1p, Estimate,                      \
                 "Touched per innermost_run.")                                                    \
    CRYOLITE_CPU(X, working_set_per_production, "bytes", Log1p, Estimate,                         \
                 "Touched per iteration of compute_at, with all else that is computed there.")    \
    CRYOLITE_CPU(X, working_set_per_realisation, "bytes", Log1p, Estimate,                        \
                 "Touched per iteration of store_at, with all else that is computed there.")      \
    CRYOLITE_CPU(X, working_set_per_task, "bytes", Log1p, Estimate,                               \
                 "Touched per iteration of the innermost parallel loop around it.")               \
    CRYOLITE_CPU(X, working_set_of_kernel, "bytes", Log1p, Exact,                                 \
                 "Whole sizes of all Funcs and inputs stored at root that the kernel touches, "   \
                 "and of what it allocates in its loops. Those above that are as large as the "   \
                 "kernel are this.")                                                              \
    CRYOLITE_CPU(X, reuse_bytes_l1, "bytes", Log1p, Estimate,                                     \
                 "Touched by one iteration of the reuse loop of the first cache: the outermost "  \
                 "loop around the stage, or the kernel, such that it and all inside touch no "    \
                 "more per iteration than the cache holds for one core. Rows that compete for "   \
                 "few sets count for all "                                                        \
                 "the ways that they take.")                                                      \
    CRYOLITE_CPU(X, reuse_points_l1, "points", Log1p, Estimate,                                   \
                 "Iterations of the stage's innermost loop in one iteration of that loop; 0 "     \
                 "where not even one of them fits.")                                              \
    CRYOLITE_CPU(X, reuse_bytes_l2, "bytes", Log1p, Estimate, "As reuse_bytes_l1, second cache.") \
    CRYOLITE_CPU(X, reuse_points_l2, "points", Log1p, Estimate,                                   \
                 "As reuse_points_l1, second cache.")                                             \
    CRYOLITE_CPU(X, reuse_bytes_last_level, "bytes", Log1p, Estimate,                             \
                 "As reuse_bytes_l1, last cache.")                                                \
    CRYOLITE_CPU(X, reuse_points_last_level, "points", Log1p, Estimate,                           \
                 "As reuse_points_l1, last cache.")

#define CRYOLITE_VECTOR_FEATURES(X)                                                                \
    CRYOLITE_CPU(X, vector_lanes, "lanes", Log1p, Exact, "Of the vectorised loop; 1 without.")     \
    CRYOLITE_CPU(X, natural_vectors, "ratio", Log1p, Exact,                                        \
                 "vector_lanes over the lanes of the Func's widest element in one register.")      \
    CRYOLITE_CPU(X, wasted_share, "ratio", None, Exact,                                            \
                 "Of the points computed per production, those that splits round up to or "        \
                 "compute twice.")                                                                 \
    CRYOLITE_CPU(X, scalar_share, "ratio", None, Exact,                                            \
                 "Of the points computed per production, those computed one by one: all without "  \
                 "a vector loop, else the remainder of guarded vectors.")                          \
    CRYOLITE_CPU(X, vectors_per_production, "vectors", Log1p, Exact,                               \
                 "Whole vectors computed per production; points where nothing is vectorised.")     \
    CRYOLITE_CPU(X, loads_dense, "loads", Log1p, Exact,                                            \
                 "Loads per vector at consecutive elements, or at less than one element a lane.")  \
    CRYOLITE_CPU(X, loads_strided, "loads", Log1p, Exact,                                          \
                 "Loads per vector of lanes that lie any other constant distance apart.")          \
    CRYOLITE_CPU(X, loads_splat, "loads", Log1p, Exact,                                            \
                 "Loads per vector of one scalar for all lanes; every load where nothing is "      \
                 "vectorised.")                                                                    \
    CRYOLITE_CPU(X, loads_gathered, "loads", Log1p, Exact,                                         \
                 "Loads per vector at indices that are loaded or not affine.")                     \
    CRYOLITE_CPU(X, stores_dense, "stores", Log1p, Exact,                                          \
                 "Stores per vector to consecutive elements; every store where nothing is "        \
                 "vectorised.")                                                                    \
    CRYOLITE_CPU(X, stores_spread, "stores", Log1p, Exact, "All other stores per vector.")         \
    CRYOLITE_CPU(X, aligned_share, "ratio", None, Bound,                                           \
                 "Of the vector accesses at consecutive elements, those known to start at a "      \
                 "multiple of the register's size: in storage of the pipeline's own, which "       \
                 "starts at one, at strides that keep it. Never more than is true.")               \
    CRYOLITE_CPU(X, unrolled_copies, "copies", Log1p, Exact,                                       \
                 "Of the body: the product of the unrolled extents.")                              \
    CRYOLITE_CPU(X, code_operations, "operations", Log1p, Exact,                                   \
                 "Operations and loads in all copies of the body.")                                \
    X(loads_per_register_block, "loads", Schedule, Cpu, Log1p, Bound, 2,                           \
      "Loads in all copies of the body, those that neighbours share counted once; neighbours are " \
      "copies of rows and of reduction steps, and whole vectors along the vector loop.")           \
    CRYOLITE_CPU(X, accumulators, "registers", Log1p, Exact,                                       \
                 "Vector registers that hold the values of one register_block: copies along "      \
                 "pure loops x registers per vector, over the tuple.")

#define CRYOLITE_CPU_FEATURES(X)            \
    CRYOLITE_TASK_FEATURES(X)               \
    CRYOLITE_TOUCHED_PER(X, vector)         \
    CRYOLITE_TOUCHED_PER(X, register_block) \
    CRYOLITE_TOUCHED_PER(X, innermost_run)  \
    CRYOLITE_TOUCHED_PER(X, production)     \
    CRYOLITE_TOUCHED_PER(X, realisation)    \
    CRYOLITE_TOUCHED_PER(X, task)           \
    CRYOLITE_TOUCHED_PER(X, core)           \
    CRYOLITE_STREAM_FEATURES(X)             \
    CRYOLITE_WORKING_SET_FEATURES(X)        \
    CRYOLITE_VECTOR_FEATURES(X)

// --- the schedule on a GPU: appendix A of the OOPSLA 2021 paper, under our names ---

#define CRYOLITE_GPU_READS(X, memory, level)                                         \
    CRYOLITE_GPU(X, memory##_bytes_read_per_##level, "bytes", Log1p, Bound,          \
                 "Distinct bytes of " #memory " memory read per " #level             \
                 "; appendix A: unique_" #memory "_bytes_read_per_" #level ".")      \
    CRYOLITE_GPU(X, memory##_lines_read_per_##level, "128-byte lines", Log1p, Bound, \
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
                 "Consecutive bytes among them, from the first on.")

#define CRYOLITE_GPU_MAPPING_FEATURES(X)                                                           \
    CRYOLITE_GPU(X, num_scalars, "points", Log1p, Exact,                                           \
                 "Product of the extents of all loops around the stage.")                          \
    CRYOLITE_GPU(X, points_computed_per_thread, "points", Log1p, Exact,                            \
                 "Product of the extents of the serial and unrolled loops.")                       \
    CRYOLITE_GPU(X, num_blocks, "blocks", Log1p, Exact, "Product of the block loops' extents.")    \
    CRYOLITE_GPU(X, num_warps_per_block, "warps", Log1p, Exact, "Warps of a block of the kernel.") \
    CRYOLITE_GPU(X, num_active_warps_per_block, "warps", Log1p, Exact,                             \
                 "Those with at least one thread of this stage.")                                  \
    CRYOLITE_GPU(X, num_threads_per_block, "threads", Log1p, Exact,                                \
                 "Threads of a block that this stage uses.")                                       \
    CRYOLITE_GPU(X, warp_lane_utilization, "ratio", None, Exact,                                   \
                 "num_threads_per_block / (32 x num_active_warps_per_block).")                     \
    CRYOLITE_GPU(X, idle_lane_wastage, "ratio", None, Exact,                                       \
                 "Idle threads of the active warps over the hardware's threads per block.")        \
    CRYOLITE_GPU(X, block_occupancy, "ratio", None, Exact,                                         \
                 "num_threads_per_block over the hardware's threads per block.")                   \
    CRYOLITE_GPU(X, working_set_at_thread, "bytes", Log1p, Exact,                                  \
                 "Sum of the allocations at the thread level: a hint at register pressure.")       \
    CRYOLITE_GPU(X, shared_mem_occupancy, "ratio", None, Exact,                                    \
                 "Shared memory of the stage's block level over what a block may have.")           \
    CRYOLITE_GPU(X, shared_mem_block_limit_factor, "ratio", None, Exact,                           \
                 "Blocks that the shared memory lets be resident over the hardware's limit.")      \
    CRYOLITE_GPU(X, max_warp_occupancy, "ratio", None, Exact,                                      \
                 "Resident warps over the hardware's limit, per multiprocessor.")                  \
    CRYOLITE_GPU(X, max_block_occupancy, "ratio", None, Exact,                                     \
                 "Resident blocks over the hardware's limit, per multiprocessor.")

// Exact for the block at the origin, with the serial loops at their start: alignment may differ
// elsewhere.
#define CRYOLITE_GPU_TRANSACTION_FEATURES(X)                                                      \
    CRYOLITE_GPU(X, num_global_mem_loads_per_block, "sectors", Log1p, Estimate,                   \
                 "32-byte sectors moved by global loads, each warp's load by itself; loads that " \
                 "copies of an unrolled loop share happen once.")                                 \
    CRYOLITE_GPU(X, num_global_mem_stores_per_block, "sectors", Log1p, Estimate,                  \
                 "The same for global stores.")                                                   \
    CRYOLITE_GPU(X, num_global_mem_load_lines_per_block, "128-byte lines", Log1p, Estimate,       \
                 "Lines that the same loads ask for: what the L1 cache looks up.")                \
    CRYOLITE_GPU(X, num_global_mem_store_lines_per_block, "128-byte lines", Log1p, Estimate,      \
                 "The same for global stores.")                                                   \
    CRYOLITE_GPU(X, num_shared_mem_loads_per_block, "transactions", Log1p, Estimate,              \
                 "Transactions of shared loads: per warp, the most distinct 4-byte words that "   \
                 "fall in one of the 32 banks.")                                                  \
    CRYOLITE_GPU(X, num_shared_mem_stores_per_block, "transactions", Log1p, Estimate,             \
                 "The same for shared stores.")                                                   \
    CRYOLITE_GPU(X, global_mem_load_efficiency, "ratio", None, Estimate,                          \
                 "Distinct bytes that the lanes ask for over bytes moved; 1 where none are.")     \
    CRYOLITE_GPU(X, global_mem_store_efficiency, "ratio", None, Estimate,                         \
                 "The same for global stores.")                                                   \
    CRYOLITE_GPU(X, shared_mem_load_efficiency, "ratio", None, Estimate,                          \
                 "Distinct bytes that the lanes ask for over 128 bytes a transaction; 1 where "   \
                 "there is none.")                                                                \
    CRYOLITE_GPU(X, shared_mem_store_efficiency, "ratio", None, Estimate,                         \
                 "The same for shared stores.")

#define CRYOLITE_GPU_FEATURES(X)         \
    CRYOLITE_GPU_MAPPING_FEATURES(X)     \
    CRYOLITE_GPU_FOOTPRINTS(X, global)   \
    CRYOLITE_GPU_FOOTPRINTS(X, shared)   \
    CRYOLITE_GPU_FOOTPRINTS(X, register) \
    CRYOLITE_GPU_TRANSACTION_FEATURES(X)

#define CRYOLITE_FEATURES(X)             \
    CRYOLITE_ALGORITHM_FEATURES(X)       \
    CRYOLITE_COMMON_SCHEDULE_FEATURES(X) \
    CRYOLITE_CPU_FEATURES(X)             \
    CRYOLITE_GPU_FEATURES(X)
