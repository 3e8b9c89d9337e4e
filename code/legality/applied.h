// The parts of apply(), one per action. Each checks whether to refuse the action, and then makes one new FuncNest, or
// the LoopNest with it where that must be checked as a whole.
#pragma once

#include <memory>
#include <utility>

#include "code/legality/apply.h"
#include "schedule/func_nest.h"

namespace cryolite::applied {

using Outcome = Result<LoopNest, Reason>;
using Changed = Result<std::shared_ptr<const FuncNest>, Reason>;

// Where a Func is computed and stored: apply.cpp.
Outcome apply_one(const LoopNest &nest, const action::Inline &a);
Outcome apply_one(const LoopNest &nest, const action::ComputeRoot &a);
Outcome apply_one(const LoopNest &nest, const action::ComputeAt &a);
Outcome apply_one(const LoopNest &nest, const action::ComputeWith &a);
Outcome apply_one(const LoopNest &nest, const action::StoreAt &a);
Outcome apply_one(const LoopNest &nest, const action::ReorderStorage &a);

// The loops of a stage: apply_loops.cpp.
Changed apply_one(const LoopNest &nest, const action::Tile &a);
Changed apply_one(const LoopNest &nest, const action::Reorder &a);
Changed apply_one(const LoopNest &nest, const action::Vectorize &a);
Changed apply_one(const LoopNest &nest, const action::Unroll &a);
Changed apply_one(const LoopNest &nest, const action::Join &a);
Changed apply_one(const LoopNest &nest, const action::Parallel &a);
Outcome apply_one(const LoopNest &nest, const action::MapToBlocks &a);
Changed apply_one(const LoopNest &nest, const action::MapToThreads &a);
Changed apply_one(const LoopNest &nest, const action::TensorTile &a);

inline std::shared_ptr<const FuncNest> finished(const StageGraph &graph, FuncNest changed) {
    changed.address_order = address_order(graph, changed);
    changed.hash = hash_of(changed);
    return std::make_shared<const FuncNest>(std::move(changed));
}

inline Outcome finish(const LoopNest &nest, FuncNest changed) {
    return nest.with(finished(nest.graph(), std::move(changed)));
}

}  // namespace cryolite::applied
