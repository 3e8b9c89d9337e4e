// States of the beam and the choice of those that go on.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

struct BeamState {
    LoopNest nest;
    double seconds = 0;
};

// A hash of the structure of a state: where Funcs live, and the shape of their loops in powers of
// `coarseness` (4: very alike states fall together; 1: exact sizes).
uint64_t structure_hash(const LoopNest &nest, int coarseness);

// The `size` states that go on: half by cost alone, the others the best of each structure, so that
// states that differ in what matters later are not crowded out by near copies of the cheapest one
// (hierarchical sampling). Sorted by cost; ties by hash. Duplicates (equal decisions) are dropped
// and counted.
std::vector<BeamState> select(std::vector<BeamState> candidates, size_t size, int coarseness,
                              uint64_t *duplicates);

}  // namespace cryolite
