// How far an arena of malloc grows for blocks that live one after another.
#pragma once

#include <cstddef>
#include <span>

namespace cryolite {

struct HeapBlock {
    double bytes = 0;
    size_t begin = 0, end = 0;  // steps: allocated before `begin` runs, freed before `end` does
};

// The bytes up to the end of the highest block. Each block goes to the lowest gap that holds it, in the order of
// `blocks`, whose begins ascend. A block that is larger than the gaps of those freed before goes on top of them.
double heap_extent(std::span<const HeapBlock> blocks);

}  // namespace cryolite
