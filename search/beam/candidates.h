// Complete schedules that differ in structure, the cheapest of each: what a user who can measure chooses from.
//
// A structure is where Funcs are computed and stored, and the order and the kinds of their loops. Extents are no part
// of it: schedules that differ in a tile's size alone are one structure.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "search/beam/beam.h"

namespace cryolite {

class Candidates {
public:
    // wanted: how many schedules, the best included.
    explicit Candidates(size_t wanted) : wanted_(wanted) {}

    void add(const BeamState &complete);

    // The cheapest of other structures than that of `best`, the cheapest first: one fewer than wanted, or fewer.
    std::vector<LoopNest> beside(const LoopNest &best) const;

private:
    void drop_dearest();

    const size_t wanted_;
    std::unordered_map<uint64_t, BeamState> cheapest_;  // by structure
};

// Equal for schedules of one structure.
uint64_t whole_structure(const LoopNest &complete);

// Equal for schedules whose Funcs are computed and stored in the same loops' dimensions, with vectors along the same
// ones. Hill climbing seldom leaves such a structure: it changes one Func at a time.
uint64_t coarse_structure(const LoopNest &complete);

}  // namespace cryolite
