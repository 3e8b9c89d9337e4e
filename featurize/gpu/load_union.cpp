// The footprint of several loads together.
#include <algorithm>

#include "featurize/counts/footprint_grower.h"
#include "featurize/gpu/access.h"

namespace cryolite {
namespace {

// Accesses of one buffer that differ in their constants alone: all loops move them alike. x / 2 and (x + 1) / 2 are two
// phases of one walk.
struct Phases {
    GpuAccess first;  // with the offsets of all
    std::vector<int64_t>
        highest;  // per fraction: its largest offset; first.fractions has the least
    std::vector<GpuFootprint> each;

    bool holds(const GpuAccess &a) const {
        if (a.buffer != first.buffer || a.gather != first.gather || a.strides != first.strides ||
            a.host_walks != first.host_walks || a.fractions.size() != first.fractions.size())
            return false;
        for (size_t i = 0; i < a.fractions.size(); i++) {
            const GpuFraction &f = a.fractions[i], &g = first.fractions[i];
            if (f.step != g.step || f.divisor != g.divisor || f.strides != g.strides) return false;
        }
        return true;
    }

    void add(const GpuAccess &a) {
        first.offsets.insert(first.offsets.end(), a.offsets.begin(), a.offsets.end());
        for (size_t i = 0; i < a.fractions.size(); i++) {
            highest[i] = std::max(highest[i], a.fractions[i].offset);
            first.fractions[i].offset = std::min(first.fractions[i].offset, a.fractions[i].offset);
        }
    }
};

// Bytes from the first to the last that a set of accesses touches.
struct Hull {
    int64_t begin = 0, end = 0;
};

// Collects the loads of one buffer. A byte that several of them load counts once.
class LoadUnion {
public:
    LoadUnion(const GpuMapping &mapping, const std::vector<bool> &inside)
        : mapping_(mapping), inside_(inside), hosts_(mapping.host_loops.size()) {
        for (size_t l = 0; l < inside.size(); l++)
            if (inside[l])
                iterations_ *= static_cast<double>(l < hosts_ ? mapping.host_loops[l]
                                                              : mapping.loops[l - hosts_].extent);
    }

    void add(const GpuAccess &a) {
        const GpuFootprint by_itself = alone(a);
        for (Phases &p : all_) {
            if (!p.holds(a)) continue;
            p.add(a);
            p.each.push_back(by_itself);
            return;
        }
        Phases &p = all_.emplace_back(Phases{a, {}, {by_itself}});
        for (const GpuFraction &f : a.fractions) p.highest.push_back(f.offset);
    }

    GpuFootprint run() const {
        std::vector<Part> parts;
        for (const Phases &p : all_) parts.push_back(part_of(p));
        std::ranges::sort(parts, {}, [](const Part &p) { return p.hull.begin; });
        GpuFootprint sum;
        for (size_t first = 0; first < parts.size();) {
            // Parts that overlap are no more than their hull, if the loops outside move them alike.
            Part all = parts[first];
            size_t next = first + 1;
            while (next < parts.size() && all.has_hull && parts[next].has_hull &&
                   parts[next].outside == all.outside && parts[next].hull.begin <= all.hull.end) {
                all.hull.end = std::max(all.hull.end, parts[next].hull.end);
                all.touched.bytes += parts[next].touched.bytes;
                all.touched.lines += parts[next].touched.lines;
                next++;
            }
            if (next > first + 1) {
                const int64_t length = all.hull.end - all.hull.begin;
                all.touched.bytes = std::min(all.touched.bytes, static_cast<double>(length));
                all.touched.lines = std::min(
                    all.touched.lines,
                    static_cast<double>((length - 2 + gpu_line_bytes) / gpu_line_bytes + 1));
            }
            sum.bytes += all.touched.bytes;
            sum.lines += all.touched.lines;
            first = next;
        }
        return no_more_than(sum, all_.empty() ? 0 : all_[0].first.allocation_bytes);
    }

private:
    struct Part {
        GpuFootprint touched;
        bool has_hull =
            false;  // its place in memory is known, but for the movement by loops outside
        Hull hull;
        std::vector<int64_t> outside;  // elements by which each loop outside moves it
    };

    int64_t extent(size_t l) const { return mapping_.loops[l].extent; }

    std::vector<MemoryWalk> walks_of_host(const GpuAccess &a) const {
        std::vector<MemoryWalk> walks;
        for (const GpuHostWalk &w : a.host_walks)
            walks.push_back({w.step * a.element_bytes, w.positions, inside_[w.loop]});
        return walks;
    }

    GpuFootprint alone(const GpuAccess &a) const {
        if (a.gather) return gathered(a, iterations_);
        std::vector<MemoryWalk> walks = walks_of_host(a);
        const std::vector<bool> in_kernel(inside_.begin() + static_cast<std::ptrdiff_t>(hosts_),
                                          inside_.end());
        for (const MemoryWalk &w : walks_of(mapping_, a, in_kernel)) walks.push_back(w);
        return touched_by(a.element_bytes, starts_of(a), walks);
    }

