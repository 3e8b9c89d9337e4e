#include "reference/autogpu/gpu_stage.h"

#include <algorithm>

#include "code/legality/apply.h"
#include "schedule/func_nest.h"

namespace cryolite::strategies {
namespace {

constexpr size_t most_mapped = 3;        // dimensions of a grid and of a block
constexpr int64_t unrolled_copies = 16;  // of a stage's body: a 3x3 or 4x4 kernel
constexpr int64_t short_extent = 4;      // a pixel's channels
// Blocks that suit any GPU, and nothing in particular.
constexpr int64_t line_threads = 128, tile_width = 32, tile_height = 4;

class Mapper {
public:
    Mapper(LoopNest nest, StageId stage, const GpuStageShape &shape)
        : nest_(std::move(nest)), stage_(nest_.graph().stage(stage)), shape_(shape) {}

    bool run() {
        for (const ThreadLoop &t : shape_.threads) split_thread_loop(t);
        for (auto *loops : {&blocks_, &outside_, &threads_}) {
            std::reverse(loops->begin(), loops->end());
        }
        for (size_t l = stage_.loops.size(); l-- > 0;) {
            if (!is_mapped_.contains(static_cast<int>(l))) place_other(static_cast<int16_t>(l));
        }
        // Blocks of the other loops are around those of the threads' own.
        const size_t room = most_mapped - std::min(most_mapped, blocks_.size());
        while (shape_.has_blocks && !outside_.empty() && other_blocks_.size() < room) {
            other_blocks_.insert(other_blocks_.begin(), outside_.back());
            outside_.pop_back();
        }
        blocks_.insert(blocks_.begin(), other_blocks_.begin(), other_blocks_.end());
        if (shape_.has_blocks && blocks_.empty()) return false;

        std::vector<LoopName> order = outside_;
        for (const auto *part : {&blocks_, &threads_, &inside_}) {
            order.insert(order.end(), part->begin(), part->end());
        }
        attempt(action::Reorder{stage_.id, order});
        if (shape_.has_blocks) attempt(action::MapToBlocks{stage_.id, blocks_});
        if (!threads_.empty()) attempt(action::MapToThreads{stage_.id, threads_});
        unroll();
        return accepted_;
    }

    LoopNest nest() && { return std::move(nest_); }

private:
    bool attempt(const Action &action) {
        auto next = cryolite::apply(nest_, action);
        if (next.ok())
            nest_ = std::move(*next);
        else
            accepted_ = false;
        return next.ok();
    }

    int64_t extent(int l) const {
        return nest_.stage_nest(stage_.id).range[static_cast<size_t>(l)].extent();
    }
    LoopName name(int l, int level) const {
        return {stage_.id, static_cast<int16_t>(l), static_cast<int16_t>(level)};
    }

    void split_thread_loop(const ThreadLoop &t) {
        is_mapped_.insert(t.loop);
        (shape_.has_blocks ? blocks_ : outside_).push_back(name(t.loop, 0));
        const int64_t tile = std::min(t.tile, extent(t.loop));
        if (tile < 2 || stage_.loops[static_cast<size_t>(t.loop)].in_predicate) return;
        if (attempt(action::Tile{stage_.id, static_cast<int16_t>(t.loop), {tile}}))
            threads_.push_back(name(t.loop, 1));
    }

    void place_other(int16_t l) {
        const StageLoop &loop = stage_.loops[static_cast<size_t>(l)];
        const int64_t points = extent(l);
        const bool is_short = points <= short_extent || shape_.bounds_others;
        if (!loop.is_reduction && loop.parallelizable && !loop.in_predicate && shape_.has_blocks &&
            is_short) {
            outside_.push_back(name(l, 0));
            if (points < 2) return;
            if (attempt(action::Tile{stage_.id, l, {points}})) inside_.push_back(name(l, 1));
        } else {
            inside_.push_back(name(l, 0));
        }
    }

    void unroll() {
        int64_t copies = 1;
        for (auto loop = inside_.rbegin(); loop != inside_.rend(); ++loop) {
            const LoopLevel &level =
                nest_.stage_nest(stage_.id).loops[static_cast<size_t>(nest_.position(*loop))];
            copies *= std::max<int64_t>(1, level.extent);
            const bool constant = has_constant_extent(stage_, level);
            if (!constant || copies > unrolled_copies || shape_.keep_serial.contains(loop->dim)) {
                return;
            }
            attempt(action::Unroll{*loop});
        }
    }

    LoopNest nest_;
    const Stage &stage_;
    const GpuStageShape &shape_;
    std::set<int> is_mapped_;
    std::vector<LoopName> outside_, blocks_, other_blocks_, threads_, inside_;  // outermost first
    bool accepted_ = true;
};

}  // namespace

bool map_stage(LoopNest &nest, StageId stage, const GpuStageShape &shape) {
    Mapper mapper(nest, stage, shape);
    if (!mapper.run()) return false;
    nest = std::move(mapper).nest();
    return true;
}

std::vector<int> mappable_loops(const LoopNest &nest, StageId stage) {
    const Stage &of = nest.graph().stage(stage);
    const StageNest &loops = nest.stage_nest(stage);
    std::vector<int> found;
    for (size_t l = 0; l < of.loops.size(); l++) {
        if (!of.loops[l].is_reduction && of.loops[l].parallelizable) {
            found.push_back(static_cast<int>(l));
        }
    }
    std::stable_sort(found.begin(), found.end(), [&](int a, int b) {
        return loops.range[static_cast<size_t>(a)].extent() >
               loops.range[static_cast<size_t>(b)].extent();
    });
    return found;
}

std::vector<ThreadLoop> default_threads(const LoopNest &nest, StageId stage) {
    const std::vector<int> loops = mappable_loops(nest, stage);
    if (loops.empty()) return {};
    const Stage &of = nest.graph().stage(stage);
    const auto extent = [&](int l) {
        return nest.stage_nest(stage).range[static_cast<size_t>(l)].extent();
    };
    if (loops.size() == 1 || extent(loops[1]) < 2) return {{loops[0], line_threads}};
    // Along the one that is nearer to consecutive in memory, a warp.
    const std::vector<int> &order = nest.graph().func_of(stage).storage_order;
    const auto rank = [&](int l) {
        return std::find(order.begin(), order.end(), of.loops[static_cast<size_t>(l)].func_dim);
    };
    const bool swapped = rank(loops[1]) < rank(loops[0]);
    return {{loops[swapped ? 1 : 0], tile_width}, {loops[swapped ? 0 : 1], tile_height}};
}

}  // namespace cryolite::strategies
