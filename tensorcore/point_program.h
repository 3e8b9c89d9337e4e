// What a nest of loops computes at one point of its output, read from Halide's lowered code.
//
// The schedule that schedule_product.h makes leaves a nest in which every loop walks one whole dimension. Its body
// computes one sum and what is made of it. The nest therefore says what a kernel must compute, with all addresses
// worked out by Halide, and nothing of how. The tile kernel (tile_kernel.h) takes its place.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "base/result.h"
#include "machine/tensor_types.h"

namespace cryolite::tensorcore {

struct PointLoop {
    std::string name;
    Halide::Expr min, extent;
};

// A store of the result. `value` names the sum kSumName.
struct PointStore {
    std::string buffer;
    Halide::Expr index, value;
    Halide::Parameter parameter;  // of the output buffer, if it is one
};

// For every point: sum = initial + sum over depth of rows_value * columns_value, then the stores. All lets inside the
// nest are substituted, so that the expressions depend on the loops and on what is known outside of the nest.
struct PointProgram {
    std::vector<PointLoop> pure;   // outermost first
    std::vector<PointLoop> depth;  // outermost first
    Halide::Type sum_type;
    Halide::Expr initial;
    Halide::Expr left, right;  // the factors, in the types that are multiplied
    std::vector<PointStore> stores;
};

inline constexpr const char *kSumName = "cryolite.sum";

// An update stage, as lowered code names it.
struct ProductStage {
    std::string func;
    std::vector<std::string> depth_loops;    // func.s1.r$x
    Precision precision = Precision::Exact;  // Tf32: its factors are 32-bit floats
};

// nest: the outermost loop.
Result<PointProgram> read_point_program(const Halide::Internal::Stmt &nest,
                                        const ProductStage &product);

}  // namespace cryolite::tensorcore
