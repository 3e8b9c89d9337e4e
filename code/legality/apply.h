// The one way to change a schedule: apply() applies an action to a LoopNest, or refuses it with a reason.
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Why an action was refused. The search counts reasons; name() prints them.
enum class Reason : uint8_t {
    AlreadyDecided,     // the Func has a placement
    ConsumerUndecided,  // a reader of the Func has none yet
    NotInlinable,
    RootOnly,
    LockedByUser,
    EnclosedByUser,  // the site is outside of a loop in which the user has placed one of the Func's producers
    NoSuchLoop,
    OutsideConsumers,      // compute_at a loop that does not contain all readers
    InsideVectorOrUnroll,  // compute_at a vectorised or unrolled loop
    PredicateLost,  // compute_at a loop of an update whose predicate limits the reads of an input
    GuardLostInSplit,   // between the guard of a split and loops inside, in another guarded split
    GuardLostInFusion,  // too deep inside fused loops of which one is guarded
    OverreachesClampedLoop,  // around a clamped loop: Halide would need more than there is, see clamped_loops.h
    OverreachesSharedLoop,   // around what shares loops: likewise, see companions.h
    StoreInsideCompute,      // store_at is not compute_at or a loop around it
    ParallelBetween,         // a parallel loop between store_at and compute_at, or at compute_at
    LoopsBetween,            // more loops than compute_at's own between store_at and compute_at
    BesideWindow,            // in a window's loop, but neither feeds nor reads the window
    WindowOnUnevenLoop,      // the loop's last part is shifted or guarded: Halide would not slide
    WindowOvershoots,        // filling the window would compute and read more than is needed
    FeedsConditionalWindow,  // Halide cannot tell how the window moves, and would not slide
    NoWindow,                // stored outside of compute_at, but there is no sliding window
    StorageKept,             // the storage may not be reordered, or is reordered and may not slide
    NotPlaced,               // loop changes to a Func that has no loops
    LoopsInUse,              // loop changes after a producer was placed inside
    BadTile,                 // spans not positive, not dividing, or not smaller than the extent
    NotReorderable,          // reduction loops that must keep their order
    NotAPermutation,
    NotVectorizable,  // reduction loop, racing loop, a second vector loop, or width < 2
    NotConstant,      // unrolling a loop whose extent is not a constant
    NotParallelizable,
    NotMappable,  // blocks or threads need one to three directly nested serial loops without a race;
    // blocks must be at root without a guard between them; threads need constant extents
    BetweenMapped,  // compute_at a loop around or between blocks, or between threads
    InsideKernel,   // a parallel or vector loop, blocks, threads in threads, or a sliding window
    EmptyOnDevice,  // a Func in a kernel that has to stay on the host, see gpu_kernels.h
    UnboundedInKernel,  // storage in shared memory or registers that grows with a size
    UnpaddedInKernel,   // more than one narrow scalar in shared memory, see gpu_kernels.h
    NotATileKernel,  // no product's lead, or beside what such a kernel computes: see tile_kernels.h
    NoCompanion,     // compute_with a loop that the Func cannot share, see companions.h
    OverwrittenInKernel,  // Halide would reuse shared memory too early, see gpu_kernels.h
    Count
};
const char *name(Reason reason);

// Funcs may be decided in any order in which readers come first, such as id order.
Result<LoopNest, Reason> apply(const LoopNest &nest, const Action &action);
// The same in place, which is faster. Returns why the action was refused, and leaves `nest` unchanged then.
std::optional<Reason> apply_in_place(LoopNest &nest, const Action &action);
// The same for who does not ask why. False: it was refused.
bool try_apply(LoopNest &nest, const Action &action);

// The index of the refused action, and why it was refused.
struct ReplayFailure {
    size_t failed_at;
    Reason reason;
};
Result<LoopNest, ReplayFailure> replay(const StageGraph &graph, std::span<const Action> trace);

}  // namespace cryolite
