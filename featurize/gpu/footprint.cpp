#include <algorithm>
#include <numeric>

#include "featurize/counts/footprint_grower.h"
#include "featurize/gpu/access.h"

namespace cryolite {
namespace {

// The most positions that a fraction takes along loop l. The number is exact unless another loop makes the fraction
// start between elements.
int64_t positions(const GpuMapping &mapping, const GpuFraction &f, size_t l) {
    const int64_t stride = f.strides[l], last = mapping.loops[l].extent - 1;
    for (size_t other = 0; other < f.strides.size(); other++)
        if (other != l && mapping.loops[other].extent > 1 && f.strides[other] % f.divisor != 0)
            return (std::abs(stride) * last + f.divisor - 1) / f.divisor + 1;
    return std::abs(floor_divide(f.offset + stride * last, f.divisor) -
                    floor_divide(f.offset, f.divisor)) +
           1;
}

}  // namespace

std::vector<MemoryWalk> walks_of(const GpuMapping &mapping, const GpuAccess &access,
                                 const std::vector<bool> &inside) {
    std::vector<MemoryWalk> walks;
    for (size_t l = 0; l < mapping.loops.size(); l++) {
        const int64_t extent = mapping.loops[l].extent;
        if (extent <= 1) continue;
        if (access.strides[l] != 0)
            walks.push_back({access.strides[l] * access.element_bytes, extent, inside[l]});
        for (const GpuFraction &f : access.fractions) {
            const int64_t whole = f.step * access.element_bytes, stride = f.strides[l];
            if (stride == 0) continue;
            if (stride % f.divisor == 0)
                walks.push_back({stride / f.divisor * whole, extent, inside[l]});
            else
                walks.push_back({stride < 0 ? -whole : whole, positions(mapping, f, l), inside[l]});
        }
    }
    return walks;
}

namespace {

struct Step {
    int64_t bytes;  // > 0
    int64_t extent;
};

// The walks inside, shortest step first.
std::vector<Step> steps_of(const std::vector<MemoryWalk> &walks) {
    std::vector<Step> steps;
    for (const MemoryWalk &w : walks)
        if (w.inside && w.extent > 1 && w.bytes != 0)
            steps.push_back({std::abs(w.bytes), w.extent});
    std::sort(steps.begin(), steps.end(),
              [](const Step &a, const Step &b) { return a.bytes < b.bytes; });
    return steps;
}

// Grows the set of touched memory loop by loop, shortest step first. The set is a pattern of bytes_ distinct bytes
// inside span_, repeated at starts_.
class FootprintGrower {
public:
    // starts: the bytes at which the accesses of the first iteration start.
    FootprintGrower(int64_t element_bytes, std::vector<int64_t> starts,
                    const std::vector<MemoryWalk> &walks)
        : starts_(std::move(starts)), span_(element_bytes), bytes_(static_cast<double>(span_)) {
        // The set starts where loops that run backwards end.
        int64_t backwards = 0;
        for (const MemoryWalk &w : walks) {
            if (!w.inside)
                outside_ = std::gcd(outside_, w.bytes);
            else if (w.bytes < 0)
                backwards += w.bytes * (w.extent - 1);
        }
        for (int64_t &s : starts_) s += backwards;
        std::sort(starts_.begin(), starts_.end());
        starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
        steps_ = steps_of(walks);
    }

