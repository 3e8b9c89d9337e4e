#include "analytical/address_translation.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

int64_t side(const LoopNest &schedule, FuncId f, size_t d) {
    const Func &func = schedule.graph().func(f);
    const bool is_stored =
        !func.is_input() && schedule.decided(f) && d < schedule.at(f).store_region.size();
    const Interval &range = is_stored ? schedule.at(f).store_region[d] : func.root_region[d];
    return std::max<int64_t>(1, range.extent());
}

// How many bytes one step of each loop moves the load, by loop of the stage.
SmallVector<double, 8> steps(const LoopNest &schedule, const LoadGroup &load) {
    SmallVector<double, 8> moved(load.depends_on.size(), 0);
    const Func &producer = schedule.graph().func(load.producer);
    const auto value = static_cast<size_t>(load.value);
    double stride = value < producer.values.size() ? producer.values[value].bytes() : 4;
    for (int d : schedule.storage_order(load.producer)) {
        const auto dim = static_cast<size_t>(d);
        for (size_t l = 0; l < moved.size(); l++)
            moved[l] += stride * std::abs(load.coefficient[dim][l]);
        stride *= static_cast<double>(side(schedule, load.producer, dim));
    }
    return moved;
}

}  // namespace

double pages_asked_for(const Machine &machine, const LoopNest &schedule, const LoadGroup &load,
                       const InnerLoops &in) {
    if (load.gather || load.coefficient.empty()) return 0;
    const SmallVector<double, 8> step = steps(schedule, load);
    const auto page = static_cast<double>(machine.page_bytes);
    // How many times as many pages a loop touches as one of its iterations.
    const auto pages_over = [&](size_t loop, double iterations) {
        return std::max(1.0, iterations * std::min(1.0, step[loop] / page));
    };
    double pages = 1, bodies = 1;
    if (in.vector_dim >= 0) pages *= pages_over(static_cast<size_t>(in.vector_dim), in.lanes);
    for (const UnrolledLoop &u : in.unrolled) pages *= pages_over(u.dim, u.factor);
    for (const SerialLoop &loop : in.serial) {
        pages *= pages_over(loop.dim, loop.extent);
        bodies *= loop.extent;
        // When the walk starts again, the pages that it began with are forgotten.
        if (pages > machine.pages_remembered) return pages / bodies;
    }
    return 0;
}

}  // namespace cryolite
