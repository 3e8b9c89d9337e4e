// Which loops reuse what a Func has computed: the sets W of the thesis, section 5.4. Between
// neighbouring iterations of a loop of its reader, the box of the Func that one iteration needs
// moves by some points (stride s, fractional for upsampling) and is e points long: v = e - s points
// overlap.
#pragma once

#include <vector>

#include "reference/reuse/segment_regions.h"

namespace cryolite::reuse {

// How a box moves from one iteration of a loop to the next.
struct Motion {
    std::vector<double> step;     // per dimension: points per iteration, >= 0
    std::vector<int64_t> extent;  // per dimension: the longest of the boxes looked at
    bool moves = false;
    bool forward = true;  // no dimension moves backwards
};
Motion motion_of(const std::vector<Box> &at_consecutive_iterations);

// One pair E = (x, v) of a producer and one of its readers.
struct Overlap {
    int loop = 0;           // of the reader, index into Stage::loops
    double points = 0;      // v; along the dimension that overlaps least where several move
    double iterations = 0;  // how many further iterations still read a point: v / s
    bool full = false;      // the box does not move at all; `iterations` is the loop's extent - 1
};
// Along one edge: per loop of the reading stage with any overlap. Reduction loops inside the loop
// in question run completely, as a kernel does, and all other loops stand still.
std::vector<Overlap> overlaps(const StageGraph &graph, const Edge &edge);

// The same, put in iterations of the driver's loops.
struct DriverOverlap {
    int loop = 0;           // of the driver, index into Stage::loops
    double iterations = 0;  // of the driver's loop: the v of eq. 5.15
    bool full = false;
    // Halide can keep the overlap: the box moves forward in one dimension that every stage of the
    // Func walks point by point.
    bool slides = false;
};
struct MemberOverlaps {
    bool any = false;  // W is not empty, even if no loop of the driver corresponds
    std::vector<DriverOverlap> along;
    // Per loop of the driver: the one dimension of the member that it moves; -1: none or several.
    std::vector<int> moved_dim;
};
// One per member. Overlap counts towards a Func's direct readers in the segment (thesis); the loops
// of readers in between are followed to the loops of the driver that move them. The text looks
// indices up by name, which says nothing about Funcs whose dimensions are named or ordered
// otherwise.
std::vector<MemberOverlaps> member_overlaps(const SegmentRegions &regions);

}  // namespace cryolite::reuse
