// The tile kernel in Halide's lowered form: the nest of blocks and threads that takes a point program's place.
#pragma once

#include <Halide.h>

#include "schedule/kernel_shape.h"
#include "tensorcore/product_plan.h"

namespace cryolite::tensorcore {

// The shape that a plan asks for.
KernelShape shape_for(const ProductPlan &plan, const Tile &tile, int capability);

// number: of the kernel in its pipeline, for the names of its placeholders. name: of the nest that it replaces.
// copies_units: both operands that can be are copied in units of 16 bytes. The caller guards the launch: units must be
// aligned, there must be points, and the addresses of the buffers must be defined.
Halide::Internal::Stmt tile_kernel(const ProductPlan &plan, const KernelShape &shape, int number,
                                   const std::string &name, bool copies_units);

// Whether the points are any. A launch of no blocks is an error.
Halide::Expr has_points(const ProductPlan &plan);

}  // namespace cryolite::tensorcore
