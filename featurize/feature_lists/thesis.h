// Terms of the thesis "Automatic Scheduling of Image Processing Pipelines" on a CPU, with the numbers of its equations.
// The thesis has perfect nests and segments. locality_features.cpp and reuse_features.cpp define the terms for any
// stage.
#pragma once

// In each pair L1 is the first and L2 follows.
#define CRYOLITE_MISS_FEATURES(X)                                                                 \
    CRYOLITE_CPU(X, misses_l1, "misses", Log1p, Estimate,                                         \
                 "All misses of the stage in L1, (4.5). A run of consecutive memory misses once " \
                 "where L1's prefetcher streams, else once a line. The reuse loop fetches once "  \
                 "what it does not move. The loops around it fetch everything again. A Func "     \
                 "stored inside of the reuse loop misses nothing. 0: no caches.")                 \
    CRYOLITE_CPU(X, misses_l2, "misses", Log1p, Estimate,                                         \
                 "As misses_l1 for L2, (4.10). 0: no second cache.")                              \
    CRYOLITE_CPU(X, misses_unstreamed_l1, "misses", Log1p, Estimate,                              \
                 "As misses_l1 without a prefetcher, from (4.2): every line misses.")             \
    CRYOLITE_CPU(X, misses_unstreamed_l2, "misses", Log1p, Estimate,                              \
                 "As misses_l2 without a prefetcher, from (4.7).")                                \
    CRYOLITE_CPU(                                                                                 \
        X, miss_cycles, "cycles", Log1p, Estimate,                                                \
        "The sum of misses_l1 and misses_l2, each times the cycles until a stream of the "        \
        "next level has started, (4.11).")                                                        \
    CRYOLITE_CPU(X, interference_l1, "ratio", Log1p, Estimate,                                    \
                 "Rows that one iteration of L1's reuse loop touches over the rows that stay in " \
                 "L1 together by algorithm 1. The Func with the largest ratio counts. More than " \
                 "1: rows push each other out. Gathers do not count. 0: no caches.")              \
    CRYOLITE_CPU(X, interference_l2, "ratio", Log1p, Estimate, "As interference_l1 for L2.")

#define CRYOLITE_ORDER_FEATURES(X)                                                                 \
    CRYOLITE_CPU(                                                                                  \
        X, loop_distance, "iterations", Log1p, Exact,                                              \
        "Iterations between the parts of one loop, summed over the loops, (4.12). A loop "         \
        "around the stage is a part of the loops over the dimensions in which it makes "           \
        "the stage's box larger. 0: nothing is split.")                                            \
    CRYOLITE_CPU(X, spatial_cost_straight, "misses", Log1p, Estimate,                              \
                 "Runs of consecutive memory read by all iterations of L2's reuse loop, times "    \
                 "the lines of such an iteration's width, (4.17). Transposed reads do not count: " \
                 "the loop along the stage's rows walks them across theirs. 0: no second cache.")  \
    CRYOLITE_CPU(X, spatial_cost_transposed, "misses", Log1p, Estimate,                            \
                 "As spatial_cost_straight for transposed reads, (4.15). 0: there are none.")

#define CRYOLITE_REUSE_FEATURES(X)                                                                \
    CRYOLITE_CPU(X, unfolded_bytes, "bytes", Log1p, Exact,                                        \
                 "The Func's store region, nothing folded, (5.1) and (5.8).")                     \
    CRYOLITE_CPU(X, window_bytes, "bytes", Log1p, Exact,                                          \
                 "The part of the store region that a sliding window needs at once, (5.9) and "   \
                 "(5.12), whether Halide folds it or not. unfolded_bytes, where nothing slides.") \
    CRYOLITE_CPU(X, recomputed_points, "points", Log1p, Bound,                                    \
                 "points_computed beyond points_required, (5.2); at least 0.")                    \
    CRYOLITE_CPU(X, recomputed_operations, "operations", Log1p, Bound,                            \
                 "recomputed_points times the operations of a point, inlined ones included.")     \
    CRYOLITE_CPU(X, outside_loads, "loads", Log1p, Bound,                                         \
                 "Distinct points per production of Funcs computed outside of the kernel, times " \
                 "the productions, (5.5).")                                                       \
    CRYOLITE_CPU(X, outside_loads_streamed, "loads", Log1p, Estimate,                             \
                 "As outside_loads, but a run of consecutive memory counts as one load, (5.6). "  \
                 "All its loads count if it is shorter than a line and than a row, (5.13).")      \
    CRYOLITE_CPU(                                                                                 \
        X, outside_bytes, "bytes", Log1p, Bound,                                                  \
        "Distinct bytes of the Funcs of outside_loads per realisation, (5.7) and (5.10).")        \
    CRYOLITE_CPU(                                                                                 \
        X, outside_window_bytes, "bytes", Log1p, Estimate,                                        \
        "Distinct bytes of these Funcs that one whole window needs, (5.11): the bytes of "        \
        "a production times the window over its step, but no more than outside_bytes.")

#define CRYOLITE_THESIS_FEATURES(X) \
    CRYOLITE_MISS_FEATURES(X)       \
    CRYOLITE_ORDER_FEATURES(X)      \
    CRYOLITE_REUSE_FEATURES(X)
