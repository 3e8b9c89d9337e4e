#include "search/gpu/gpu_template.h"

#include <algorithm>
#include <span>

#include "code/kernel/kernels.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

constexpr size_t grid_dimensions = 3;
// A whole side of at most so many points becomes copies of the body: the values of a Func in a thread are then
// registers, since every copy knows which it needs.
constexpr int64_t longest_side_in_registers = 16;
// Copies of a body by its reduction loops.
constexpr int64_t most_copies = 32;
// In a thread, with the copies for its points. A sum in chunks of 32 with 16 points a thread took Halide and LLVM
// seconds.
constexpr int64_t most_copies_in_all = 512;
// A loop over a dimension of at most so many points may stand in every thread.
constexpr int64_t short_extent = 16;
// Blocks that suit any GPU, and nothing in particular.
constexpr int64_t line_threads = 128, tile_width = 32, tile_height = 4;

class Arrangement {
public:
    Arrangement(const Stage &stage, const Intervals &range, KernelLevel level,
                const GpuTemplate &shape)
        : stage_(stage), range_(range), level_(level), shape_(shape) {}

    std::vector<Action> actions() {
        // From the outside: other loops as the algorithm has them, then those of threads, x last.
        for (size_t l = stage_.loops.size(); l-- > 0;)
            if (!along(static_cast<int16_t>(l))) add(static_cast<int16_t>(l));
        for (size_t i = shape_.threads.size(); i-- > 0;)
            for (size_t l = 0; l < stage_.loops.size(); l++)
                if (along(static_cast<int16_t>(l)) == &shape_.threads[i])
                    add(static_cast<int16_t>(l));
        if (level_ == KernelLevel::Host) {
            if (blocks_.empty()) return {};
            // The threads' own dimensions, the last ones, stay in the grid.
            while (blocks_.size() > grid_dimensions) {
                outside_.push_back(blocks_.front());
                blocks_.erase(blocks_.begin());
            }
        }
        std::vector<LoopName> order;
        for (const auto *part : {&outside_, &blocks_, &threads_, &inside_, &copies_})
            order.insert(order.end(), part->begin(), part->end());
        if (order.size() > 1) actions_.push_back(action::Reorder{stage_.id, order});
        if (!blocks_.empty()) actions_.push_back(action::MapToBlocks{stage_.id, blocks_});
        if (!threads_.empty()) actions_.push_back(action::MapToThreads{stage_.id, threads_});
        for (const LoopName &loop : copies_) actions_.push_back(action::Unroll{loop});
        return std::move(actions_);
    }

private:
    LoopName name(int16_t l, int16_t level) const { return {stage_.id, l, level}; }
    int64_t extent(int16_t l) const { return range_[static_cast<size_t>(l)].extent(); }
    const StageLoop &loop(int16_t l) const { return stage_.loops[static_cast<size_t>(l)]; }

    // Whether the iterations of the loop have no race, or none inside of steps that the host walks.
    bool has_no_race(int16_t l) const {
        return loop(l).parallelizable ||
               (level_ == KernelLevel::Host && loop(l).race_free_in_order);
    }
    // Whether a reduction loop's iterations are steps, each of them a kernel.
    bool is_step(int16_t l) const {
        const auto inside = std::span(stage_.loops).first(static_cast<size_t>(l));
        return level_ == KernelLevel::Host && loop(l).is_reduction && !has_no_race(l) &&
               std::ranges::any_of(inside, &StageLoop::race_free_in_order);
    }

    // The Func's dimension whose points the loop walks in no order: of a reduction, outside of threads, the first
    // loop without a race that stores along it. -1: none.
    int dim_walked_freely(int16_t l) const {
        if (!has_no_race(l)) return -1;
        if (!loop(l).is_reduction) return loop(l).func_dim;
        // Loops whose order Halide keeps do not mix.
        const auto keeps_order = [](const StageLoop &other) { return !other.reorderable; };
        if (keeps_order(loop(l)) && &*std::ranges::find_if(stage_.loops, keeps_order) != &loop(l))
            return -1;
        const int dim = level_ == KernelLevel::Thread ? -1 : loop(l).walked_dim;
        const auto is_along = [&](const StageLoop &other) {
            return other.func_dim == dim || (other.is_reduction && other.walked_dim == dim);
        };
        return dim >= 0 && &*std::ranges::find_if(stage_.loops, is_along) == &loop(l) ? dim : -1;
    }

