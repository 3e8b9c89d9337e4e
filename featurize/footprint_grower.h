// What footprints of one access and unions of several are made of: steps through memory, and the bytes and lines
// that they touch.
#pragma once

#include <vector>

#include "featurize/gpu_access.h"

namespace cryolite {

// How one loop moves an access.
struct MemoryWalk {
    int64_t bytes;  // of a step, backwards if negative
    int64_t extent;
    bool inside;  // else it only says where the others may start
};

// The loops of the mapping. inside: one flag for each of them.
std::vector<MemoryWalk> walks_of(const GpuMapping &mapping, const GpuAccess &access,
                                 const std::vector<bool> &inside);
// Bytes at which the loads of the first iteration start.
std::vector<int64_t> starts_of(const GpuAccess &access);

// Elements that start at `starts` in the first iteration of all walks.
GpuFootprint touched_by(int64_t element_bytes, std::vector<int64_t> starts,
                        const std::vector<MemoryWalk> &walks);

// An allocation holds no more than its bytes. 0: its size is not known.
GpuFootprint no_more_than(GpuFootprint footprint, double allocation_bytes);

// Loads at loaded indices, in so many iterations.
GpuFootprint gathered(const GpuAccess &access, double iterations);

}  // namespace cryolite
