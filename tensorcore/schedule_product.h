// Schedules a matrix product for tensor cores. For users, and for the plugin:
//
//     C(n, m) = 0.0f;
//     C(n, m) += cast<float>(A(k, m)) * cast<float>(B(n, k));
//     D(n, m) = max(C(n, m) + bias(n), 0);
//     ...
//     const auto lowered = tensorcore::schedule_product({.product = C, .epilogue = D}, target);
//     if (lowered.ok()) tensorcore::add_pass(pipeline, {*lowered}, target);
//
// Without an epilogue the sums are stored, and the update adds to what its Func holds already. With one, its whole
// value is computed where the sums are, and the product's Func is not stored. A schedule without the pass is legal and
// computes the same, a thread per row of the outermost dimension; it is no schedule to keep.
#pragma once

#include <optional>
#include <vector>

#include <Halide.h>

#include "base/result.h"
#include "tensorcore/lowering_pass.h"
#include "tensorcore/matrix_product.h"

namespace cryolite::tensorcore {

struct ProductToSchedule {
    Halide::Func product;
    int update = 0;  // which update of it is the product
    std::optional<Halide::Func> epilogue =
        std::nullopt;  // a Func that reads it by points (MatrixProduct::epilogue)
    Tile tile = {};
    // Tf32 allows products of 32-bit floats, whose factors are rounded to 10 bits of mantissa.
    Precision precision = Precision::Exact;
};

// Changes the schedules of the product and of its epilogue, which must have none. Without an epilogue, the other
// stages of the product's Func are the caller's to schedule, on the GPU. Error: nothing is changed, because the update
// is no product, the target has no tensor cores for its types or the tile does not fit. Other problems come to light
// when the pass reads the loops; then it throws.
Result<LoweredProduct> schedule_product(const ProductToSchedule &product,
                                        const Halide::Target &target);

// Once for a pipeline, with all its products. Generators: add_pass(get_pipeline(), ...) in schedule().
void add_pass(Halide::Pipeline pipeline, std::vector<LoweredProduct> products,
              const Halide::Target &target);

}  // namespace cryolite::tensorcore
