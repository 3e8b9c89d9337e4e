// Features of the algorithm: of the stage alone, without what is inlined into it, per point of its loops.
#pragma once

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
    M(X, extern_call)                   \
    M(X, divide_by_value)               \
    M(X, bit_count)

#define CRYOLITE_ACCESS_FEATURES(X)                                                               \
    CRYOLITE_ALGORITHM(X, loads, "loads", Log1p,                                                  \
                       "Distinct loads per point. It is the sum of the four kinds that follow.")  \
    CRYOLITE_ALGORITHM(X, loads_pointwise, "loads", Log1p,                                        \
                       "Loads whose indices are loops, each at most once, with factor 1 and any " \
                       "offset, in an order that agrees with the storage orders of both Funcs.")  \
    CRYOLITE_ALGORITHM(X, loads_transpose, "loads", Log1p,                                        \
                       "As loads_pointwise, in any other order.")                                 \
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
    CRYOLITE_ALGORITHM(X, has_predicate, "flag", None, "The stage has an RDom with a where().")  \
    CRYOLITE_ALGORITHM(X, tuple_size, "elements", None, "Elements of the Func's tuple.")         \
    CRYOLITE_ALGORITHM(X, point_bytes, "bytes", Log1p,                                           \
                       "Bytes of one point, summed over the tuple.")                             \
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
