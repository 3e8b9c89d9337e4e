// Features of the schedule, whatever it runs on.
#pragma once

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
                      "Those at indices that are loaded or not affine.")                          \
    X(expression_branching, "registers", Schedule, Both, None, Bound, 2,                          \
      "Strahler number of the right-hand side with all that is inlined, equal subexpressions "    \
      "computed anew at each use: registers to evaluate it without spilling; constants take "     \
      "none. Every load is taken to be of the Func with the largest number among those that are " \
      "inlined. Appendix A: expr_branching.")

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
