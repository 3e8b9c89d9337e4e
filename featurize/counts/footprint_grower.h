// The common part of footprints of one access and of several: steps through memory, and the bytes and lines that they
// touch.
#pragma once

#include <vector>

#include "featurize/gpu/access.h"

namespace cryolite {

// The steps of one loop through memory.
struct MemoryWalk {
    int64_t bytes;  // of a step, backwards if negative
    int64_t extent;
    bool inside;  // false: the loop stands anywhere, and moves the start of the footprint
};

// The loops of the mapping. inside: one flag for each of them.
std::vector<MemoryWalk> walks_of(const GpuMapping &mapping, const GpuAccess &access,
                                 const std::vector<bool> &inside);
// The bytes at which the accesses of the first iteration start.
std::vector<int64_t> starts_of(const GpuAccess &access);

// The footprint of elements that start at `starts` in the first iteration of all walks.
GpuFootprint touched_by(int64_t element_bytes, std::vector<int64_t> starts,
                        const std::vector<MemoryWalk> &walks);

// The footprint, cut to what the allocation holds. allocation_bytes 0: its size is unknown.
GpuFootprint no_more_than(GpuFootprint footprint, double allocation_bytes);

// The footprint of loads at loaded indices, over so many iterations.
GpuFootprint gathered(const GpuAccess &access, double iterations);

}  // namespace cryolite
