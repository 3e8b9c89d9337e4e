// The state of a schedule: for every Func decided so far, where it lives and which loops its stages have.
// A LoopNest is persistent: an array of shared, immutable FuncNests. Applying an action makes a new LoopNest that
// shares every FuncNest but the changed one, and nearly all of the array. The tree of loops follows from
// compute_at, by which a Func knows its parent; so placing a Func copies no ancestor. Each Func also has a list
// of the Funcs that are computed in its loops (its guests).
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
    int64_t extent = 1;      // iterations at the estimates (the first of a dimension rounds up)
    int64_t span = 1;        // points of the dimension that one iteration covers
    int32_t woven = 1;       // of a vector loop: see action::Vectorize
    bool is_joined = false;  // of an unrolled loop: see action::Join
};

// See action::TensorTile.
struct TileKernel {
    StageId product;
    tensorcore::Tile tile;
    bool operator==(const TileKernel &) const = default;
};

using LoopLevels = SmallVector<LoopLevel, 8>;

struct StageNest {
    StageId stage;
    LoopLevels loops;  // outermost first
    Intervals range;   // per loop of Stage::loops: what one realisation computes, at the estimates
    bool in_kernel = false;  // its Func is computed in another Func's blocks or threads
    // It shares loops with a Func that does not read it and that it does not read: see action::ComputeWith. True of
    // both.
    bool has_company = false;
    std::optional<TileKernel> tile_kernel;  // that takes the place of the loops
};

enum class Placement : uint8_t { Inline, Root, At };

// Bounds of a box's sides, in points.
using SideBounds = SmallVector<int64_t, 6>;

// One Func's part of the schedule. Immutable once inside a LoopNest.
struct FuncNest {
    FuncId func;
    Placement placement = Placement::Root;
    std::optional<LoopName> compute_at;  // set when placement is At
    std::optional<LoopName> store_at;    // nullopt with At: stored at root
    bool is_companion = false;  // At a loop whose Func does not read it: action::ComputeWith
    std::vector<int>
        leader_dims;     // of a companion: per dimension, the leader's that it shares; -1: none
    Box compute_region;  // needed by one iteration of compute_at, in mid-image
    Box store_region;    // allocated: needed by one iteration of store_at
    SideBounds storage_bound;        // of compute_region; see code/regions/storage_bounds.h
    std::vector<int> storage_order;  // like Func::storage_order; empty: the same
    // See LoopNest::storage_order(); empty: the order above.
    std::vector<int> address_order;
    std::vector<StageNest> stages;  // parallel to Func::stages; empty if inlined
    // Sliding window: the Func's dimension along which one iteration of compute_at only adds new points, and how
    // many. -1: there is none.
    int slide_dim = -1;
    int64_t slide_step = 0;
    bool slide_is_clamped = false;  // see is_slide_clamped() in code/regions/regions.h
    bool slide_grows = false;       // see Slide there
    uint64_t hash = 0;              // hash_of() the decisions above
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
    // Hash of the decisions, whatever the order in which they were taken.
    uint64_t hash() const { return hash_; }

    const StageNest &stage_nest(StageId s) const;
    // The Func's dimensions as they lie in memory, the innermost first: as decided, else Func::storage_order. If one
    // point of the innermost is stored, at any size, such dimensions come last: neighbours in the next are neighbours
    // in memory, and the compiler knows.
    const std::vector<int> &storage_order(FuncId f) const;
    // Position of a loop in its stage's nest; -1 if there is none.
    int position(LoopName loop) const;

    // `loop` and all loops around it, outermost first, through all enclosing Funcs.
    std::vector<LoopName> enclosing(LoopName loop) const;

    // Replaces one FuncNest. For apply(), which checks legality first.
    void set(std::shared_ptr<const FuncNest> nest);
    // A copy in which one FuncNest is replaced.
    LoopNest with(std::shared_ptr<const FuncNest> nest) const;

    // A copy in which one Func is undecided again. Until it is decided anew, Funcs computed in its loops must be
    // undecided, too.
    LoopNest without(FuncId f) const;

    // Calls visit(f) for every Func whose FuncNest is another object than in `other`, a nest of the same graph.
    // The time depends on the number of changes, not of Funcs: shared parts of the arrays are skipped.
    template <typename Visit>
    void for_each_unshared(const LoopNest &other, Visit visit) const {
        funcs_.for_each_unshared(other.funcs_, [&](size_t i) {
            if (funcs_[i].nest != other.funcs_[i].nest) visit(FuncId(i));
        });
    }

private:
    struct Slot {
        std::shared_ptr<const FuncNest> nest;  // null: undecided, or an input
        std::shared_ptr<const std::vector<FuncId>>
            guests;  // Funcs computed in its loops; null: none
    };
    // Update the guests of the Func in whose loops `nest` is computed, if any.
    void add_guest(const FuncNest &nest);
    void remove_guest(const FuncNest &nest);
    // Sets StageNest::has_company of a Func that leads companions, or does no longer.
    void mark_company(size_t leader, bool has_company);

    const StageGraph *graph_;
    SharedArray<Slot> funcs_;
    size_t num_decided_ = 0;
    uint64_t hash_ = 0;
};

// The canonical trace that rebuilds this LoopNest: equal LoopNests have equal traces.
Trace trace_of(const LoopNest &nest);
// The part of it that decides one Func: first its place, then its loops.
Trace trace_of(const LoopNest &nest, FuncId f);

}  // namespace cryolite