    const GpuTemplate::Along *along(int16_t l) const {
        const int dim = dim_walked_freely(l);
        if (dim < 0) return nullptr;
        const auto found = std::ranges::find(shape_.threads, dim, &GpuTemplate::Along::dim);
        return found == shape_.threads.end() ? nullptr : &*found;
    }

    void add(int16_t l) {
        if (is_step(l)) return outside_.push_back(name(l, 0));
        const bool is_block = level_ == KernelLevel::Host && loop(l).race_free_in_order;
        if (loop(l).is_reduction && dim_walked_freely(l) < 0 && !is_block) return add_reduction(l);
        switch (level_) {
            case KernelLevel::Host: return add_at_root(l);
            case KernelLevel::Block: return add_at_block(l);
            case KernelLevel::Thread: return add_in_thread(l);
        }
    }

    void tile(int16_t l, std::vector<int64_t> spans) {
        actions_.push_back(action::Tile{stage_.id, l, std::move(spans)});
    }

    void add_at_root(int16_t l) {
        if (!has_no_race(l)) {
            inside_.push_back(name(l, 0));
            return;
        }
        const GpuTemplate::Along *threads = along(l);
        blocks_.push_back(name(l, 0));
        if (loop(l).in_predicate) return;  // apply() does not tile it
        if (!threads) {
            if (!shape_.others_in_threads || extent(l) < 2 || extent(l) > short_extent) return;
            tile(l, {extent(l)});
            inside_.push_back(name(l, 1));
            return;
        }
        const int64_t points = std::min(threads->points, extent(l));
        const int64_t count = std::min(threads->threads, extent(l) / points);
        if (count * points > 1) tile_in_block(l, count, points);
    }

    void add_at_block(int16_t l) {
        const GpuTemplate::Along *threads = along(l);
        const int64_t points = threads ? std::min(threads->points, extent(l)) : 1;
        const int64_t count = threads ? std::min(threads->threads, extent(l) / points) : 1;
        if (count * points < 2 || loop(l).in_predicate) {
            (threads ? outside_ : inside_).push_back(name(l, 0));
            return;
        }
        outside_.push_back(name(l, 0));
        tile_in_block(l, count, points);
    }

    // Loops of threads, and of copies in them.
    void tile_in_block(int16_t l, int64_t count, int64_t points) {
        std::vector<int64_t> spans{count * points};
        if (points > 1 && count > 1) spans.push_back(points);
        tile(l, spans);
        if (count > 1) threads_.push_back(name(l, 1));
        if (points > 1) copies_.push_back(name(l, count > 1 ? 2 : 1));
    }

    void add_in_thread(int16_t l) {
        inside_.push_back(name(l, 0));
        if (loop(l).in_predicate || extent(l) < 2 || extent(l) > longest_side_in_registers) return;
        tile(l, {extent(l)});
        copies_.push_back(name(l, 1));
    }

    void add_reduction(int16_t l) {
        using Unrolled = TilingTemplate::Unrolled;
        const bool wanted = shape_.unrolled_reductions == Unrolled::All ||
                            (shape_.unrolled_reductions == Unrolled::Deciding &&
                             decides_copies(stage_, static_cast<size_t>(l)));
        if (level_ == KernelLevel::Block && shape_.reductions_around_threads) {
            outside_.push_back(name(l, 0));
            return;
        }
        const bool is_constant = loop(l).constant_range && extent(l) >= 2;
        if (wanted && is_constant && reduction_copies_ * extent(l) <= most_copies &&
            reduction_copies_ * extent(l) * copies_of_points() <= most_copies_in_all) {
            reduction_copies_ *= extent(l);
            copies_.insert(copies_.begin(), name(l, 0));
            return;
        }
        inside_.push_back(name(l, 0));
        const int64_t part = shape_.reduction_part;
        if (level_ != KernelLevel::Thread || part < 2 || !is_constant || reduction_copies_ > 1 ||
            l != innermost_reduction() || extent(l) % part != 0 || loop(l).in_predicate)
            return;
        reduction_copies_ = part;
        tile(l, {part});
        copies_.insert(copies_.begin(), name(l, 1));
    }

