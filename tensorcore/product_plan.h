// Which loops of a point program are rows, columns, depth and batch of a product, and how each operand may be copied.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Halide.h>

#include "base/result.h"
#include "schedule/kernel_shape.h"
#include "tensorcore/point_program.h"

namespace cryolite::tensorcore {

// Loops that are walked as one. The first is the fastest.
using FusedLoops = std::vector<PointLoop>;

// The number of points of fused loops.
Halide::Expr extent_of(const FusedLoops &loops);

// The value of each loop at a point of the fused loops.
std::map<std::string, Halide::Expr> values_at(const FusedLoops &loops, const Halide::Expr &point);

// Copies of 16 bytes straight from memory. They need a plain load whose index is linear in the loops.
struct UnitCopy {
    std::string buffer;
    Halide::Expr index;  // in elements
    // When all units are aligned and no unit leaves its row. Known where the kernel is launched.
    Halide::Expr is_aligned;
};

struct Operand {
    Halide::Expr value;  // in the type that is multiplied, a function of the loops
    // Its neighbours in memory differ in depth, as far as is known; otherwise in its rows or columns.
    bool along_depth = true;
    std::optional<UnitCopy> units;
};

// The rows are the operand `rows` of PTX's A, the columns its B. Columns are chosen so that neighbouring columns of
// the result are neighbours in memory, where the result has such a dimension.
struct ProductPlan {
    ProductTypes types;
    FusedLoops rows_loops, columns_loops, depth_loops, batch_loops;
    Operand rows, columns;
    Halide::Type sum_type;
    Halide::Expr initial;
    std::vector<PointStore> stores;
};

// The uint64 variable that holds the address of a buffer on the device.
std::string address_name(const std::string &buffer);

Result<ProductPlan> plan_product(const PointProgram &program);

}  // namespace cryolite::tensorcore
