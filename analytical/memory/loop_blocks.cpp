#include "analytical/memory/loop_blocks.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analytical/memory/heap_extent.h"
#include "base/flat_map.h"

namespace cryolite {
namespace {

// How much larger Halide's bounds of a tile are that is read behind clamps, whose parts it cannot cancel: 1.03 to 1.85
// times in five fused steps of Jacobi's method.
constexpr double clamped_tile_slack = 1.5;

// When each stage runs: 0 first. Readers come first in `stages`, but the stages of one Func in their order.
std::vector<size_t> order_of(const std::vector<StageWork> &stages) {
    std::vector<size_t> order(stages.size());
    size_t next = 0;
    for (size_t end = stages.size(), begin; end > 0; end = begin) {
        const FuncId f = stages[end - 1].code->stage->func;
        for (begin = end; begin > 0 && stages[begin - 1].code->stage->func == f;) begin--;
        for (size_t i = begin; i < end; i++) order[i] = next++;
    }
    return order;
}

struct Reads {
    size_t last = 0, order = 0;  // the position of the stage that reads last, and when it runs
    bool clamped = false;
};

FlatMap<FuncId, Reads> reads_of(const std::vector<StageWork> &stages,
                                const std::vector<size_t> &order) {
    FlatMap<FuncId, Reads> reads;
    for (size_t i = 0; i < stages.size(); i++) {
        const ExpandedStage &body = *stages[i].code->body;
        for (size_t r = 0; r < body.reads.size(); r++) {
            Reads &read = reads[body.reads[r]];
            if (order[i] >= read.order) {
                read.last = i;
                read.order = order[i];
            }
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
    const std::vector<size_t> order = order_of(stages);
    const FlatMap<FuncId, Reads> reads = reads_of(stages, order);
    BothBounds<LoopBlocks> out;
    BothBounds<std::vector<Block>> blocks;
    for (size_t n = allocated.size(); n-- > 0;) {
        const FuncId f = stages[allocated[n]].code->stage->func;
        const Member &m = work.members().at(f);
        const Reads &read = reads.at(f);
        size_t first = order[allocated[n]], last = order[read.last];
        for (size_t i = 0; i < stages.size(); i++) {
            if (run_in_one_loop(stages[allocated[n]], stages[i], m.storage_depth))
                first = std::min(first, order[i]);
            if (run_in_one_loop(stages[read.last], stages[i], m.storage_depth))
                last = std::max(last, order[i]);
        }
        for (size_t i = 0; i < blocks.size(); i++) {
            const double bytes =
                m.allocated_bytes * (i == 1 && read.clamped ? clamped_tile_slack : 1);
            blocks[i].push_back({m.times_allocated(),
                                 is_bounded_for_tile(graph.func(f), *m.nest),
                                 {bytes, first, last + 1}});
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
