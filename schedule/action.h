// A schedule is a list of actions, the trace. Actions are small values that compare, hash, print and parse
// (trace_text.h). Only apply() in code/legality/apply.h applies them to a LoopNest.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "schedule/kernel_shape.h"

namespace cryolite {

// A loop of a stage's nest. A stage starts with one loop per dimension, at level 0; Tile and
// Vectorize split a loop and number the parts from the outermost. `dim` indexes Stage::loops.
struct LoopName {
    StageId stage;
    int16_t dim = 0;
    int16_t level = 0;
    auto operator<=>(const LoopName &) const = default;
};

namespace action {

// --- where ---
struct Inline {
    FuncId func;
    bool operator==(const Inline &) const = default;
};
struct ComputeRoot {
    FuncId func;
    bool operator==(const ComputeRoot &) const = default;
};
// Computed inside `at`, stored there too unless StoreAt follows.
struct ComputeAt {
    FuncId func;
    LoopName at;
    bool operator==(const ComputeAt &) const = default;
};
// Computed with the stage of `with`, a Func at root: in one nest of loops down to that loop, and inside of it in loops
// of its own. Neither of the two Funcs reads the other: what both read is then read, or computed, once for both. Stored
// at root. See code/legality/companions.h.
struct ComputeWith {
    FuncId func;
    LoopName with;
    bool operator==(const ComputeWith &) const = default;
};
// Stored at a loop outside the one it is computed at, or at root: a sliding window, if the loops between are
// serial. No parallel loop may lie between.
struct StoreAt {
    FuncId func;
    std::optional<LoopName> at;  // nullopt: root
    bool operator==(const StoreAt &) const = default;
};
// The order of the Func's dimensions in memory, the innermost first. The Func must be computed and stored inside
// one loop. Readers that walk across the rows of the Func can then find their values in rows.
struct ReorderStorage {
    FuncId func;
    std::vector<int> order;  // indices of all dimensions
    bool operator==(const ReorderStorage &) const = default;
};

// --- how, per stage ---
// Splits the loop of one dimension. One iteration of level i covers spans[i] points; level spans.size() walks
// single points. So {32, 8} gives three loops. Each span divides the one before. The first may equal the extent,
// so that the loops inside have constant extents.
struct Tile {
    StageId stage;
    int16_t dim = 0;
    std::vector<int64_t> spans;
    bool operator==(const Tile &) const = default;
};
// All loops of the stage, outermost first.
struct Reorder {
    StageId stage;
    std::vector<LoopName> order;
    bool operator==(const Reorder &) const = default;
};
// Splits the innermost level of `dim` by `width`, unless it has that extent already. The vectorised loop becomes
// the innermost of the nest. woven: it is so many vectors, whose lanes lie as many points apart
// (code/stage/woven_vectors.h); 1: it is one vector of neighbours.
struct Vectorize {
    StageId stage;
    int16_t dim = 0;
    int32_t width = 0;  // points: lanes of all vectors together
    int32_t woven = 1;
    bool operator==(const Vectorize &) const = default;
};
// Needs a constant extent: an inner level of a split, a reduction loop of constant range, or a whole tile of the
// reader (code/stage/whole_loops.h).
struct Unroll {
    LoopName loop;
    bool operator==(const Unroll &) const = default;
};
// Unrolls the innermost loop around the vector, and joins its copies to one long vector, in which they are neighbours:
// copy by copy inside of each lane. Same conditions as Unroll. Of two kinds of loops:
// - a reduction loop of a sum of products (Stage::dot), whose copies are multiplied and added up, so that instructions
//   for dot products can be used (Halide's atomic().vectorize()). No loop of the stage is parallel, since Halide would
//   store the sums by atomic operations.
// - a loop over points: rows that are shorter than a vector, one after the other, where they lie densely.
struct Join {
    LoopName loop;
    bool operator==(const Join &) const = default;
};
// The `count` outermost loops of the stage run in parallel; several are fused into one. Of an update, the loop inside
// of its `inside` outermost loops instead: those carry values from one iteration to the next, as steps in time do.
struct Parallel {
    StageId stage;
    int32_t count = 1;
    int32_t inside = 0;  // if not 0, count is 1
    bool operator==(const Parallel &) const = default;
};

// --- how, on a GPU (code/legality/gpu_kernels.h) ---
// Up to three directly nested loops of a Func at root, outermost first; the innermost is x. Everything inside the
// blocks is one kernel. Loops around the blocks run on the host and launch the kernel in each iteration.
struct MapToBlocks {
    StageId stage;
    std::vector<LoopName> loops;
    bool operator==(const MapToBlocks &) const = default;
};
// Up to three directly nested loops in a kernel, outermost first. They belong to the stage that has the blocks,
// or to a stage that is computed between the blocks and the threads. Their extents must be constants.
struct MapToThreads {
    StageId stage;
    std::vector<LoopName> loops;
    bool operator==(const MapToThreads &) const = default;
};

// A tile kernel for tensor cores takes the place of the stage's nest: `stage` is a lead of the product that `product`
// adds up (graph/tensor_product.h). The outermost loop becomes blocks, for the nest's sake alone. All that the lead
// computes is in the kernel, and nothing else: code/legality/tile_kernels.h.
struct TensorTile {
    StageId stage;
    StageId product;
    tensorcore::Tile tile;
    bool operator==(const TensorTile &) const = default;
};

}  // namespace action

using Action =
    std::variant<action::Inline, action::ComputeRoot, action::ComputeAt, action::StoreAt,
                 action::Tile, action::Reorder, action::Vectorize, action::Unroll, action::Parallel,
                 action::MapToBlocks, action::MapToThreads, action::ReorderStorage,
                 action::TensorTile, action::Join, action::ComputeWith>;
using Trace = std::vector<Action>;

uint64_t hash(const Action &action);

}  // namespace cryolite
