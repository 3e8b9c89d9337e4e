// The memory of one Func that a stage touches: bytes, streams, and lines as a simulator counts them.
#pragma once

#include "featurize/stage_work.h"

namespace cryolite {

// A Func that a stage reads, or its own Func as the stage writes it.
struct Target {
    const Func *func;
    Layout layout;
    const Box *stored;     // the region that the Func's storage holds
    double loads = 0;      // per point of the stage; 0 for stores
    int access_bytes = 1;  // a vector, if all accesses are of consecutive elements; else an element
    SmallVector<const LoadGroup *, 4> groups = {};  // the stage's loads of it; none for stores
    // Whether a load has an unknown base. The boxes of the loads then lie anywhere in the whole box, once per iteration
    // of the loops that change the base.
    bool anywhere = false;
    // Whether loads walk in different directions, such as a(k, x) and a(k, y): their hull has lines that none of them
    // reads.
    bool moves_apart = false;
    // The loads, if they leave out rows between them; else null.
    const LoadGroup *skipping = nullptr;

    // The share of the box's rows that the loads touch.
    double share_of_rows(const Box &box) const;
};

// w: at least its code is known.
Target read_target(const StageWork &w, const Func &producer, const Layout &layout,
                   const Box &stored);
Target written_target(const StageWork &w, const Func &func, const Layout &layout,
                      const Box &stored);

class TouchedMemory {
public:
    explicit TouchedMemory(const Machine &machine);

    // Sets `out` to what one run over `ranges` of the stage's loops touches. The target's part of it is `box`. points:
    // the most points of the box that are touched. A strided read leaves most of the box out. rows: KernelWork::rows(),
    // which may grow. (The caller's memory, not a value: copies of it just written were a tenth of a search.)
    void count(const Target &target, const Intervals &ranges, const Box &box, double points,
               std::vector<PlacedRows> &rows, Touched &out) const;

private:
    double known_lines(const Target &target, const Intervals &ranges, const Box &box, Touched &t,
                       std::vector<PlacedRows> &rows) const;

    const int line_;
    // Fewer lines never fill a set of any cache, wherever they lie. More lines fill every cache with sets whatever their
    // places are. A shared last level has no sets that matter: it hashes addresses.
    double fewest_placed_ = 0, most_placed_ = 0;
};

}  // namespace cryolite
