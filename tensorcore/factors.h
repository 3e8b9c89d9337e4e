// The two factors of a product, in the narrow types that tensor cores multiply.
#pragma once

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

// The types of a product. Error: in words.
Result<ProductTypes> product_types(const Halide::Type &left, const Halide::Type &right,
                                   const Halide::Type &sum);

Halide::Type halide_type(Element element);
Halide::Type halide_type(Sum sum);

}  // namespace cryolite::tensorcore
