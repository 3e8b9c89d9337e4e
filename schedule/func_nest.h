// Small questions about one Func's part of a schedule that applying, checking and emitting share.
#pragma once

#include "schedule/loop_nest.h"

namespace cryolite {

// One loop per dimension, the last of Stage::loops outermost; or the user's loops, where they are
// known. Extents follow from `range`.
StageNest default_stage_nest(const Stage &stage, Intervals range);

// Of the decisions in `nest`: regions and extents follow from them and are left out.
uint64_t hash_of(const FuncNest &nest);

// What a Func that is computed at every iteration really computes in one: all of `region`, or in a
// sliding window the new points at its upper end.
Box newly_computed(const FuncNest &nest, Box region);

// The iterations do not depend on the size of anything: a part of a split, or a reduction loop of
// constant range. Only such loops are unrolled or made vectors as a whole.
bool has_constant_extent(const Stage &stage, const LoopLevel &loop);

// How many of the outermost loops run in parallel, as one fused loop.
size_t count_parallel(const StageNest &nest);

// Something may be computed in the body of the loop at `position`, as far as its stage is concerned:
// fused loops are one, under the name of the innermost, and so are blocks and threads; around blocks
// nothing is.
bool takes_producers(const StageNest &nest, size_t position);

// The position of the innermost loop of a kind; -1: there is none.
int last_of(const StageNest &nest, LoopKind kind);
inline bool has_kind(const StageNest &nest, LoopKind kind) { return last_of(nest, kind) >= 0; }

// The loops of a dimension stand in order of level, and reduction loops that must keep their order
// stand as the algorithm has them.
bool keeps_order(const Stage &stage, const LoopLevels &loops);

// Whether another Func is computed or stored inside a loop of the stage. (What is stored there is computed there,
// itself or a Func around it.)
bool holds_others(const LoopNest &nest, StageId stage);

// Loops as default_stage_nest() made them.
bool is_default(const Stage &stage, const StageNest &nest);

// No call is made for the Func: it is locked, or it is enclosed and nothing else can be done with it.
// An enclosed Func at root stands for that. Halide then inlines it, or computes it at each use.
bool is_left_alone(const Func &func, const FuncNest &placed);

// A loop of a Func that the user has scheduled; nullopt if that Func is undecided.
std::optional<LoopName> loop_of(const LoopNest &nest, const UserSite &site);

}  // namespace cryolite
