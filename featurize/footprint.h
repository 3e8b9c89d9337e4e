// How much memory a stage touches inside each loop around it.
#pragma once

#include <vector>

#include "featurize/expanded_stage.h"
#include "machine/machine.h"

namespace cryolite {

// How many runs of consecutive memory a box of a Func is made of, where `stored` is the region that
// its storage holds. Gaps of a few lines do not end a run: prefetchers read across them.
double contiguous_runs(const Func &func, const Box &box, const Box &stored);

// Bytes of whole cache lines that the box covers: runs start anywhere in a line.
double line_bytes(const Func &func, const Box &box, const Box &stored, int line);

// What the box takes of a cache that finds its lines by their address, in bytes: more than `bytes`, its
// line_bytes, where rows lie a multiple of some power of two apart, so that all of them compete for the
// ways of a few sets. `cache` is the first level, whose sets are told apart by the offset within a page;
// where that offset is the same the sets of larger private caches collide as well, whatever the
// physical pages are. Shared last levels spread addresses by a hash.
double occupied_bytes(const Func &func, const Box &box, const Box &stored, double bytes,
                      const CacheLevel &cache);

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
