// Where each Func of a segment is computed and where it is stored: algorithms 4 and 5 of the
// thesis, which pick one point of the space in which all but a few are dominated (section 5.3).
#pragma once

#include <vector>

#include "reference/reuse/overlap.h"
#include "reference/reuse/tiled_nest.h"

namespace cryolite::reuse {

// The tuple S of a member. Levels are those of the driver's nest; root_level(): outside of all
// loops.
struct StageLevels {
    bool inlined = true;
    int compute = 0;
    int store = 0;  // compute, or one level further out: a sliding window along loop `compute`
    bool operator==(const StageLevels &) const = default;
};

// Algorithm 4, "stage fusion analysis", one result per member. No overlap with a reader: inlined.
// Otherwise computed at the outermost loop inside a tile along which it overlaps and stored one
// level further out. Computed one level further out as well (so that it does not slide) where that
// loop
//  - is the vectorised one or inside it: nothing else can be computed there, and data would be read
//    along columns (min(D) of the text);
//  - is a reduction loop or offers full reuse: no iteration would add anything (the text says so of
//    reduction loops; a loop that the Func does not depend on is no different);
//  - moves it in a way that Halide cannot slide along.
// Overlap along loops that the driver lacks: at the innermost level. So is what must not be
// inlined.
std::vector<StageLevels> fuse_stages(const SegmentRegions &regions,
                                     const std::vector<MemberOverlaps> &overlaps,
                                     const TiledNest &nest);

// Algorithm 5, "inline trivial stages". Producers that were inlined into a stage which now vanishes
// get its levels, unless they are trivial themselves; looked for through trivial ones in between.
void inline_trivial_stages(const SegmentRegions &regions, std::vector<StageLevels> &levels);

// A Func's readers must run inside the loop that it is computed at. The text leaves open that two
// stages of a chain can be given levels in the wrong order: the producer then moves out to its
// reader.
void respect_readers(const SegmentRegions &regions, std::vector<StageLevels> &levels);

// All three.
std::vector<StageLevels> stage_levels(const SegmentRegions &regions,
                                      const std::vector<MemberOverlaps> &overlaps,
                                      const TiledNest &nest);

}  // namespace cryolite::reuse
