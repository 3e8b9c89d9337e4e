#include "analytical/memory/address_translation.h"

#include <algorithm>
#include <span>

#include "analytical/stored_side.h"

namespace cryolite {
namespace {

// Pages that the load touches over some iterations of each loop. strides: in bytes, by dimension of the producer.
double pages_touched(const LoadGroup &load, std::span<const double> strides, double page,
                     std::span<const double> iterations) {
    double pages = 1;
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        const double indices = different_indices(load, d, load.offset_span[d] + 1, iterations);
        pages *= std::max(1.0, indices * std::min(1.0, strides[d] / page));
    }
    return pages;
}

}  // namespace

double pages_asked_for(const Machine &machine, const LoopNest &schedule, const LoadGroup &load,
                       const InnerLoops &in) {
    if (load.gather || load.coefficient.empty()) return 0;
    const Func &producer = schedule.graph().func(load.producer);
    SmallVector<double, 6> strides(load.coefficient.size(), 0);
    double stride = producer.values[static_cast<size_t>(load.value)].bytes();
    for (int d : schedule.storage_order(load.producer)) {
        const auto dim = static_cast<size_t>(d);
        strides[dim] = stride;
        stride *= static_cast<double>(stored_side(schedule, load.producer, dim));
    }
    SmallVector<double, 8> iterations(load.depends_on.size(), 1);
    if (in.vector_dim >= 0) iterations[static_cast<size_t>(in.vector_dim)] *= in.lanes;
    for (const UnrolledLoop &u : in.unrolled) iterations[u.dim] *= u.factor;
    double bodies = 1;
    for (const SerialLoop &loop : in.serial) {
        iterations[loop.dim] *= loop.extent;
        bodies *= loop.extent;
        // When the walk starts again, the pages that it began with are forgotten.
        const double pages =
            pages_touched(load, strides, static_cast<double>(machine.page_bytes), iterations);
        if (pages > machine.pages_remembered) return pages / bodies;
    }
    return 0;
}

}  // namespace cryolite
