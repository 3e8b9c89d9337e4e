#include "reference/locality/classification.h"

#include <algorithm>

namespace cryolite::locality {
namespace {

std::vector<bool> indices_of(const PerfectNest &nest, bool inputs) {
    std::vector<bool> used(nest.loops.size(), false);
    for (const Reference &r : nest.references) {
        if (inputs ? !r.reads : !r.writes) continue;
        for (size_t l = 0; l < used.size(); l++)
            used[l] = used[l] || (nest.loops[l].bound > 1 && moves_with(r, l));
    }
    return used;
}

// Walked without gaps by the output's column loop, by itself at every point; or not walked by it.
bool is_contiguous(const Reference &r, size_t column) {
    if (r.is_gather() || r.loads > 1) return false;
    const double stride = *stride_bytes(r, column);
    return stride == 0 || stride == r.element_bytes;
}

}  // namespace

const char *name(Locality locality) {
    switch (locality) {
        case Locality::Temporal: return "temporal";
        case Locality::Spatial: return "spatial";
        case Locality::Contiguous: return "contiguous";
        case Locality::Unoptimised: return "unoptimised";
    }
    return "?";
}

bool is_transposed(const PerfectNest &nest, const Reference &reference, int line_bytes) {
    if (nest.loops.empty() || reference.is_gather()) return false;
    if (*stride_bytes(reference, column_loop(nest)) < line_bytes) return false;
    for (size_t l = 0; l < nest.loops.size(); l++) {
        const double stride = *stride_bytes(reference, l);
        if (nest.loops[l].bound > 1 && stride > 0 && stride < line_bytes) return true;
    }
    return false;
}

Locality classify(const PerfectNest &nest, int line_bytes) {
    const auto reads = [](const Reference &r) { return r.reads; };
    if (std::none_of(nest.references.begin(), nest.references.end(), reads) || nest.loops.empty())
        return Locality::Contiguous;
    if (indices_of(nest, true) != indices_of(nest, false)) return Locality::Temporal;
    const size_t column = column_loop(nest);
    bool contiguous = true;
    for (const Reference &r : nest.references) {
        if (is_transposed(nest, r, line_bytes)) return Locality::Spatial;
        contiguous = contiguous && is_contiguous(r, column);
    }
    return contiguous ? Locality::Contiguous : Locality::Unoptimised;
}

bool output_is_reused(const PerfectNest &nest) {
    for (const Reference &w : nest.references) {
        if (!w.writes) continue;
        for (size_t l = 0; l < nest.loops.size(); l++)
            if (nest.loops[l].bound > 1 && !moves_with(w, l)) return true;
        for (const Reference &r : nest.references)
            if (r.reads && r.array == w.array) return true;
    }
    return false;
}

bool use_nontemporal_stores(const PerfectNest &nest, const Machine &machine) {
    if (nest.loops.empty() || machine.caches.empty() || output_is_reused(nest)) return false;
    const size_t column = column_loop(nest);
    double bytes = 0;
    for (const Reference &r : nest.references) {
        if (!r.writes) continue;
        if (r.is_gather() || *stride_bytes(r, column) != r.element_bytes) return false;
        double array = r.element_bytes;
        for (const IndexedDimension &d : r.dims) array *= static_cast<double>(d.extent);
        bytes += array;
    }
    return bytes > static_cast<double>(machine.caches.back().size_bytes);
}

}  // namespace cryolite::locality