    // Adds all phases of a fraction as one walk, from their first position to their last.
    void add_fraction(const Phases &p, size_t i, std::vector<MemoryWalk> &walks,
                      int64_t &start) const {
        const GpuFraction &f = p.first.fractions[i];
        const int64_t whole = f.step * p.first.element_bytes;
        const int64_t spread = p.highest[i] - f.offset;
        std::vector<size_t> parts_inside;  // loops that move the fraction by parts of an element
        bool parts_outside = false;
        for (size_t l = 0; l < f.strides.size(); l++) {
            if (extent(l) <= 1 || f.strides[l] == 0) continue;
            const bool inside = inside_[hosts_ + l];
            if (f.strides[l] % f.divisor == 0)
                walks.push_back({f.strides[l] / f.divisor * whole, extent(l), inside});
            else if (inside)
                parts_inside.push_back(l);
            else
                parts_outside = true;
        }
        if (parts_outside) walks.push_back({whole, 1, false});
        int64_t low = f.offset, high = p.highest[i], moved = spread;
        for (size_t l : parts_inside) {
            const int64_t by = f.strides[l] * (extent(l) - 1);
            (by < 0 ? low : high) += by;
            moved += std::abs(by);
        }
        // Loops outside that move the fraction by parts of an element may add one position.
        const int64_t count =
            parts_outside ? (moved + f.divisor - 1) / f.divisor + 1
                          : floor_divide(high, f.divisor) - floor_divide(low, f.divisor) + 1;
        if (count > 1) walks.push_back({whole, count, true});
        start += floor_divide(low, f.divisor) * whole;
    }

    Part part_of(const Phases &p) const {
        Part part;
        for (const GpuFootprint &f : p.each) {
            part.touched.bytes += f.bytes;
            part.touched.lines += f.lines;
        }
        const GpuAccess &a = p.first;
        if (a.gather) return part;
        std::vector<MemoryWalk> walks = walks_of_host(a);
        int64_t start = 0;
        for (size_t l = 0; l < a.strides.size(); l++)
            if (extent(l) > 1 && a.strides[l] != 0)
                walks.push_back({a.strides[l] * a.element_bytes, extent(l), inside_[hosts_ + l]});
        for (size_t i = 0; i < a.fractions.size(); i++) add_fraction(p, i, walks, start);
        std::vector<int64_t> starts;
        for (int64_t o : a.offsets) starts.push_back(start + o * a.element_bytes);
        const GpuFootprint together = touched_by(a.element_bytes, starts, walks);
        part.touched.bytes = std::min(part.touched.bytes, together.bytes);
        part.touched.lines = std::min(part.touched.lines, together.lines);
        part.has_hull = a.fractions.empty();
        part.hull = hull_of(a.element_bytes, starts, walks);
        for (size_t l = 0; l < a.strides.size(); l++)
            part.outside.push_back(inside_[hosts_ + l] || extent(l) <= 1 ? 0 : a.strides[l]);
        for (const GpuHostWalk &w : a.host_walks)
            if (!inside_[w.loop]) part.has_hull = false;
        return part;
    }

    static Hull hull_of(int64_t element, const std::vector<int64_t> &starts,
                        const std::vector<MemoryWalk> &walks) {
        Hull hull{*std::ranges::min_element(starts), *std::ranges::max_element(starts) + element};
        for (const MemoryWalk &w : walks)
            if (w.inside) (w.bytes < 0 ? hull.begin : hull.end) += w.bytes * (w.extent - 1);
        return hull;
    }

    const GpuMapping &mapping_;
    const std::vector<bool> &inside_;
    const size_t hosts_;
    double iterations_ = 1;
    std::vector<Phases> all_;
};

}  // namespace

std::map<int, GpuFootprint> unions_of_loads(const GpuMapping &mapping, GpuMemory memory,
                                            const std::vector<bool> &inside) {
    std::map<int, LoadUnion> loads;
    for (const GpuAccess &a : mapping.accesses)
        if (!a.is_store && a.memory == memory)
            loads.try_emplace(a.buffer, mapping, inside).first->second.add(a);
    std::map<int, GpuFootprint> unions;
    for (const auto &[buffer, of_buffer] : loads) unions[buffer] = of_buffer.run();
    return unions;
}

GpuFootprint union_of_loads(const GpuMapping &mapping, GpuMemory memory,
                            const std::vector<bool> &inside) {
    GpuFootprint sum;
    for (const auto &[buffer, f] : unions_of_loads(mapping, memory, inside)) {
        sum.bytes += f.bytes;
        sum.lines += f.lines;
    }
    return sum;
}

}  // namespace cryolite
