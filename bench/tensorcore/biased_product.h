// The product that the benchmarks of tile kernels multiply.
#pragma once

#include <Halide.h>

#include <optional>
#include <string>

#include "machine/tensor_types.h"

namespace cryolite::bench {

// f16, bf16, half (f16 sums), tf32, i8 or u8; nullopt: another name.
std::optional<tensorcore::ProductTypes> types_named(const std::string &name);

// result = max(product + bias, 0), product = a b. Bit 0 of the layout turns a, bit 1 turns b.
struct BiasedProduct {
    BiasedProduct(const tensorcore::ProductTypes &types, int layout);

    Halide::ImageParam a, b, bias;
    Halide::Func product{"product"}, result{"result"};
};

}  // namespace cryolite::bench
