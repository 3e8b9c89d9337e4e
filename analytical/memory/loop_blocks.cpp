#include "analytical/memory/loop_blocks.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/flat_map.h"
#include "code/kernel/heap_extent.h"
#include "code/kernel/lifetimes.h"

namespace cryolite {
namespace {

// How much larger Halide's bounds of a tile are that is read behind clamps, whose parts it cannot cancel: 1.03 to 1.85
// times in five fused steps of Jacobi's method.
constexpr double clamped_tile_slack = 1.5;

// Of each Func that is read: whether it is read behind a clamp.
FlatMap<FuncId, bool> clamped_reads(const std::vector<StageWork> &stages) {
    FlatMap<FuncId, bool> clamped;
    for (const StageWork &w : stages) {
        const ExpandedStage &body = *w.code->body;
        for (size_t r = 0; r < body.reads.size(); r++) {
            bool &is_clamped = clamped[body.reads[r]];
            for (uint32_t g : body.loads_of_reads[r].groups)
                is_clamped |= std::ranges::any_of(body.loads[g].clamped,
                                                  [](Clamp c) { return c != Clamp::None; });
        }
    }
    return clamped;
}

struct Block {
    double times = 0;  // allocated in a run
    bool bounded_for_tile = false;
    HeapBlock heap;
};

// Whether Halide bounds a side of the Func's storage for a tile: it is neither whole nor a single point.
bool is_bounded_for_tile(const Func &func, const FuncNest &nest) {
    for (size_t d = 0; d < nest.store_region.size(); d++) {
        const int64_t extent = nest.store_region[d].extent();
        if (extent > 1 && extent < func.root_region[d].extent()) return true;
    }
    return false;
}

// blocks: in the order of HeapBlock::begin.
void count_levels(const std::vector<Block> &blocks, LoopBlocks &out) {
    std::vector<HeapBlock> inner;
    double outer = 0;  // times of the level before
    for (HeapLevel &level : out.levels) {
        level.times = std::numeric_limits<double>::infinity();
        for (const Block &b : blocks)
            if (b.times > outer) level.times = std::min(level.times, b.times);
        inner.clear();
        double bytes = 0, inexact = 0;
        for (const Block &b : blocks) {
            if (b.times < level.times) continue;
            inner.push_back(b.heap);
            bytes += b.heap.bytes;
            if (b.bounded_for_tile) inexact += b.heap.bytes;
        }
        if (inner.empty()) {
            level.times = 0;
            return;
        }
        level.extent = heap_extent(inner);
        level.inexact = bytes > 0 ? inexact / bytes : 0;
        outer = level.times;
    }
}

}  // namespace

BothBounds<LoopBlocks> blocks_in_loops(const StageGraph &graph, const KernelWork &work,
                                       std::span<const size_t> allocated) {
    const std::vector<StageWork> &stages = work.stages();
    const FlatMap<FuncId, Lifetime> alive = lifetimes(work.code());
    const FlatMap<FuncId, bool> clamped = clamped_reads(stages);
    BothBounds<LoopBlocks> out;
    BothBounds<std::vector<Block>> blocks;
    for (size_t n = allocated.size(); n-- > 0;) {
        const FuncId f = stages[allocated[n]].code->stage->func;
        const Member &m = work.members().at(f);
        const Lifetime &life = alive.at(f);
        for (size_t i = 0; i < blocks.size(); i++) {
            const double bytes =
                m.allocated_bytes * (i == 1 && clamped.at(f) ? clamped_tile_slack : 1);
            blocks[i].push_back({m.times_allocated(),
                                 is_bounded_for_tile(graph.func(f), *m.nest),
                                 {bytes, life.begin, life.end}});
            out[i].largest = std::max(out[i].largest, largest_block(graph.func(f), bytes));
        }
    }
    for (size_t i = 0; i < blocks.size(); i++) {
        std::ranges::stable_sort(blocks[i], {}, [](const Block &b) { return b.heap.begin; });
        count_levels(blocks[i], out[i]);
    }
    return out;
}

}  // namespace cryolite
