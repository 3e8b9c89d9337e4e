// The two factors of a product, in the types that tensor cores multiply.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "base/result.h"
#include "schedule/kernel_shape.h"

namespace cryolite::tensorcore {

// The factors of a product whose sum has type `sum`, in their narrow types. Undefined where it is none that tensor
// cores multiply without changing a value: each factor is a conversion of 8 or 16 bits, and no product overflows.
struct Factors {
    Halide::Expr left, right;
    bool defined() const { return left.defined(); }
};
Factors factors_of(const Halide::Expr &product, const Halide::Type &sum);

// The factors of a product of 32-bit floats, which tensor cores round. There may be more than two, as in a scale times
// two matrices: each goes with the matrix whose loops it shares. The two that a multiplication names do not count,
// because Halide moves constants out of products when it lowers them. Undefined where no two factors have a loop of
// their own each. loops: those of the sums.
Factors float_factors_of(const Halide::Expr &product, const std::vector<std::string> &loops);

// The types of a product. Factors that are 32-bit floats are taken as rounded ones. Error: in words.
Result<ProductTypes> product_types(const Halide::Type &left, const Halide::Type &right,
                                   const Halide::Type &sum);

Halide::Type halide_type(Element element);
Halide::Type halide_type(Sum sum);

}  // namespace cryolite::tensorcore
