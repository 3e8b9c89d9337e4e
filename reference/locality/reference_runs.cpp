#include "reference/locality/reference_runs.h"

#include <algorithm>
#include <cmath>

namespace cryolite::locality {

ReferenceRuns::ReferenceRuns(const PerfectNest &nest, const Reference &reference, int line_bytes)
    : element_bytes_(reference.element_bytes),
      line_bytes_(line_bytes),
      loads_(reference.loads),
      gather_(reference.is_gather()) {
    for (size_t l = 0; l < nest.loops.size(); l++)
        moves_.push_back(locality::moves_with(reference, l));
    // Signed until all dimensions of the row are summed: a loop may walk two of them.
    const auto added = [&](std::vector<double> &sum, const IndexedDimension &d, double unit) {
        sum.resize(d.coefficient.size());
        for (size_t l = 0; l < sum.size(); l++) sum[l] += d.coefficient[l] * unit;
    };
    std::vector<double> row_coefficient;
    axes_.resize(1);
    axes_[0].neighbour = std::max(1.0, line_bytes_ / element_bytes_);
    double unit = 1;  // elements between neighbours of the dimension
    for (const IndexedDimension &d : reference.dims) {
        const auto extent = static_cast<double>(d.extent);
        has_offsets_ |= d.offset_span > 0;
        if (unit == 1 || unit * element_bytes_ < line_bytes_) {
            added(row_coefficient, d, unit);
            axes_[0].offset_span += d.offset_span * unit;
            axes_[0].extent *= extent;
        } else {
            std::vector<double> coefficient;
            added(coefficient, d, 1);
            Axis &axis = axes_.emplace_back();
            axis.offset_span = d.offset_span;
            axis.extent = extent;
            set_steps(axis, coefficient);
        }
        unit *= extent;
    }
    set_steps(axes_[0], row_coefficient);
    array_lines_ = std::max(1.0, std::ceil(unit * element_bytes_ / line_bytes_));
}

void ReferenceRuns::set_steps(Axis &axis, const std::vector<double> &coefficient) {
    for (size_t l = 0; l < coefficient.size(); l++)
        if (coefficient[l] != 0) axis.steps.push_back({std::abs(coefficient[l]), l});
    std::stable_sort(axis.steps.begin(), axis.steps.end(),
                     [](const Step &x, const Step &y) { return x.size < y.size; });
}

ReferenceRuns::Spread ReferenceRuns::spread(const Axis &axis, std::span<const int64_t> box,
                                            bool with_offsets) {
    double length = 1 + (with_offsets ? axis.offset_span : 0);
    // Runs so far: `inner` times `count`, these at every `unit`.
    double inner = 1, unit = 0, count = 1;
    for (const Step &s : axis.steps) {
        const auto n = static_cast<double>(box[s.loop]);
        if (n <= 1) continue;
        if (unit == 0 && s.size <= std::max(length, axis.neighbour)) {
            length += s.size * (n - 1);
        } else if (unit > 0 && s.size <= unit * count) {
            count += s.size / unit * (n - 1);
        } else {
            inner *= count;
            unit = s.size;
            count = n;
        }
    }
    Spread result;
    result.length = std::min(length, axis.extent);
    // No more than the array has; what is shorter than a line takes one.
    result.runs = std::min(inner * count,
                           std::max(1.0, axis.extent / std::max(result.length, axis.neighbour)));
    return result;
}

double ReferenceRuns::hull(const Axis &axis, std::span<const int64_t> box) {
    double length = 1 + axis.offset_span;
    for (const Step &s : axis.steps) length += s.size * static_cast<double>(box[s.loop] - 1);
    return length;
}

Runs ReferenceRuns::over(std::span<const int64_t> box, bool with_offsets) const {
    const Spread row = spread(axes_[0], box, with_offsets);
    Runs runs{row.runs, row.length * element_bytes_};
    for (size_t a = 1; a < axes_.size(); a++) {
        const Spread s = spread(axes_[a], box, with_offsets);
        runs.count *= s.runs * s.length;
    }
    if (!with_offsets) runs.count *= loads_;
    return runs;
}

Runs ReferenceRuns::over(std::span<const int64_t> box) const {
    if (gather_) {
        double touched = loads_;
        for (size_t l = 0; l < box.size(); l++)
            if (moves_[l]) touched *= static_cast<double>(box[l]);
        return {std::min(touched, array_lines_), element_bytes_};
    }
    const Runs whole = over(box, true);
    if (!has_offsets_) return whole;
    const Runs single = over(box, false);
    const auto bytes = [&](const Runs &r) { return r.count * std::max(r.bytes, line_bytes_); };
    return bytes(single) < bytes(whole) ? single : whole;
}

double ReferenceRuns::renewed(size_t loop, int64_t step, std::span<const int64_t> box,
                              bool streaming) const {
    if (!moves_[loop]) return 0;
    if (gather_) return 1;
    double kept = 1;
    for (size_t a = 0; a < axes_.size(); a++) {
        double moved = 0;
        for (const Step &s : axes_[a].steps)
            if (s.loop == loop) moved = s.size * static_cast<double>(step);
        if (moved == 0) continue;
        const double length = a > 0       ? hull(axes_[a], box)
                              : streaming ? axes_[a].neighbour
                                          : std::max(axes_[a].neighbour, hull(axes_[a], box));
        kept *= 1 - std::min(1.0, moved / length);
    }
    return 1 - kept;
}

}  // namespace cryolite::locality
