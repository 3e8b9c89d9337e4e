// A schedule is a list of actions, the trace. Actions are small values: they compare, hash, print
// and parse (trace_text.h), and one door applies them (loop_nest.h).
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"

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
// Stored at an outer loop, or at root, than it is computed at: a sliding window where the loops
// between are serial. No parallel loop may lie between.
struct StoreAt {
    FuncId func;
    std::optional<LoopName> at;  // nullopt: root
    bool operator==(const StoreAt &) const = default;
};
// In memory the Func's dimensions lie in this order, the innermost first: of what is computed and stored
// inside one loop. Rows that its readers read across are then rows of what they read.
struct ReorderStorage {
    FuncId func;
    std::vector<int> order;  // of all dimensions, by index
    bool operator==(const ReorderStorage &) const = default;
};

// --- how, per stage ---
// Splits the loops of one dimension: spans[i] is how many points one iteration of level i covers;
// each divides the one before; level spans.size() walks single points. {32, 8} gives three loops.
// The first may equal the extent, so that the loops inside have constant extents.
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
// Splits the innermost level of `dim` by `width` (unless its extent is that already) and makes the
// new loop the innermost of the nest, vectorised.
struct Vectorize {
    StageId stage;
    int16_t dim = 0;
    int32_t width = 0;
    bool operator==(const Vectorize &) const = default;
};
// Of constant extent: a level below 0, a constant reduction, a tile of the reader (whole_loops.h).
struct Unroll {
    LoopName loop;
    bool operator==(const Unroll &) const = default;
};
// The `count` outermost loops of the stage run in parallel, fused into one where count > 1.
struct Parallel {
    StageId stage;
    int32_t count = 1;
    bool operator==(const Parallel &) const = default;
};

// --- how, on a GPU (gpu_kernels.h) ---
// Up to three loops that stand one in another, outermost first; the innermost is x. What is inside
// the blocks is a kernel, of a Func at root. Loops around them run on the host, a kernel each time.
struct MapToBlocks {
    StageId stage;
    std::vector<LoopName> loops;
    bool operator==(const MapToBlocks &) const = default;
};
// Likewise, in a kernel: of the stage that has the blocks, or of one computed between its blocks and
// its threads. Their extents must be constants.
struct MapToThreads {
    StageId stage;
    std::vector<LoopName> loops;
    bool operator==(const MapToThreads &) const = default;
};

}  // namespace action

using Action =
    std::variant<action::Inline, action::ComputeRoot, action::ComputeAt, action::StoreAt,
                 action::Tile, action::Reorder, action::Vectorize, action::Unroll, action::Parallel,
                 action::MapToBlocks, action::MapToThreads, action::ReorderStorage>;
using Trace = std::vector<Action>;

uint64_t hash(const Action &action);

}  // namespace cryolite