    // Of a Func at the thread level, by its points.
    int64_t copies_of_points() const {
        int64_t copies = 1;
        for (int16_t l = 0; level_ == KernelLevel::Thread && l < std::ssize(stage_.loops); l++)
            if (!loop(l).is_reduction && !loop(l).in_predicate &&
                extent(l) <= longest_side_in_registers)
                copies *= std::max<int64_t>(1, extent(l));
        return copies;
    }

    int16_t innermost_reduction() const {
        const auto found = std::ranges::find(stage_.loops, true, &StageLoop::is_reduction);
        return static_cast<int16_t>(found - stage_.loops.begin());
    }

    const Stage &stage_;
    const Intervals &range_;
    const KernelLevel level_;
    const GpuTemplate &shape_;
    std::vector<LoopName> outside_, blocks_, threads_, inside_, copies_;  // outermost first
    int64_t reduction_copies_ = 1;
    std::vector<Action> actions_;
};

}  // namespace

std::vector<Action> to_actions(const Stage &stage, const Intervals &range, KernelLevel level,
                               const GpuTemplate &shape) {
    return Arrangement(stage, range, level, shape).actions();
}

std::array<int64_t, 3> threads_of_kernel(const LoopNest &nest, FuncId func) {
    std::array<int64_t, 3> threads{1, 1, 1};
    for (const GpuKernel &kernel : gpu_kernels_of(nest, root_of(nest, func)))
        for (LoopName around : nest.enclosing(*nest.at(func).compute_at))
            if (around.stage == kernel.stage) threads = kernel.threads;
    return threads;
}

std::vector<int> dims_of_threads(const LoopNest &nest, const Func &func) {
    std::vector<int> dims = nest.storage_order(func.id);
    if (interleaved_colours(func) > 1) std::ranges::rotate(dims, dims.begin() + 1);
    return dims;
}

GpuTemplate plain_gpu_template(const LoopNest &nest, const Func &func) {
    const FuncNest &placed = nest.at(func.id);
    GpuTemplate out;
    std::vector<int> dims;  // longer than a point
    for (int d : dims_of_threads(nest, func))
        if (placed.compute_region[static_cast<size_t>(d)].extent() > 1) dims.push_back(d);
    if (dims.empty() && !nest.storage_order(func.id).empty())
        dims.push_back(nest.storage_order(func.id)[0]);
    if (level_of(nest, placed.compute_at) == KernelLevel::Block) {
        const std::array<int64_t, 3> threads = threads_of_kernel(nest, func.id);
        for (size_t i = 0; i < std::min(dims.size(), threads.size()); i++)
            out.threads.push_back({dims[i], threads[i], 1});
    } else if (dims.size() == 1) {
        out.threads.push_back({dims[0], line_threads, 1});
    } else if (dims.size() > 1) {
        out.threads.push_back({dims[0], tile_width, 1});
        out.threads.push_back({dims[1], tile_height, 1});
    }
    return out;
}

GpuTemplate shared_by_threads(const LoopNest &nest, const Func &func, int64_t most_points) {
    GpuTemplate t = plain_gpu_template(nest, func);
    int64_t points = 1;
    for (size_t i = std::min<size_t>(t.threads.size(), 2); i-- > 0;) {
        GpuTemplate::Along &along = t.threads[i];
        const int64_t extent =
            nest.at(func.id).compute_region[static_cast<size_t>(along.dim)].extent();
        const int64_t share = (extent + along.threads - 1) / along.threads;
        if (points * share > most_points) continue;
        along.points = share;
        points *= share;
    }
    return t;
}

}  // namespace cryolite
