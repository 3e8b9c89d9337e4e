// Tile kernels for tensor cores in a nest (action::TensorTile). Their nest looks like an ordinary one: the lead has
// default loops, the outermost of which is a block, and the product is computed at the innermost. So regions, traces,
// hashes and costs by kernel need no other form. But one kernel takes the place of all of it:
// - What lies between the product and its lead is inlined, and so are the Funcs that convert its factors.
// - No other Func is computed in the loops of these stages.
#pragma once

#include <optional>

#include "code/legality/apply.h"

namespace cryolite {

// The only placement of `f` that the tile kernels around it allow; nullopt: they say nothing of `f`. `f` may be
// undecided.
std::optional<Action> placement_in_tile_kernel(const LoopNest &nest, FuncId f);

// Whether the stage is the lead of a tile kernel, or is computed in one.
bool is_in_tile_kernel(const LoopNest &nest, StageId stage);

// Whether f's place is what placement_in_tile_kernel() asks for. f is decided.
bool obeys_tile_kernels(const LoopNest &nest, FuncId f);

// The lead of the tile kernel that adds up the product; nullopt: there is none.
std::optional<StageId> lead_of_product(const LoopNest &nest, const TensorProduct &product);

// Why the nest's stage may not be the lead of such a kernel; nullopt: it may. The stage has default loops.
std::optional<Reason> refuse_tile_kernel(const LoopNest &nest, const action::TensorTile &a);

}  // namespace cryolite
