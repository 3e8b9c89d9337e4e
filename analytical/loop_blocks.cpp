#include "analytical/loop_blocks.h"

#include <algorithm>
#include <vector>

#include "analytical/heap_extent.h"
#include "base/flat_map.h"

namespace cryolite {
namespace {

// How much larger Halide's bounds of a tile are that is read behind clamps, whose parts it cannot cancel: 1.03 to 1.85
// times in five fused steps of Jacobi's method.
constexpr double clamped_tile_slack = 1.5;

struct Reads {
    size_t last = 0;  // position of the last reader
    bool clamped = false;
};

FlatMap<FuncId, Reads> reads_of(const std::vector<StageWork> &stages) {
    FlatMap<FuncId, Reads> reads;
    for (size_t i = stages.size(); i-- > 0;) {  // readers come first in `stages`
        const ExpandedStage &body = *stages[i].code->body;
        for (size_t r = 0; r < body.reads.size(); r++) {
            Reads &read = reads[body.reads[r]];
            read.last = i;
            for (uint32_t g : body.loads_of_reads[r].groups)
                read.clamped |= std::ranges::any_of(body.loads[g].clamped,
                                                    [](Clamp c) { return c != Clamp::None; });
        }
    }
    return reads;
}

// Whether two stages run in the same loop directly below the `depth` outermost ones of the first.
bool run_in_one_loop(const StageWork &a, const StageWork &b, size_t depth) {
    const LoopStack &x = a.code->stack, &y = b.code->stack;
    return depth < x.size() && depth < y.size() && x[depth].id == y[depth].id;
}

}  // namespace

BothBounds<LoopBlocks> blocks_in_loops(const StageGraph &graph, const KernelWork &work,
                                       std::span<const size_t> allocated) {
    const std::vector<StageWork> &stages = work.stages();
    const FlatMap<FuncId, Reads> reads = reads_of(stages);
    BothBounds<LoopBlocks> out;
    BothBounds<std::vector<HeapBlock>> blocks;
    for (size_t n = allocated.size(); n-- > 0;) {
        const FuncId f = stages[allocated[n]].code->stage->func;
        const Member &m = work.members().at(f);
        const Reads &read = reads.at(f);
        size_t from = allocated[n], to = read.last;  // `from` is the higher one
        for (size_t i = 0; i < stages.size(); i++) {
            if (run_in_one_loop(stages[allocated[n]], stages[i], m.storage_depth))
                from = std::max(from, i);
            if (run_in_one_loop(stages[read.last], stages[i], m.storage_depth))
                to = std::min(to, i);
        }
        for (size_t i = 0; i < blocks.size(); i++) {
            const double bytes =
                m.allocated_bytes * (i == 1 && read.clamped ? clamped_tile_slack : 1);
            blocks[i].push_back({bytes, stages.size() - 1 - from, stages.size() - to});
            out[i].largest = std::max(out[i].largest, largest_block(graph.func(f), bytes));
        }
    }
    for (size_t i = 0; i < blocks.size(); i++) {
        std::ranges::stable_sort(blocks[i], {}, &HeapBlock::begin);
        out[i].extent = heap_extent(blocks[i]);
    }
    return out;
}

}  // namespace cryolite
