// How much of every Func of a segment some iterations of the output's loops need: region programs,
// walked from the output to what it reads, readers first.
#pragma once

#include <span>
#include <vector>

#include "reference/reuse/segment.h"

namespace cryolite::reuse {

class SegmentRegions {
public:
    SegmentRegions(const StageGraph &graph, Segment segment);

    const StageGraph &graph() const { return graph_; }
    const Segment &segment() const { return segment_; }
    // Local numbers: members first, in the segment's order, then what is read from outside of it.
    size_t num_members() const { return segment_.members.size(); }
    size_t num_funcs() const { return funcs_.size(); }
    const Func &func(size_t local) const { return graph_.func(funcs_[local]); }
    // -1: neither a member nor read by the segment (the output itself, too).
    int local(FuncId f) const { return local_[f.index()]; }

    // One question: nothing is needed, then stages pass on what they need. Box::empty() intervals:
    // not needed at all.
    class Walk {
    public:
        explicit Walk(const SegmentRegions &regions);
        void clear();
        // Grows the boxes of what the stage reads (its own Func excepted).
        void stage_runs(StageId stage, std::span<const Interval> loops);
        // All stages of a member that computes `box`.
        void member_computes(size_t local, const Box &box);
        // A member whose readers have all passed on: its box, grown to what its updates touch.
        const Box &finish(size_t local);
        const Box &box(size_t local) const { return boxes_[local]; }
        bool needed(size_t local) const { return needed_[local]; }

    private:
        const SegmentRegions &regions_;
        std::vector<Box> boxes_;
        std::vector<char> needed_;
        Intervals loops_;
        Box side_;
    };

    // All members and all that they read, for one box of the driver's loops, nothing kept from
    // before.
    void walk_all(Walk &walk, std::span<const Interval> driver_loops) const;

private:
    const StageGraph &graph_;
    Segment segment_;
    std::vector<FuncId> funcs_;
    std::vector<int> local_;
};

}  // namespace cryolite::reuse
