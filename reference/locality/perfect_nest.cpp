#include "reference/locality/perfect_nest.h"

#include <cmath>
#include <limits>

namespace cryolite::locality {

std::string defect_of(const PerfectNest &nest) {
    for (const NestLoop &l : nest.loops) {
        if (l.bound < 1)
            return "loop " + l.name + " has " + std::to_string(l.bound) + " iterations";
    }
    bool writes = false;
    for (const Reference &r : nest.references) {
        const std::string where = "the reference to " + r.array;
        if (r.element_bytes < 1)
            return where + " has elements of " + std::to_string(r.element_bytes) + " bytes";
        if (!r.reads && !r.writes) return where + " neither reads nor writes";
        if (!(r.loads >= 1)) return where + " touches less than one element";
        if (r.is_gather() && r.gathered_over.size() != nest.loops.size())
            return where + " does not say for every loop whether it gathers over it";
        for (const IndexedDimension &d : r.dims) {
            if (d.coefficient.size() != nest.loops.size())
                return where + " has " + std::to_string(d.coefficient.size()) +
                       " coefficients in a nest of " + std::to_string(nest.loops.size()) + " loops";
            if (d.extent < 1) return where + " has a dimension without extent";
            if (!(d.offset_span >= 0) || !std::isfinite(d.offset_span))
                return where + " has offsets that are not finite";
            for (double c : d.coefficient)
                if (!std::isfinite(c)) return where + " has a coefficient that is not finite";
        }
        writes |= r.writes;
    }
    return writes ? "" : "nothing is written";
}

std::optional<double> stride_bytes(const Reference &reference, size_t loop) {
    if (reference.is_gather()) {
        if (reference.gathered_over[loop]) return std::nullopt;
        return 0;
    }
    double stride = 0, unit = reference.element_bytes;
    for (const IndexedDimension &d : reference.dims) {
        stride += d.coefficient[loop] * unit;
        unit *= static_cast<double>(d.extent);
    }
    return std::abs(stride);
}

bool moves_with(const Reference &reference, size_t loop) {
    if (reference.is_gather()) return reference.gathered_over[loop];
    for (const IndexedDimension &d : reference.dims)
        if (d.coefficient[loop] != 0) return true;
    return false;
}

size_t column_loop(const PerfectNest &nest) {
    const auto column_of = [&](const Reference &r) {
        std::optional<size_t> column;
        double smallest = std::numeric_limits<double>::infinity();
        for (size_t l = 0; l < nest.loops.size(); l++) {
            const std::optional<double> stride = stride_bytes(r, l);
            if (nest.loops[l].bound < 2 || !stride || *stride == 0 || *stride >= smallest) continue;
            smallest = *stride;
            column = l;
        }
        return column;
    };
    for (const bool written : {true, false}) {
        for (const Reference &r : nest.references) {
            if (r.writes != written) continue;
            if (const std::optional<size_t> column = column_of(r)) return *column;
        }
    }
    return 0;
}

Tiling make_tiling(const PerfectNest &nest, std::span<const int64_t> tile,
                   std::span<const size_t> inter, std::span<const size_t> intra) {
    Tiling tiling;
    for (size_t l : inter)
        if (tile[l] < nest.loops[l].bound) tiling.levels.push_back({l, tile[l]});
    tiling.first_intra = tiling.levels.size();
    for (size_t l : intra)
        if (tile[l] > 1) tiling.levels.push_back({l, 1});
    return tiling;
}

Tiling untiled(const PerfectNest &nest) {
    Tiling tiling;
    for (size_t l = nest.loops.size(); l-- > 0;)
        if (nest.loops[l].bound > 1) tiling.levels.push_back({l, 1});
    return tiling;
}

namespace {

// What the levels outside of `level` leave of a loop.
int64_t enclosing_span(const PerfectNest &nest, const Tiling &tiling, size_t level) {
    const size_t loop = tiling.levels[level].loop;
    for (size_t q = level; q-- > 0;)
        if (tiling.levels[q].loop == loop) return tiling.levels[q].span;
    return nest.loops[loop].bound;
}

}  // namespace

double iterations(const PerfectNest &nest, const Tiling &tiling, size_t level) {
    return static_cast<double>(enclosing_span(nest, tiling, level)) /
           static_cast<double>(tiling.levels[level].span);
}

std::vector<int64_t> box_of(const PerfectNest &nest, const Tiling &tiling, int level) {
    std::vector<int64_t> box;
    box.reserve(nest.loops.size());
    for (const NestLoop &l : nest.loops) box.push_back(l.bound);
    for (int q = 0; q <= level; q++) {
        const NestLevel &l = tiling.levels[static_cast<size_t>(q)];
        box[l.loop] = l.span;
    }
    return box;
}

bool keeps_order(const PerfectNest &nest, const Tiling &tiling) {
    size_t last = nest.loops.size();
    for (const NestLevel &l : tiling.levels) {
        if (nest.loops[l.loop].reorderable) continue;
        if (l.loop > last) return false;
        last = l.loop;
    }
    return true;
}

}  // namespace cryolite::locality
