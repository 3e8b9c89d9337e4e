// The one way to change a schedule: an action is applied to a LoopNest, or refused with a reason.
#pragma once

#include <span>

#include "base/result.h"
#include "schedule/loop_nest.h"

namespace cryolite {

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

// Funcs are decided in id order, or in any order in which readers come first.
Result<LoopNest, Reason> apply(const LoopNest &nest, const Action &action);
// The same in place. False, and `nest` as it was, where the action is refused.
bool try_apply(LoopNest &nest, const Action &action);

// Applies all; on failure `failed_at` is the index of the refused action.
struct ReplayFailure {
    size_t failed_at;
    Reason reason;
};
Result<LoopNest, ReplayFailure> replay(const StageGraph &graph, std::span<const Action> trace);

}  // namespace cryolite
