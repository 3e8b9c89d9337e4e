// Features of the schedule on a CPU.
#pragma once

#define CRYOLITE_TASK_FEATURES(X)                                                                \
    CRYOLITE_CPU(X, tasks_own, "tasks", Log1p, Exact,                                            \
                 "Iterations of the stage's own parallel loops per production. 1: none.")        \
    CRYOLITE_CPU(X, tasks_enclosing, "tasks", Log1p, Exact,                                      \
                 "Iterations of the parallel loops of other Funcs around it. 1: none.")          \
    CRYOLITE_CPU(X, core_use, "ratio", None, Exact,                                              \
                 "The share of all cores' time that has work: tasks / (cores x ceil(tasks / "    \
                 "cores)), where tasks = tasks_own x tasks_enclosing.")                          \
    CRYOLITE_CPU(X, parallel_launches, "launches", Log1p, Exact,                                 \
                 "All starts of the stage's own parallel loops. 0: it has none.")                \
    CRYOLITE_CPU(X, points_per_task, "points", Log1p, Bound, "points_computed / tasks.")         \
    CRYOLITE_CPU(X, points_per_core, "points", Log1p, Bound,                                     \
                 "points_per_task x ceil(tasks / cores).")                                       \
    CRYOLITE_CPU(X, innermost_extent, "iterations", Log1p, Exact,                                \
                 "Extent of the stage's innermost loop that has several iterations and is "      \
                 "neither vectorised nor unrolled. 1: there is none.")                           \
    CRYOLITE_CPU(X, innermost_is_reduction, "flag", None, Exact,                                 \
                 "The loop of innermost_extent is a reduction loop.")                            \
    CRYOLITE_CPU(X, loop_iterations, "iterations", Log1p, Exact,                                 \
                 "Iterations of all own loops that are neither vectorised nor unrolled, summed " \
                 "over the loops and productions.")

// What one run or iteration touches, apart for inputs, other Funcs and stores.
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

#define CRYOLITE_STREAM_FEATURES(X)                                                              \
    CRYOLITE_CPU(                                                                                \
        X, streams_per_innermost_run, "streams", Log1p, Estimate,                                \
        "Runs of consecutive memory read or written per innermost_run, all Funcs together.")     \
    CRYOLITE_CPU(X, streams_per_task, "streams", Log1p, Estimate,                                \
                 "As streams_per_innermost_run, per task.")                                      \
    CRYOLITE_CPU(X, contiguous_bytes_stored_per_production, "bytes", Log1p, Estimate,            \
                 "Mean length of the runs of consecutive memory written per production.")        \
    CRYOLITE_CPU(X, contiguous_bytes_stored_per_task, "bytes", Log1p, Estimate,                  \
                 "Mean length of the runs of consecutive memory written per task.")              \
    CRYOLITE_CPU(X, contiguous_bytes_read_per_task, "bytes", Log1p, Estimate,                    \
                 "Mean length of the runs of consecutive memory read per task, all Funcs "       \
                 "together.")                                                                    \
    CRYOLITE_CPU(X, shared_line_share, "ratio", None, Estimate,                                  \
                 "False sharing: the share of the cache lines that a task writes that may hold " \
                 "bytes of another task. There are two per run of consecutive memory. 0: the "   \
                 "Func is stored inside of the tasks.")                                          \
    CRYOLITE_CPU(X, stored_at_root, "flag", None, Exact,                                         \
                 "The Func is allocated once per run of the pipeline, or is an output.")         \
    CRYOLITE_CPU(                                                                                \
        X, stored_per_task, "flag", None, Exact,                                                 \
        "The Func is allocated once per iteration of the innermost parallel loop around it.")    \
    CRYOLITE_CPU(X, stored_inside, "flag", None, Exact, "The Func is allocated at any other loop.")

