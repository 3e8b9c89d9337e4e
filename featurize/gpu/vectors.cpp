#include "featurize/gpu/vectors.h"

#include <algorithm>

namespace cryolite {
namespace {

// The widest load or store of a lane.
constexpr int64_t vector_bytes = 16;

// Whether vectors of `width` neighbours along `loop` begin at multiples of `width` elements.
bool is_aligned(const GpuMapping &mapping, const GpuAccess &access, size_t loop, int64_t width) {
    for (size_t l = 0; l < mapping.loops.size(); l++)
        if (l != loop && access.strides[l] % width != 0) return false;
    return access.offsets[0] % width == 0 && mapping.loops[loop].extent % width == 0;
}

void join_neighbours(const GpuMapping &mapping, GpuAccess &access) {
    if (access.memory != GpuMemory::Shared || access.gather || !access.fractions.empty() ||
        access.offsets.size() != 1)
        return;
    for (size_t l = 0; l < mapping.loops.size(); l++) {
        if (mapping.loops[l].role != GpuLoopRole::Unrolled || access.strides[l] != 1) continue;
        for (int64_t width = vector_bytes / access.element_bytes; width > access.joined; width /= 2)
            if (is_aligned(mapping, access, l, width)) {
                access.joined = width;
                access.joined_loop = l;
            }
    }
}

}  // namespace

void join_neighbours(GpuMapping &mapping) {
    for (GpuAccess &a : mapping.accesses) join_neighbours(mapping, a);
}

GpuMapping of_vectors(const GpuMapping &mapping, const GpuAccess &access) {
    GpuMapping m = mapping;
    GpuAccess vectors = access;
    m.loops[access.joined_loop].extent /= access.joined;
    vectors.element_bytes *= static_cast<int>(access.joined);
    vectors.offsets[0] /= access.joined;
    for (size_t l = 0; l < vectors.strides.size(); l++)
        if (l != access.joined_loop) vectors.strides[l] /= access.joined;
    vectors.joined = 1;
    m.accesses = {std::move(vectors)};
    return m;
}

}  // namespace cryolite
