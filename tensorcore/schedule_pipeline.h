// Schedules every product of a pipeline for tensor cores that can have it, and says of the others why not.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "graph/build.h"
#include "tensorcore/lowering_pass.h"

namespace cryolite::tensorcore {

struct ProductDecision {
    std::string func;
    bool is_taken = false;
    std::string why;  // the tile and the epilogue, or what stands against it
};

struct ScheduledProducts {
    std::vector<ProductDecision> decisions;  // one for each update stage
    std::vector<LoweredProduct> products;    // for add_pass()
};

// Changes the schedules of the products that are taken, of the Funcs that finish their sums, and of the initial values
// of sums that are stored. Only the next reader may finish sums: Funcs behind it stay free for a search.
// multiprocessors: of the device, to choose tiles by.
ScheduledProducts schedule_products(const BuiltGraph &built, const Halide::Target &target,
                                    int multiprocessors);

}  // namespace cryolite::tensorcore