// Bytes of whole cache lines, with all Funcs that are computed inside of these loops.
#define CRYOLITE_WORKING_SET_FEATURES(X)                                                           \
    CRYOLITE_CPU(X, working_set_per_point, "bytes", Log1p, Estimate,                               \
                 "Bytes touched by one iteration of the innermost loop.")                          \
    CRYOLITE_CPU(X, working_set_per_vector, "bytes", Log1p, Estimate, "Bytes touched per vector.") \
    CRYOLITE_CPU(X, working_set_per_register_block, "bytes", Log1p, Estimate,                      \
                 "Bytes touched per register_block.")                                              \
    CRYOLITE_CPU(X, working_set_per_innermost_run, "bytes", Log1p, Estimate,                       \
                 "Bytes touched per innermost_run.")                                               \
    CRYOLITE_CPU(X, working_set_per_production, "bytes", Log1p, Estimate,                          \
                 "Bytes touched per iteration of compute_at, by all that is computed there.")      \
    CRYOLITE_CPU(X, working_set_per_realisation, "bytes", Log1p, Estimate,                         \
                 "Bytes touched per iteration of store_at, by all that is computed there.")        \
    CRYOLITE_CPU(X, working_set_per_task, "bytes", Log1p, Estimate,                                \
                 "Bytes touched per iteration of the innermost parallel loop around it.")          \
    CRYOLITE_CPU(X, working_set_of_kernel, "bytes", Log1p, Exact,                                  \
                 "Whole sizes of all Funcs and inputs stored at root that the kernel touches, "    \
                 "and of the Funcs that it allocates in its loops. The working sets above have "   \
                 "this value where their level is the whole kernel.")                              \
    CRYOLITE_CPU_2(X, reuse_bytes_l1, "bytes", Log1p, Estimate,                                    \
                   "Bytes touched by one iteration of the reuse loop of the first cache, (4.1).")  \
    CRYOLITE_CPU_2(                                                                                \
        X, reuse_points_l1, "points", Log1p, Estimate,                                             \
        "Iterations of the stage's innermost loop in one iteration of the reuse loop of "          \
        "the first cache. 0: not even one of them fits.")                                          \
    CRYOLITE_CPU_2(X, reuse_bytes_l2, "bytes", Log1p, Estimate,                                    \
                   "As reuse_bytes_l1 for the second cache, (4.6).")                               \
    CRYOLITE_CPU_2(X, reuse_points_l2, "points", Log1p, Estimate,                                  \
                   "As reuse_points_l1 for the second cache.")                                     \
    CRYOLITE_CPU(X, reuse_bytes_last_level, "bytes", Log1p, Estimate,                              \
                 "As reuse_bytes_l1 for the last cache.")                                          \
    CRYOLITE_CPU(X, reuse_points_last_level, "points", Log1p, Estimate,                            \
                 "As reuse_points_l1 for the last cache.")

#define CRYOLITE_VECTOR_FEATURES(X)                                                                \
    CRYOLITE_CPU(X, vector_lanes, "lanes", Log1p, Exact,                                           \
                 "Lanes of the vectorised loop. 1: there is none.")                                \
    CRYOLITE_CPU(X, natural_vectors, "ratio", Log1p, Exact,                                        \
                 "vector_lanes over the lanes of the Func's widest element in one register.")      \
    CRYOLITE_CPU(X, wasted_share, "ratio", None, Exact,                                            \
                 "The share of the points computed per production that splits add or compute "     \
                 "twice.")                                                                         \
    CRYOLITE_CPU(X, scalar_share, "ratio", None, Exact,                                            \
                 "The share of the points computed per production that are computed one by one: "  \
                 "all without a vector loop, else the remainder of guarded vectors.")              \
    CRYOLITE_CPU(X, vectors_per_production, "vectors", Log1p, Exact,                               \
                 "Whole vectors computed per production. Points, where nothing is vectorised.")    \
    CRYOLITE_CPU(X, loads_dense, "loads", Log1p, Exact,                                            \
                 "Loads per vector at consecutive elements, or at less than one element a lane.")  \
    CRYOLITE_CPU(X, loads_strided, "loads", Log1p, Exact,                                          \
                 "Loads per vector whose lanes are any other constant distance apart.")            \
    CRYOLITE_CPU(X, loads_splat, "loads", Log1p, Exact,                                            \
                 "Loads per vector of one scalar for all lanes. All loads, where nothing is "      \
                 "vectorised.")                                                                    \
    CRYOLITE_CPU(X, loads_gathered, "loads", Log1p, Exact,                                         \
                 "Loads per vector at indices that are loaded or not affine.")                     \
    CRYOLITE_CPU(X, stores_dense, "stores", Log1p, Exact,                                          \
                 "Stores per vector to consecutive elements. All stores, where nothing is "        \
                 "vectorised.")                                                                    \
    CRYOLITE_CPU(X, stores_spread, "stores", Log1p, Exact, "All other stores per vector.")         \
    CRYOLITE_CPU(X, aligned_share, "ratio", None, Bound,                                           \
                 "The share of the vector accesses at consecutive elements that are known to "     \
                 "start at a multiple of the register's size. Only storage of the pipeline's own " \
                 "starts at one. Never more than is true.")                                        \
    CRYOLITE_CPU(X, unrolled_copies, "copies", Log1p, Exact,                                       \
                 "Copies of the body: the product of the unrolled extents.")                       \
    CRYOLITE_CPU(X, code_operations, "operations", Log1p, Exact,                                   \
                 "Operations and loads in all copies of the body.")                                \
    X(loads_per_register_block, "loads", Schedule, Cpu, Log1p, Bound, 2,                           \
      "Loads in all copies of the body. A load that neighbours share counts once. Neighbours are " \
      "copies of rows and of reduction steps, and whole vectors along the vector loop.")           \
    CRYOLITE_CPU(X, accumulators, "registers", Log1p, Exact,                                       \
                 "Vector registers that hold the values of one register_block: copies along "      \
                 "pure loops x registers per vector, summed over the tuple.")

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
