// The memory of one Func that a stage touches: bytes, streams, and lines as a simulator counts them.
#pragma once

#include "featurize/counts/stage_work.h"

namespace cryolite {

// A Func that a stage reads, or its own Func as the stage writes it.
struct Target {
    Layout layout;
    const Box *stored;     // the region that the Func's storage holds
    int access_bytes = 1;  // a vector, if all accesses are of consecutive elements; else an element
    // The stage's loads of it; null for stores. If one of them has an unknown base, the boxes of the loads lie anywhere
    // in the whole box, once per iteration of the loops that change the base.
    const LoadsOfRead *loads = nullptr;
    const ExpandedStage *body = nullptr;
    // The loads, if they leave out rows between them; else null.
    const LoadGroup *skipping = nullptr;

    bool lies_anywhere() const { return loads && loads->gather; }
    // The share of the box's rows that the loads touch.
    double share_of_rows(const Box &box) const;
    // At most this share of the box's `runs` of memory: no more than the loads have one by one. Nine loads, each of
    // another plane and perhaps a row above or below, have nine runs and not three times nine.
    double share_of_loads(const Intervals &ranges, const Box &box, double runs) const;
};

// code: of the stage. read: index into its body's reads.
Target read_target(const StageCode &code, size_t read, const Layout &layout, const Box &stored);
Target written_target(const StageCode &code, const Layout &layout, const Box &stored);

class TouchedMemory {
public:
    explicit TouchedMemory(const Machine &machine);

    // Sets `out` to what one run over `ranges` of the stage's loops touches. The target's part of it is `box`. points:
    // the most points of the box that are touched. A strided read leaves most of the box out. rows: KernelWork::rows(),
    // which may grow. `out` is the caller's memory: a copy of what was just written stalls the search's innermost loop.
    // Returns the share of the box's lines that are touched.
    double count(const Target &target, const Intervals &ranges, const Box &box, double points,
                 std::vector<PlacedRows> &rows, Touched &out) const;

private:
    double known_lines(const Target &target, const Intervals &ranges, const Box &box, Touched &t,
                       std::vector<PlacedRows> &rows) const;

    const int line_;
    // Fewer lines never fill a set of any cache, wherever they lie. More lines fill every cache with sets whatever
    // their places are. A shared last level has no sets that matter: it hashes addresses.
    double fewest_placed_ = 0, most_placed_ = 0;
};

}  // namespace cryolite
