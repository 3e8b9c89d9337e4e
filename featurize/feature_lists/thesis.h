// Terms of the thesis "Automatic Scheduling of Image Processing Pipelines" on a CPU, by the numbers of its equations.
// It has perfect nests and segments; locality_features.cpp and reuse_features.cpp say what any other stage counts as.
#pragma once

// A pair per quantity, L1 first.
#define CRYOLITE_MISS_FEATURES(X)                                                                  \
    CRYOLITE_CPU(X, misses_l1, "misses", Log1p, Estimate,                                          \
                 "Misses of L1 by the stage in the whole run, (4.5): a run of consecutive memory " \
                 "misses once where L1's prefetcher streams, else once a line. The reuse loop "    \
                 "(see reuse_bytes_l1) fetches once what it does not move. The loops around it "   \
                 "fetch everything again. What is stored inside of the reuse loop misses "         \
                 "nothing. 0 without caches.")                                                     \
    CRYOLITE_CPU(X, misses_l2, "misses", Log1p, Estimate,                                          \
                 "As misses_l1 for L2, (4.10). 0 without a second cache.")                         \
    CRYOLITE_CPU(X, misses_unstreamed_l1, "misses", Log1p, Estimate,                               \
                 "As misses_l1 without a prefetcher, from (4.2): every line misses.")              \
    CRYOLITE_CPU(X, misses_unstreamed_l2, "misses", Log1p, Estimate,                               \
                 "As misses_l2 without a prefetcher, from (4.7).")                                 \
    CRYOLITE_CPU(X, miss_cycles, "cycles", Log1p, Estimate,                                        \
                 "misses_l1 and misses_l2, each times the cycles until the next level's stream "   \
                 "has started, (4.11).")                                                           \
    CRYOLITE_CPU(X, interference_l1, "ratio", Log1p, Estimate,                                     \
                 "Rows that one iteration of L1's reuse loop touches over the rows that "          \
                 "algorithm 1 lets stay in L1 together: the largest of all Funcs touched. More "   \
                 "than 1: rows push each other out. Gathers are left out. 0 without caches.")      \
    CRYOLITE_CPU(X, interference_l2, "ratio", Log1p, Estimate, "As interference_l1 for L2.")

#define CRYOLITE_ORDER_FEATURES(X)                                                                 \
    CRYOLITE_CPU(                                                                                  \
        X, loop_distance, "iterations", Log1p, Exact,                                              \
        "Iterations between the parts of one loop, summed over the loops, (4.12). A loop "         \
        "around the stage is a part of the loops over the dimensions in which it moves "           \
        "the stage's box. 0 where nothing is split.")                                              \
    CRYOLITE_CPU(X, spatial_cost_straight, "misses", Log1p, Estimate,                              \
                 "Runs of consecutive memory read by all iterations of L2's reuse loop, times "    \
                 "the lines of such an iteration's width, (4.17). Only reads that the loop along " \
                 "the stage's rows walks along their rows, or not at all. 0 without a second "     \
                 "cache.")                                                                         \
    CRYOLITE_CPU(X, spatial_cost_transposed, "misses", Log1p, Estimate,                            \
                 "As spatial_cost_straight for all other reads but gathers, (4.15). 0 where "      \
                 "nothing is transposed.")

#define CRYOLITE_REUSE_FEATURES(X)                                                                 \
    CRYOLITE_CPU(X, unfolded_bytes, "bytes", Log1p, Exact,                                         \
                 "The Func's store region, nothing folded, (5.1) and (5.8).")                      \
    CRYOLITE_CPU(X, window_bytes, "bytes", Log1p, Exact,                                           \
                 "What a sliding window needs of it at once, (5.9) and (5.12). Whether Halide "    \
                 "folds it is not asked. unfolded_bytes where nothing slides.")                    \
    CRYOLITE_CPU(X, recomputed_points, "points", Log1p, Bound,                                     \
                 "points_computed beyond points_required, (5.2); at least 0.")                     \
    CRYOLITE_CPU(X, recomputed_operations, "operations", Log1p, Bound,                             \
                 "recomputed_points times the operations of a point, inlined ones included.")      \
    CRYOLITE_CPU(X, outside_loads, "loads", Log1p, Bound,                                          \
                 "Distinct points per production of Funcs computed outside of the kernel, times "  \
                 "the productions, (5.5).")                                                        \
    CRYOLITE_CPU(X, outside_loads_streamed, "loads", Log1p, Estimate,                              \
                 "The same where a prefetcher leaves one load of each run of consecutive memory, " \
                 "(5.6), unless the run is shorter than a line and than a row, (5.13).")           \
    CRYOLITE_CPU(X, outside_bytes, "bytes", Log1p, Bound,                                          \
                 "Distinct bytes of those Funcs per realisation, (5.7) and (5.10).")               \
    CRYOLITE_CPU(X, outside_window_bytes, "bytes", Log1p, Estimate,                                \
                 "Distinct bytes of those Funcs that one whole window needs, (5.11): those of a "  \
                 "production times the window over its step, no more than outside_bytes.")

#define CRYOLITE_THESIS_FEATURES(X) \
    CRYOLITE_MISS_FEATURES(X)       \
    CRYOLITE_ORDER_FEATURES(X)      \
    CRYOLITE_REUSE_FEATURES(X)
