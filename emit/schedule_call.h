// The scheduling calls of a complete LoopNest as data: what emission executes on Halide's Funcs and
// what it prints, made by one walk so that the two cannot differ. Free of Halide, so that the walk
// is tested without compiling a pipeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "code/stage/split_tails.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// A Var or RVar by its name in Halide.
struct LoopVariable {
    std::string name;
    bool is_reduction = false;
    auto operator<=>(const LoopVariable &) const = default;
};

struct ScheduleCall {
    enum class Method : uint8_t {
        ComputeRoot,
        ComputeAt,    // at the loop variables[0] of `site`
        ComputeWith,  // the leader's loops down to variables[0] of `site`
        StoreRoot,
        StoreAt,
        StoreInPool,     // see code/kernel/pooled_storage.h
        ReorderStorage,  // innermost first
        BoundStorage,    // of variables[0] by `factor`
        AlignStorage,    // of variables[0] to multiples of `factor`
        AlignBounds,     // likewise
        Split,           // variables: old, outer, inner
        Reorder,         // innermost first, as Halide has it
        Fuse,            // variables: inner, outer, fused
        Rename,          // variables: old, new
        Parallel,
        Atomic,               // said of an update before a reduction loop of it is vectorised
        AllowRaceConditions,  // likewise, where there is none (graph/facts/races.h) but Halide does not see it
        Vectorize,
        Unroll,
        GpuBlocks,  // innermost first, likewise the next
        GpuThreads,
        Specialize,      // opens the arrangement for sizes that hold `whole_parts`
        NeverPartition,  // its loop variables[0], or all, is not cut into middle and ends
        Unscheduled,     // said of an update whose loops stay as they are, else Halide warns
    };
    // RoundUp computes beyond the end; GuardWithIf never does; ShiftInwards computes the last part
    // again from further inside, and needs an extent of at least the factor.
    enum class Tail : uint8_t { GuardWithIf, RoundUp, ShiftInwards };
    Method method = Method::ComputeRoot;
    StageId stage;                // for placements: the Func's pure stage
    std::optional<StageId> site;  // ComputeAt, ComputeWith and StoreAt: whose loop
    std::vector<LoopVariable> variables;
    int64_t factor = 0;  // Split, BoundStorage, AlignStorage, AlignBounds
    // Split: into `factor` parts of an odd length, and a rest, by the output's extent in this dimension.
    std::optional<int> odd_parts_of;
    // Where that extent is a constant, a length that hangs on the stride of this one, too: no longer than the
    // stride, which in a plain buffer is no less than the extent.
    std::optional<int> hidden_by_stride_of;
    Tail tail = Tail::GuardWithIf;
    std::vector<WholePart> whole_parts;  // Specialize
    bool specialized = false;            // of the stage as specialised, not of its general case
};

// Readers before producers; for each Func its placement, then its stages. Nothing is said of Funcs
// that are inlined, left alone (is_left_alone() in func_nest.h) or, being outputs, at root anyway. Tile kernels
// for tensor cores are not among the calls: print_tile_kernels.h.
std::vector<ScheduleCall> schedule_calls(const LoopNest &nest);

}  // namespace cryolite
