// Finds the matrix products of a pipeline that tensor cores could compute, as the graph describes them to the search
// (graph/tensor_product.h).
#pragma once

#include <string>
#include <vector>

#include "graph/builder/build.h"

namespace cryolite::tensorcore {

// An update stage that is no such product.
struct NotAProduct {
    StageId stage;
    std::string why;
};

struct FoundProducts {
    std::vector<TensorProduct> products;
    std::vector<NotAProduct> others;  // with `products`, one for each update stage
};

// precision: whether products of 32-bit floats are wanted, which are rounded.
FoundProducts find_products(const BuiltGraph &built, Precision precision = Precision::Exact);

}  // namespace cryolite::tensorcore
