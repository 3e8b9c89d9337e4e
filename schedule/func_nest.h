// Small questions about one Func's part of a schedule, shared by the rooms that apply, check and emit.
#pragma once

#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

// One loop per dimension, the last of Stage::loops outermost. Where the user's loops are known, those instead.
// range: of Stage::loops; the extents follow from it.
StageNest default_stage_nest(const Stage &stage, Intervals range);

// Hash of the decisions in `nest`. Regions and extents follow from the decisions and are left out.
uint64_t hash_of(const FuncNest &nest);

// The box that one iteration of compute_at computes when it needs `region`: all of it, or in a sliding window the
// new points at its upper end.
Box newly_computed(const FuncNest &nest, Box region);

// Whether the number of iterations depends on no size: an inner level of a split, or a reduction loop of constant
// range. Only such loops become a vector as a whole. See also is_whole_of_tile() in code/stage/whole_loops.h.
bool has_constant_extent(const Stage &stage, const LoopLevel &loop);

// How many loops run in parallel, as one fused loop: the outermost ones, or a single one inside of serial loops.
size_t count_parallel(const StageNest &nest);
// Position of the first of them; the number of loops if there is none.
size_t first_parallel(const StageNest &nest);
// Whether the iterations of the loop at `position` may run at the same time: it has no race, or none while the
// reduction loops outside of it in the algorithm stand still, and all of those stand outside of it here too.
bool may_run_in_parallel(const Stage &stage, const LoopLevels &loops, size_t position);

// Copies that are joined in each lane of the stage's vector (action::Join); 1: it has no such loop.
int64_t joined_points(const StageNest &nest);

// Whether another Func may be computed in the body of the loop at `position`, as far as this stage is concerned.
// Vector and unrolled loops take none. Fused parallel loops count as one loop with the name of the innermost;
// so do blocks, and so do threads. Loops around blocks take none.
bool takes_producers(const StageNest &nest, size_t position);

// Position of the innermost loop of a kind; -1: there is none.
int last_of(const StageNest &nest, LoopKind kind);
inline bool has_kind(const StageNest &nest, LoopKind kind) { return last_of(nest, kind) >= 0; }
// Whether the stage is inside a kernel, or has a kernel inside its loops.
inline bool is_on_gpu(const StageNest &nest) {
    return nest.in_kernel || has_kind(nest, LoopKind::GpuBlock);
}

// Whether the loops of each dimension stand in order of level, and reduction loops that are not reorderable stand
// in the algorithm's order.
bool keeps_order(const Stage &stage, const LoopLevels &loops);

// Whether another Func is computed or stored inside a loop of the stage. (A Func that is stored there is computed
// there too, or inside another Func that is computed there.)
bool holds_others(const LoopNest &nest, StageId stage);

// Funcs that are computed in the loops of `f`, or in the loops of such a Func. Each Func comes after the one around it.
std::vector<FuncId> computed_inside(const LoopNest &nest, FuncId f);

// Whether the loops are those of default_stage_nest().
bool is_default(const Stage &stage, const StageNest &nest);

// Whether emission makes no call for the Func. Either it is locked, or it is enclosed and no other placement is
// legal. Placement::Root stands for the second case; Halide then inlines the Func or computes it at each use.
bool is_left_alone(const Func &func, const FuncNest &placed);

// The loop at a user's site; nullopt if its Func is undecided.
std::optional<LoopName> loop_of(const LoopNest &nest, const UserSite &site);

// FuncNest::address_order of a Func as it is placed: empty if more than one point of its innermost dimension is stored.
std::vector<int> address_order(const StageGraph &graph, const FuncNest &placed);

// The leader's loops that a companion shares (action::ComputeWith), outermost first.
std::vector<LoopLevel> shared_loops(const LoopNest &nest, const FuncNest &companion);

// The points of dimension `dim` of a companion that one iteration of the loops that it shares walks, if they split that
// dimension; 0: all of the dimension lies inside.
int64_t shared_part(const LoopNest &nest, const FuncNest &companion, int dim);

}  // namespace cryolite
