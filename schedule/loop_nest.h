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

#include "base/result.h"
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

// Why an action was refused. Counted by the search, printed by name().
enum class Reason : uint8_t {
    AlreadyDecided,     // the Func has a placement
    ConsumerUndecided,  // a reader of the Func has none yet
    NotInlinable,
    RootOnly,
    LockedByUser,
    EnclosedByUser,  // outside of the loop that a user has placed one of its producers in
    NoSuchLoop,
    OutsideConsumers,      // compute_at a loop that does not contain all readers
    InsideVectorOrUnroll,  // compute_at a vectorised or unrolled loop
    PredicateLost,         // inside an update under a predicate that an input has to be read under
    GuardLostInFusion,     // too deep inside fused loops of which one is guarded
    OverreachesClampedLoop,  // around a clamped loop: more would be asked for than there is, see clamped_loops.h
    StoreInsideCompute,  // store_at is not compute_at or a loop around it
    ParallelBetween,     // a parallel loop between store_at and compute_at, or at compute_at
    LoopsBetween,        // more loops than compute_at's own between store_at and compute_at
    BesideWindow,        // in a window's loop, without feeding the window or reading it
    WindowOnUnevenLoop,  // the loop's last part is shifted or guarded: Halide would not slide
    WindowOvershoots,    // filling the window would compute, and read, more than is needed
    FeedsClampedWindow,  // Halide cannot tell how the window moves, and would not slide
    NoWindow,            // stored outside of compute_at, and nothing slides
    StorageKept,         // reordering what is not stored in the loop that it is computed in
    NotPlaced,           // loop changes to a Func that has no loops
    LoopsInUse,          // loop changes after a producer was placed inside
    BadTile,             // spans not positive, not dividing, or not smaller than the extent
    NotReorderable,      // reduction loops that must keep their order
    NotAPermutation,
    NotVectorizable,  // reduction loop, racing loop, a second vector loop, or width < 2
    NotConstant,      // unrolling a loop whose extent is not a constant
    NotParallelizable,
    NotMappable,  // blocks or threads: not one to three serial loops without a race, one directly
    // in another; blocks not at root or with a guard between; threads of no constant extent
    BetweenMapped,  // compute_at a loop around or between blocks, or between threads
    InsideKernel,   // a parallel or vector loop, blocks, threads in threads, or a sliding window
    EmptyOnDevice,  // a kernel of what has to stay on the host, see gpu_kernels.h
    UnboundedInKernel,  // storage that grows with a size, in shared memory or registers
    UnpaddedInKernel,   // a second value narrower than another in shared memory, see gpu_kernels.h
    OverwrittenInKernel,  // shared memory given to another one too early, see gpu_kernels.h
    Count
};
const char *name(Reason reason);

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

    // The loops, innermost first, inside which all readers of `f` lie, so that f may be computed
    // there: Halide's legal sites. Empty: root is the only site.
    std::vector<LoopName> legal_sites(FuncId f) const;

    // The loops around and including `loop`, outermost first, through all enclosing Funcs.
    std::vector<LoopName> enclosing(LoopName loop) const;

    // The box of `f` that one iteration of `loop` needs (nullopt: the whole pipeline), with the
    // enclosing loops in mid-range. All readers of f must be decided.
    Box required_region(FuncId f, std::optional<LoopName> loop) const;

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

// The one way to change a schedule. Funcs are decided in id order or any order in which readers
// come first.
Result<LoopNest, Reason> apply(const LoopNest &nest, const Action &action);
// The same in place. False, and `nest` as it was, where the action is refused.
bool try_apply(LoopNest &nest, const Action &action);

// Applies all; on failure `failed_at` is the index of the refused action.
struct ReplayFailure {
    size_t failed_at;
    Reason reason;
};
Result<LoopNest, ReplayFailure> replay(const StageGraph &graph, std::span<const Action> trace);

// The trace that rebuilds this LoopNest: canonical, so that two equal LoopNests have equal traces.
Trace trace_of(const LoopNest &nest);
// The part of it that decides one Func: its place first, then its loops.
Trace trace_of(const LoopNest &nest, FuncId f);

// What must hold of any LoopNest; an empty string if it does, else what does not. For tests and
// debug builds.
std::string validate(const LoopNest &nest);

}  // namespace cryolite
