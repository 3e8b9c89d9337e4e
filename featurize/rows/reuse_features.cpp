// Chapter 5 of the thesis, for any stage in any schedule: storage with and without folding, points computed more than
// once, and loads from outside of the kernel. The kernel stands for the thesis's segment.
#include <algorithm>

#include "featurize/rows/cpu_features.h"
#include "featurize/thesis/equations.h"

namespace cryolite {
namespace {

// Points of the sliding window over the points that one production computes of it. 1: nothing slides.
double window_over_step(const FuncNest &nest) {
    if (nest.slide_dim < 0) return 1;
    const auto window =
        static_cast<double>(nest.compute_region[static_cast<size_t>(nest.slide_dim)].extent());
    return std::max(1.0, window / static_cast<double>(std::max<int64_t>(1, nest.slide_step)));
}

void buffer_features(const StageContext &c) {
    const FuncNest &nest = *c.member.nest;
    const Box &box = nest.placement == Placement::At ? nest.store_region : c.func.root_region;
    const double stored = box_bytes(c.func, box);
    c.at(Feature::unfolded_bytes) = stored;
    c.at(Feature::window_bytes) = stored;
    // A window that grows needs all of its points.
    if (nest.slide_dim < 0 || nest.slide_grows) return;
    const auto d = static_cast<size_t>(nest.slide_dim);
    const auto kept = static_cast<double>(nest.compute_region[d].extent());
    const auto all = static_cast<double>(std::max<int64_t>(1, box[d].extent()));
    c.at(Feature::window_bytes) = stored * std::min(1.0, kept / all);
}

void recomputation_features(const StageContext &c) {
    const double again =
        std::max(0.0, c.at(Feature::points_computed) - c.at(Feature::points_required));
    c.at(Feature::recomputed_points) = again;
    const double operations =
        c.work.code->body->operations_and_loads - c.at(Feature::expanded_loads);
    c.at(Feature::recomputed_operations) = again * std::max(0.0, operations);
}

void outside_features(const StageContext &c) {
    const double productions = c.at(Feature::productions) * c.member.fill;
    double per_production = 0;
    for (const Accesses &a : c.work.reads) {
        if (c.kernel.members().contains(a.producer)) continue;
        const Func &producer = c.graph.func(a.producer);
        const Touched &t = a.touched[c.levels.production];
        const double points = t.unique_bytes / producer.bytes_per_point();
        const double run_bytes = t.unique_bytes / std::max(1.0, t.streams);
        const std::vector<int> &order = c.kernel.nest().storage_order(producer.id);
        const double row_bytes =
            order.empty() ? 0
                          : static_cast<double>(
                                producer.root_region[static_cast<size_t>(order[0])].extent()) *
                                producer.bytes_per_point();
        const bool streamed = thesis::is_streamed(run_bytes, row_bytes, c.machine.line_bytes());
        c.at(Feature::outside_loads) += points * productions;
        c.at(Feature::outside_loads_streamed) +=
            (streamed ? std::min(points, t.streams) : points) * productions;
        c.at(Feature::outside_bytes) += a.touched[c.levels.realisation].unique_bytes;
        per_production += t.unique_bytes;
    }
    c.at(Feature::outside_window_bytes) =
        std::min(c.at(Feature::outside_bytes), per_production * window_over_step(*c.member.nest));
}

}  // namespace

void reuse_features(const StageContext &c) {
    buffer_features(c);
    recomputation_features(c);
    outside_features(c);
}

}  // namespace cryolite
