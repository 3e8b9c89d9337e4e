// How the elements that a reference touches lie in memory: in how many runs of neighbours, and how
// long these are. The thesis counts a tile's rows; this is what a row is for any affine reference.
//
// The row of an array is made of its first dimension and of those whose neighbours still lie within
// a cache line (the pixels of interleaved colours). Dimensions beyond tell rows apart. Within a
// row, steps of more than a line part it into runs; steps of two loops along the same dimension
// overlap (y + ky touches T_y + T_ky - 1 rows). A stencil's offsets widen the box, unless its loads
// one by one would be less.
#pragma once

#include <span>

#include "reference/locality/perfect_nest.h"

namespace cryolite::locality {

struct Runs {
    double count = 1;
    double bytes = 0;  // length of each, of the elements alone
};

class ReferenceRuns {
public:
    // A copy of what it needs: both arguments may go.
    ReferenceRuns(const PerfectNest &nest, const Reference &reference, int line_bytes);

    // Touched by a box of box[l] consecutive iterations of each loop l.
    Runs over(std::span<const int64_t> box) const;

    // Which part, 0 to 1, of the runs over `box` is new after `loop` has moved on by `step`. Along
    // the rows' dimensions that is step / box (all of it where the boxes do not overlap: always so
    // in the thesis's equations, which know no stencils). Along the row itself a prefetcher that
    // streams saves all misses but one, so that moving on by a line is a miss as if all were new;
    // by less, a miss in every line / step iterations.
    double renewed(size_t loop, int64_t step, std::span<const int64_t> box, bool streaming) const;

    bool moves_with(size_t loop) const { return moves_[loop]; }

private:
    struct Step {
        double size = 0;  // of the index, > 0
        size_t loop = 0;
    };
    // One dimension, or all that make the row.
    struct Axis {
        std::vector<Step> steps;  // smallest first
        double offset_span = 0;
        double extent = 1;
        double neighbour = 1;  // indices that far apart at most are in one run
    };
    struct Spread {
        double runs = 1, length = 1;
    };

    static void set_steps(Axis &axis, const std::vector<double> &coefficient);
    static Spread spread(const Axis &axis, std::span<const int64_t> box, bool with_offsets);
    static double hull(const Axis &axis, std::span<const int64_t> box);
    Runs over(std::span<const int64_t> box, bool with_offsets) const;

    double element_bytes_ = 1, line_bytes_ = 64, array_lines_ = 1, loads_ = 1;
    bool gather_ = false, has_offsets_ = false;
    std::vector<bool> moves_;  // per loop
    std::vector<Axis> axes_;   // the row first
};

}  // namespace cryolite::locality
