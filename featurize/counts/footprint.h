// How much memory a stage touches inside each loop around it.
#pragma once

#include <span>
#include <vector>

#include "code/stage/expanded_stage.h"
#include "featurize/counts/layout.h"

namespace cryolite {

// The memory that a box of a Func takes. `stored`: the region that the Func's storage holds.
struct BoxInMemory {
    double points = 0;
    double line_bytes = 0;       // see line_bytes()
    double contiguous_runs = 1;  // see contiguous_runs()
};
BoxInMemory box_in_memory(const Layout &layout, const Box &box, const Box &stored, int line);

// The number of runs of consecutive memory in a box of a Func. `stored`: the region that the Func's storage holds.
// Gaps of a few lines do not end a run: prefetchers read across them.
double contiguous_runs(const Layout &layout, const Box &box, const Box &stored);

// Bytes of whole cache lines that the box covers. Runs start anywhere in a line.
double line_bytes(const Layout &layout, const Box &box, const Box &stored, int line);

// The number of accesses of `access_bytes`, along the rows of the box, that touch a cache line for the first time. The
// number is exact where rows start on lines, as storage does. Elsewhere it is a mean over all starts in a line. An
// access across the end of a line touches two lines and counts once, as in a simulator.
// line_bytes() counts half of the lines at the ends of rows, since neighbouring boxes often share such a line. This
// function counts them whole, for callers that know what boxes share.
// starts_anywhere: rows start at unknown places in a line, whatever the box says.
double touched_lines(const Layout &layout, const Box &box, const Box &stored, int line,
                     double access_bytes, bool starts_anywhere = false);

// The box that the loads of a group touch together over `ranges` of the stage's loops, for one value of their unknown
// bases. Only its extents are known. It is put at the lower end of `hull`, the box of all that the stage reads of the
// producer, and is cut to it.
Box box_of_group(const LoadGroup &group, const Intervals &ranges, const Box &hull);

// Finds the boxes that a stage reads over a box of its loops. out[i] belongs to body.reads[i]. An unbounded end becomes
// the end of the producer's whole region.
class FootprintWalker {
public:
    explicit FootprintWalker(const StageGraph &graph) : graph_(graph) {}
    void walk(const ExpandedStage &body, const Intervals &ranges, std::vector<Box> &out);

private:
    const StageGraph &graph_;
    std::vector<Box> inlined_;
    Intervals loops_;
    Box box_;
};

}  // namespace cryolite
