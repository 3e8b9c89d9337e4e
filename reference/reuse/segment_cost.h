// What a segment with given tiles and levels stores, computes and loads: equations 5.1-5.13 of the
// thesis (1-13 of the TACO paper) for any pipeline. The equations are written for the 3x3 blur;
// here their terms are boxes from the region programs: T_x (T_y + v_y) is the box of the producer
// that one iteration at its level needs, B_x B_y / (T_x T_y) how often that level runs.
//
// Over the text: sizes that the tile does not divide count exactly, with smaller last tiles; costs
// are in operations (points times the operations of a point), so that stages can be added up.
#pragma once

#include <vector>

#include "reference/reuse/options.h"
#include "reference/reuse/stage_fusion.h"

namespace cryolite::reuse {

// One Func of a segment over the whole pipeline's run.
struct StageCost {
    double computed_points = 0;  // Cp in points (5.3); every use of an inlined Func computes again
    double root_points = 0;      // C_root in points (5.4)
    double operations = 0;       // the same two in operations, reduction loops included
    double root_operations = 0;
    // Cl (5.5, 5.6, 5.13): loads of what is computed outside of the segment; what is computed
    // inside has just been produced and lies in a cache.
    double loads = 0;

    // Bytes of one buffer, 0 if inlined. Stored: all that one iteration at the store level needs
    // (5.1, 5.8). Folded: the circular buffer that is left of it (5.9, 5.12); the same if none is.
    double stored_bytes = 0;
    double folded_bytes = 0;
    bool slides = false;  // computed in one loop and stored outside of it, with points kept
    // What its reads from outside take of a cache over one iteration at the store level (5.7, 5.10)
    // and at the compute level (5.11).
    double input_bytes = 0;
    double folded_input_bytes = 0;
};

struct SegmentCost {
    std::vector<StageCost> members;  // as Segment::members
    StageCost output;
    // Per thread. Computed and stored at one level: consumed at once, must fit L2. Folded: read by
    // later iterations, must fit the last level.
    double unfolded_bytes = 0;
    double folded_bytes = 0;
    // Sum over all stages of w * Cl + Cp - C_root, the innermost line of algorithm 6. The text sums
    // up to the output and excludes it; it is included here, as it loads what other segments store:
    // otherwise a segment of one stage would cost nothing at any tile size and splitting, which the
    // text says adds external loads, would be free. Its Cp - C_root is 0.
    double total = 0;
};

SegmentCost segment_cost(const SegmentRegions &regions, const TiledNest &nest,
                         const std::vector<StageLevels> &levels, const CacheBudget &machine,
                         const Options &options);

// Section 5.4: unfolded buffers fit L2 and folded ones the last level.
bool fits(const SegmentCost &cost, const CacheBudget &machine);

}  // namespace cryolite::reuse
