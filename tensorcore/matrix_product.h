// Finds the matrix products in a pipeline: update stages that tensor cores could compute.
//
// A stage is a product if it adds, over a reduction, products of two narrow values (16-bit floats or bytes) of which
// each moves with loops that the other does not. Which loops they are does not matter: matrices may be transposed,
// batched, or gathered by a convolution. Names play no part. With Precision::Tf32, products of 32-bit floats are found
// too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/builder/build.h"
#include "schedule/kernel_shape.h"

namespace cryolite::tensorcore {

enum class NoProduct {
    PureStage,  // not an update
    ExternStage,
    SeveralValues,  // a tuple
    Locked,         // the user has scheduled it
    Predicate,      // RDom::where
    MovedStore,  // the update does not write each point of its Func once per step of the reduction
    NoReduction,
    NotASum,           // not f(...) += a * b
    WideFactors,       // the factors are values that no tensor core multiplies
    RoundedFactors,    // the factors are 32-bit floats, and Precision::Exact is asked for
    UnsupportedTypes,  // narrow factors, but no instruction for them and their sum
    SelfReading,       // a factor reads the Func itself
    Vector,  // one factor has no loop of its own: a matrix times a vector, or a product by points
};
const char *explanation_of(NoProduct reason);

struct MatrixProduct {
    StageId stage;
    ProductTypes types;
    // Loops of the stage, innermost first. Loops that move both factors, or none, are the batch.
    std::vector<int> left_loops, right_loops, batch_loops, depth_loops;
    // The Func that may hold the sums in registers and store what it makes of them. It reads each sum once, at the
    // same point but for the order of the dimensions. `inlined` lies between the two. Not set: the sums are stored.
    std::optional<FuncId> epilogue;
    std::vector<FuncId> inlined;
    Halide::Expr left, right;  // the factors, in the types that are multiplied
    // Funcs that convert its factors. They must be computed where they are read.
    std::vector<std::string> conversions;
};

// What an update says by itself, without its loops.
struct ProductUpdate {
    Halide::Expr left, right;  // the factors, in the types that are multiplied
    ProductTypes types;
    std::vector<std::string> conversions;  // see MatrixProduct
};
Result<ProductUpdate, NoProduct> read_update(const Halide::Internal::Function &function, int update,
                                             Precision precision);

using MatchedStage = Result<MatrixProduct, NoProduct>;

MatchedStage match_product(const BuiltGraph &built, StageId stage,
                           Precision precision = Precision::Exact);

}  // namespace cryolite::tensorcore
