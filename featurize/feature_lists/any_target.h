// Features of the schedule, whatever it runs on.
#pragma once

#define CRYOLITE_POINT_FEATURES(X)                                                                \
    CRYOLITE_SCHEDULE_2(X, points_computed, "points", Log1p, Bound,                               \
                        "All points computed: productions x points_per_production, and the "      \
                        "points that fill sliding windows: its own, those whose loops it is in, " \
                        "and those of its loop that read it. Exact where no border cuts a "       \
                        "region short.")                                                          \
    CRYOLITE_SCHEDULE(X, points_per_production, "points", Log1p, Exact,                           \
                      "Points of the stage's loops over one production, with the points that "    \
                      "splits add or compute twice.")                                             \
    CRYOLITE_SCHEDULE(X, points_per_realisation, "points", Log1p, Bound,                          \
                      "points_computed / realisations.")                                          \
    CRYOLITE_SCHEDULE(X, recomputation_ratio, "ratio", Log1p, Bound,                              \
                      "points_computed / points_required.")                                       \
    CRYOLITE_SCHEDULE(X, productions, "runs", Log1p, Exact,                                       \
                      "All runs of the stage's loops: iterations of compute_at.")                 \
    CRYOLITE_SCHEDULE(X, realisations, "allocations", Log1p, Exact,                               \
                      "All allocations of the Func: iterations of store_at.")                     \
    CRYOLITE_SCHEDULE(X, allocation_bytes, "bytes", Log1p, Exact,                                 \
                      "Size of one allocation of the Func. A sliding window that Halide folds "   \
                      "takes the next power of two of its rows.")                                 \
    CRYOLITE_SCHEDULE(X, folded_share, "ratio", None, Exact,                                      \
                      "Extent stored along the sliding dimension over the extent of the store "   \
                      "region. 1: nothing is folded.")                                            \
    CRYOLITE_SCHEDULE(X, window_new_share, "ratio", None, Exact,                                  \
                      "Points along the sliding dimension that a production computes over those " \
                      "that the window has. 1: nothing slides.")                                  \
    CRYOLITE_SCHEDULE(X, inlined_calls, "calls", Log1p, Exact,                                    \
                      "Distinct calls of inlined Funcs per point.")                               \
    CRYOLITE_SCHEDULE(                                                                            \
        X, expanded_loads, "loads", Log1p, Exact,                                                 \
        "Distinct loads of stored Funcs per point, those of inlined calls included.")             \
    CRYOLITE_SCHEDULE(X, expanded_gathers, "loads", Log1p, Exact,                                 \
                      "Those of expanded_loads at indices that are loaded or not affine.")        \
    X(expression_branching, "registers", Schedule, Both, None, Bound, 2,                          \
      "Registers to evaluate the right-hand side without spilling, inlined calls included: its "  \
      "Strahler number. Equal subexpressions are computed anew at each use. Constants take no "   \
      "register. Each load counts as a call of the inlined Func with the largest number. "        \
      "Appendix A: expr_branching.")

// In the order of OpKind.
#define CRYOLITE_EXPANDED_OPS(X, kind)                                                     \
    CRYOLITE_SCHEDULE(X, expanded_##kind##_integer, "operations", Log1p, Exact,            \
                      "Operations of kind " #kind                                          \
                      " on integers and booleans per point, with those of inlined calls.") \
    CRYOLITE_SCHEDULE(X, expanded_##kind##_float, "operations", Log1p, Exact,              \
                      "Operations of kind " #kind                                          \
                      " on floating point per point, with those of inlined calls.")

#define CRYOLITE_COMMON_SCHEDULE_FEATURES(X) \
    CRYOLITE_POINT_FEATURES(X)               \
    CRYOLITE_FOR_EACH_OP_KIND(CRYOLITE_EXPANDED_OPS, X)
