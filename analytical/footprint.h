// How much memory a stage touches inside each loop around it.
#pragma once

#include <vector>

#include "analytical/expanded_stage.h"

namespace cryolite {

// Bytes of whole cache lines that a box of a Func covers: rows along the storage-innermost dimension
// start anywhere in a line.
double line_bytes(const Func &func, const Box &box, int line);

// How many runs of consecutive memory the box is made of: each is a new stream for the prefetchers.
double contiguous_runs(const Func &func, const Box &box);

// Carries a box of the stage's loops to the boxes of all that it reads. out[i] belongs to
// body.reads[i]. Ends that are unbounded are those of the producer's whole region.
class FootprintWalker {
public:
    explicit FootprintWalker(const StageGraph &graph) : graph_(graph) {}
    void walk(const ExpandedStage &body, const std::vector<Interval> &ranges,
              std::vector<Box> &out);

private:
    const StageGraph &graph_;
    std::vector<Box> inlined_;
    std::vector<Interval> loops_;
    Box box_;
};

}  // namespace cryolite
