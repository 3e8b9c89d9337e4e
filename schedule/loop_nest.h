// The state of a schedule: for every Func decided so far, where it lives and which loops its stages
// have. Persistent: a LoopNest is an array of shared, immutable FuncNests; applying an action makes
// a new LoopNest that shares every FuncNest but the one that changed, and nearly all of the array. The
// tree of loops is implied by compute_at references (a child knows its parent), so that placing a Func
// copies no ancestor; of each Func it is noted who is computed in its loops.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/shared_array.h"
#include "base/small_vector.h"
#include "graph/stage_graph.h"
#include "schedule/action.h"

namespace cryolite {

enum class LoopKind : uint8_t { Serial, Parallel, Vectorized, Unrolled, GpuBlock, GpuThread };

struct LoopLevel {
    LoopName name;
    LoopKind kind = LoopKind::Serial;
    int64_t extent = 1;  // iterations at the estimates (the first of a dimension rounds up)
    int64_t span = 1;    // points of the dimension that one iteration covers
};

using LoopLevels = SmallVector<LoopLevel, 8>;

struct StageNest {
    StageId stage;
    LoopLevels loops;        // outermost first
    Intervals range;         // of Stage::loops, over one realisation, at the estimates
    bool in_kernel = false;  // its Func is computed in another one's blocks or threads
};

enum class Placement : uint8_t { Inline, Root, At };

// Of a Func's sides, in points.
using SideBounds = SmallVector<int64_t, 6>;

// One Func's part of the schedule. Immutable once inside a LoopNest.
struct FuncNest {
    FuncId func;
    Placement placement = Placement::Root;
    std::optional<LoopName> compute_at;  // set when placement is At
    std::optional<LoopName> store_at;    // nullopt with At: stored at root
    Box compute_region;                  // needed by one iteration of compute_at, in mid-image
    Box store_region;                    // allocated: needed by one iteration of store_at
    SideBounds storage_bound;            // of compute_region's sides; see storage_bounds.h
    std::vector<int> storage_order;      // as Func::storage_order; empty: that one
    std::vector<StageNest> stages;       // as Func::stages; empty when inlined
    // Sliding window: the Func's dimension along which one iteration of compute_at only adds new
    // points, and how many. -1: none.
    int slide_dim = -1;
    int64_t slide_step = 0;
    bool slide_is_clamped = false;  // see regions.h
    uint64_t hash = 0;              // of all decisions above
};

class LoopNest {
public:
    // Nothing decided. The graph must outlive the LoopNest.
    explicit LoopNest(const StageGraph &graph);

    const StageGraph &graph() const { return *graph_; }
    bool decided(FuncId f) const { return funcs_[f.index()].nest != nullptr; }
    const FuncNest &at(FuncId f) const { return *funcs_[f.index()].nest; }
    const std::shared_ptr<const FuncNest> &share(FuncId f) const { return funcs_[f.index()].nest; }
    // Funcs whose compute_at is a loop of `f`, in id order.
    std::span<const FuncId> computed_in(FuncId f) const {
        const auto &guests = funcs_[f.index()].guests;
        return guests ? std::span<const FuncId>(*guests) : std::span<const FuncId>();
    }
    bool complete() const { return num_decided_ == graph_->num_scheduled(); }
    size_t num_decided() const { return num_decided_; }
    // Of the decisions, not of the path that led to them.
    uint64_t hash() const { return hash_; }

    const StageNest &stage_nest(StageId s) const;
    // The Func's dimensions as they lie in memory, the innermost first: as decided, else its own.
    const std::vector<int> &storage_order(FuncId f) const;
    // Position of a loop in its stage's nest; -1 if there is none.
    int position(LoopName loop) const;

    // The loops around and including `loop`, outermost first, through all enclosing Funcs.
    std::vector<LoopName> enclosing(LoopName loop) const;

    // A copy in which one Func is replaced; used by apply().
    LoopNest with(std::shared_ptr<const FuncNest> nest) const;

    // A copy in which one Func is undecided again. What is computed in its loops must be, too, until
    // it is applied anew.
    LoopNest without(FuncId f) const;

    // Calls visit(f) for every Func whose part may differ from that in `other`, of the same graph:
    // no more than the Funcs beside those that do differ.
    template <typename Visit>
    void for_each_unshared(const LoopNest &other, Visit visit) const {
        funcs_.for_each_unshared(other.funcs_, [&](size_t i) {
            if (funcs_[i].nest != other.funcs_[i].nest) visit(FuncId(i));
        });
    }

private:
    struct Slot {
        std::shared_ptr<const FuncNest> nest;               // null: undecided (inputs stay null)
        std::shared_ptr<const std::vector<FuncId>> guests;  // computed in its loops; null: none
    };
    // Where the Func of `nest` is computed now.
    void add_guest(const FuncNest &nest);
    void remove_guest(const FuncNest &nest);

    const StageGraph *graph_;
    SharedArray<Slot> funcs_;
    size_t num_decided_ = 0;
    uint64_t hash_ = 0;
};

// The trace that rebuilds this LoopNest: canonical, so that two equal LoopNests have equal traces.
Trace trace_of(const LoopNest &nest);
// The part of it that decides one Func: its place first, then its loops.
Trace trace_of(const LoopNest &nest, FuncId f);

}  // namespace cryolite
