// How much memory a stage touches inside each loop around it.
#pragma once

#include <span>
#include <vector>

#include "code/stage/expanded_stage.h"
#include "machine/machine.h"

namespace cryolite {

// How the points of a Func lie in memory.
struct Layout {
    int bytes_per_point = 1;
    std::span<const int> order;  // dimensions, the innermost first

    Layout(const Func &func)  // as the graph has it; lives as long
        : bytes_per_point(func.bytes_per_point()), order(func.storage_order) {}
    // As the schedule has it; lives as long.
    Layout(const LoopNest &nest, FuncId f)
        : bytes_per_point(nest.graph().func(f).bytes_per_point()), order(nest.storage_order(f)) {}
};

// What a box of a Func takes of memory, where `stored` is the region that its storage holds.
struct BoxInMemory {
    double points = 0;
    double line_bytes = 0;       // see line_bytes()
    double contiguous_runs = 1;  // see contiguous_runs()
};
BoxInMemory box_in_memory(const Layout &layout, const Box &box, const Box &stored, int line);

// How many runs of consecutive memory a box of a Func is made of, where `stored` is the region that
// its storage holds. Gaps of a few lines do not end a run: prefetchers read across them.
double contiguous_runs(const Layout &layout, const Box &box, const Box &stored);

// Bytes of whole cache lines that the box covers: runs start anywhere in a line.
double line_bytes(const Layout &layout, const Box &box, const Box &stored, int line);

// How many accesses of `access_bytes` along the rows of the box find a cache line that none before
// them has: exactly where rows start on lines, as storage does; else on average over where in a line
// they start. An access across the end of a line asks for both and counts once, as in a simulator.
// Unlike line_bytes, which charges half of the parts of lines at the ends of rows, since neighbouring
// boxes often share them: whoever knows whether they do wants them whole.
// starts_anywhere: where in a line a row starts is not known, wherever the box says that it does.
double touched_lines(const Layout &layout, const Box &box, const Box &stored, int line,
                     double access_bytes, bool starts_anywhere = false);

// How lines share the sets of a cache. [n]: of all the lines, the share of those that are n to a set,
// themselves included; [ways + 1]: of those that are more than the set can hold.
using SetLoads = std::vector<double>;
// Of the box, by the addresses that its rows have in its storage: rows a multiple of a power of two
// apart, or nearly so, meet in a few sets.
SetLoads set_loads(const Layout &layout, const Box &box, const Box &stored,
                   const CacheLevel &cache);
// Of so many lines that lie in all sets alike.
SetLoads even_loads(double lines, const CacheLevel &cache);
int64_t sets_of(const CacheLevel &cache);

// What the box takes of a cache that finds its lines by their address, in bytes: more than `bytes`, its
// line_bytes, where rows lie a multiple of some power of two apart, so that all of them compete for the
// ways of a few sets. `cache` is the first level, whose sets are told apart by the offset within a page;
// where that offset is the same the sets of larger private caches collide as well, whatever the
// physical pages are. Shared last levels spread addresses by a hash.
double occupied_bytes(const Layout &layout, const Box &box, const Box &stored, double bytes,
                      const CacheLevel &cache);

// The box that the loads of a group touch together over `ranges` of the stage's loops, with their unknown
// bases standing still. Only its extents are known: it is put at the lower end of `hull`, the box of all
// that the stage reads of the producer, and inside it.
Box box_of_group(const LoadGroup &group, const Intervals &ranges, const Box &hull);

// Carries a box of the stage's loops to the boxes of all that it reads. out[i] belongs to
// body.reads[i]. Ends that are unbounded are those of the producer's whole region.
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