    GpuFootprint run() {
        for (size_t i = 0; i < steps_.size(); i++) absorb(i);
        GpuFootprint out;
        out.bytes = bytes_ * static_cast<double>(starts_.size());
        // Patterns less than a line apart share lines.
        for (size_t first = 0; first < starts_.size();) {
            size_t last = first;
            while (last + 1 < starts_.size() &&
                   starts_[last + 1] - starts_[last] - span_ < gpu_line_bytes)
                last++;
            const int64_t hull = starts_[last] - starts_[first] + span_;
            out.lines += std::min(lines_ * static_cast<double>(last + 1 - first),
                                  hull_lines(starts_[first], hull, steps_.size()));
            first = last + 1;
        }
        return out;
    }

private:
    void absorb(size_t i) {
        const Step &step = steps_[i];
        // Starts whole steps apart, without a gap, continue each other's rows. All rows count as long as the
        // longest one.
        int64_t extent = step.extent;
        std::vector<int64_t> rows;
        int64_t first = 0, last = 0;
        for (int64_t s : starts_) {
            const bool continues = !rows.empty() && (s - last) % step.bytes == 0 &&
                                   s - last <= step.extent * step.bytes;
            if (!continues) {
                rows.push_back(s);
                first = s;
            }
            last = s;
            extent = std::max(extent, step.extent + (last - first) / step.bytes);
        }
        starts_ = std::move(rows);
        const auto times = static_cast<double>(extent);
        span_ += step.bytes * (extent - 1);
        bytes_ = std::min(bytes_ * times, static_cast<double>(span_));
        double lines = 0;
        for (int64_t s : starts_) lines = std::max(lines, hull_lines(s, span_, i + 1));
        lines_ = std::min(lines_ * times, lines);
    }

    // The most lines that `span` bytes from `start` on touch, wherever the loops outside and the loops not yet
    // absorbed stand.
    double hull_lines(int64_t start, int64_t span, size_t absorbed) const {
        int64_t alignment = std::gcd(gpu_line_bytes, outside_);
        for (size_t i = absorbed; i < steps_.size(); i++)
            alignment = std::gcd(alignment, steps_[i].bytes);
        const int64_t worst = gpu_line_bytes - alignment + positive_modulo(start, alignment);
        return static_cast<double>((worst + span - 1) / gpu_line_bytes + 1);
    }

    std::vector<int64_t> starts_;
    std::vector<Step> steps_;
    int64_t outside_ = 0;  // loops outside move the set by multiples of this
    int64_t span_;
    double bytes_;
    double lines_ = 1;  // an element never lies in two lines
};

}  // namespace

GpuFootprint touched_by(int64_t element_bytes, std::vector<int64_t> starts,
                        const std::vector<MemoryWalk> &walks) {
    return FootprintGrower(element_bytes, std::move(starts), walks).run();
}

std::vector<int64_t> starts_of(const GpuAccess &access) {
    int64_t start = 0;
    for (const GpuFraction &f : access.fractions)
        start += f.step * floor_divide(f.offset, f.divisor);
    std::vector<int64_t> starts;
    for (int64_t o : access.offsets) starts.push_back((o + start) * access.element_bytes);
    return starts;
}

GpuFootprint no_more_than(GpuFootprint f, double allocation_bytes) {
    if (allocation_bytes <= 0) return f;
    f.bytes = std::min(f.bytes, allocation_bytes);
    f.lines = std::min(f.lines, allocation_bytes / gpu_line_bytes + 2);
    return f;
}

// A load touches an element and a line.
GpuFootprint gathered(const GpuAccess &access, double iterations) {
    const double loads = static_cast<double>(access.offsets.size()) * iterations;
    return no_more_than({loads * access.element_bytes, loads}, access.allocation_bytes);
}

GpuFootprint footprint(const GpuMapping &mapping, const GpuAccess &access,
                       const std::vector<bool> &inside) {
    if (!access.gather)
        return touched_by(access.element_bytes, starts_of(access),
                          walks_of(mapping, access, inside));
    double iterations = 1;
    for (size_t l = 0; l < mapping.loops.size(); l++)
        if (inside[l]) iterations *= static_cast<double>(mapping.loops[l].extent);
    return gathered(access, iterations);
}

double contiguous_bytes(const GpuMapping &mapping, const GpuAccess &access,
                        const std::vector<bool> &inside) {
    int64_t run = access.element_bytes;
    if (access.gather) return static_cast<double>(run);
    for (const Step &s : steps_of(walks_of(mapping, access, inside))) {
        if (s.bytes > run) break;
        run += s.bytes * (s.extent - 1);
    }
    return static_cast<double>(run);
}

}  // namespace cryolite
