#include "code/legality/gpu_kernels.h"

#include <algorithm>

#include "code/regions/box_motions.h"
#include "schedule/func_nest.h"

namespace cryolite {

namespace {

// The stage whose blocks are around `site`, if any.
std::optional<StageId> kernel_around(const LoopNest &nest, std::optional<LoopName> site) {
    while (site) {
        const StageNest &around = nest.stage_nest(site->stage);
        if (has_kind(around, LoopKind::GpuBlock)) return site->stage;
        site = nest.at(nest.graph().stage(site->stage).func).compute_at;
    }
    return std::nullopt;
}

// Extents of the loops of a kind: x, y, z.
std::array<int64_t, 3> extents_of(const StageNest &nest, LoopKind kind) {
    std::array<int64_t, 3> extents{1, 1, 1};
    size_t dim = 0;
    for (auto loop = nest.loops.rbegin(); loop != nest.loops.rend(); ++loop) {
        if (loop->kind == kind) extents[dim++] = loop->extent;
    }
    return extents;
}

template <typename Visit>
void for_each_root(const LoopNest &nest, Visit visit) {
    for (const Func &func : nest.graph().funcs())
        if (!func.is_input() && nest.decided(func.id) &&
            nest.at(func.id).placement == Placement::Root)
            visit(func.id);
}

int64_t widest_value(const Func &func) {
    int64_t bytes = 1;
    for (const ScalarType &t : func.values) bytes = std::max<int64_t>(bytes, t.bytes());
    return bytes;
}

// Visits the Funcs that are computed in the kernel.
template <typename Visit>
void for_each_in_kernel(const LoopNest &nest, StageId kernel, Visit visit) {
    const StageGraph &graph = nest.graph();
    for (FuncId f : computed_inside(nest, graph.stage(kernel).func))
        if (kernel_around(nest, nest.at(f).compute_at) == kernel) visit(graph.func(f), nest.at(f));
}

int64_t widest_value(const LoopNest &nest, StageId kernel) {
    int64_t bytes = 1;
    for_each_in_kernel(nest, kernel, [&](const Func &func, const FuncNest &) {
        bytes = std::max(bytes, widest_value(func));
    });
    return bytes;
}

// The number of values that a side must be a multiple of. The widths of types are powers of two.
int64_t alignment_of(const Func &func, int64_t widest) {
    int64_t narrowest = widest;
    for (const ScalarType &t : func.values) narrowest = std::min<int64_t>(narrowest, t.bytes());
    return widest / narrowest;
}

// The longest part that a stage's loops split a dimension of the Func into; 1: none does.
int64_t longest_part(const StageGraph &graph, const FuncNest &placed, size_t dim) {
    int64_t part = 1;
    for (const StageNest &stage : placed.stages)
        for (const LoopLevel &l : stage.loops) {
            const StageLoop &loop = graph.stage(stage.stage).loops[static_cast<size_t>(l.name.dim)];
            if (!loop.is_reduction && static_cast<size_t>(loop.func_dim) == dim)
                part = std::max(part, l.span);
        }
    return part;
}

// Where Halide cannot prove how a side ends, it allocates whole parts of a split loop (seen with 21: 259 rows in parts
// of 7 for 256). It is not known where, so that all count.
int64_t shared_bytes_of(const StageGraph &graph, const Func &func, const FuncNest &placed,
                        int64_t widest) {
    Box box = placed.store_region;
    for (size_t d = 0; d < box.size(); d++) {
        const int64_t part = longest_part(graph, placed, d);
        box[d].max = box[d].min + (box[d].extent() + part - 1) / part * part - 1;
    }
    if (!box.empty()) {
        const int64_t whole = alignment_of(func, widest);
        box[0].max = box[0].min + (box[0].extent() + whole - 1) / whole * whole - 1;
    }
    return static_cast<int64_t>(points(box)) * func.bytes_per_point();
}

// A text that says how far `found` exceeds `limit`; empty if it does not.
std::string excess(const char *what, int64_t found, int64_t limit) {
    if (found <= limit) return "";
    return std::to_string(found) + " " + what + ", and there may be " + std::to_string(limit);
}

bool has_loops_for_threads(const Stage &stage, const StageNest &nest) {
    for (size_t l = 0; l < stage.loops.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        if (!loop.is_reduction && !loop.in_predicate && nest.range[l].extent() > 1) return true;
    }
    return false;
}

}  // namespace

KernelLevel level_of(const LoopNest &nest, std::optional<LoopName> site) {
    KernelLevel level = KernelLevel::Host;
    while (site) {
        const StageNest &around = nest.stage_nest(site->stage);
        for (int i = nest.position(*site); i >= 0; i--) {
            const LoopKind kind = around.loops[static_cast<size_t>(i)].kind;
            if (kind == LoopKind::GpuThread) return KernelLevel::Thread;
            if (kind == LoopKind::GpuBlock) level = KernelLevel::Block;
        }
        site = nest.at(nest.graph().stage(site->stage).func).compute_at;
    }
    return level;
}

bool has_bounded_storage(const LoopNest &nest, FuncId f, LoopName site) {
    return std::ranges::all_of(box_motions(nest, f, site),
                               [](const auto &motion) { return motion.has_value(); });
}

int64_t storage_alignment(const LoopNest &nest, FuncId f) {
    const Func &func = nest.graph().func(f);
    const FuncNest &placed = nest.at(f);
    const std::optional<StageId> kernel = kernel_around(nest, placed.compute_at);
    if (!kernel || func.dims.empty()) return 1;
    const bool in_registers = level_of(nest, placed.compute_at) == KernelLevel::Thread;
    return in_registers ? 1 : alignment_of(func, widest_value(nest, *kernel));
}

bool has_unpadded_scalars(const LoopNest &nest, LoopName site) {
    const std::optional<StageId> kernel = kernel_around(nest, site);
    if (!kernel) return false;
    const int64_t widest = widest_value(nest, *kernel);
    int64_t found = 0;
    for_each_in_kernel(nest, *kernel, [&](const Func &func, const FuncNest &placed) {
        if (!func.dims.empty() || level_of(nest, placed.compute_at) != KernelLevel::Block) return;
        found += std::ranges::count_if(func.values,
                                       [&](const ScalarType &t) { return t.bytes() < widest; });
    });
    return found > 1;
}

bool has_conditional_barriers(const LoopNest &nest, FuncId f) {
    const FuncNest &placed = nest.at(f);
    if (placed.stages.size() < 2 || level_of(nest, placed.compute_at) != KernelLevel::Block)
        return false;
    return std::ranges::any_of(placed.stages, [](const StageNest &stage) {
        for (const LoopLevel &loop : stage.loops) {
            if (loop.kind == LoopKind::GpuThread) return false;
            if (loop.extent <= 1 && has_kind(stage, LoopKind::GpuThread)) return true;
        }
        return false;
    });
}

std::vector<GpuKernel> gpu_kernels_of(const LoopNest &nest, FuncId root) {
    std::vector<GpuKernel> kernels;
    for (const StageNest &stage : nest.at(root).stages) {
        if (!has_kind(stage, LoopKind::GpuBlock)) continue;
        GpuKernel &kernel =
            kernels.emplace_back(GpuKernel{stage.stage, extents_of(stage, LoopKind::GpuBlock),
                                           extents_of(stage, LoopKind::GpuThread)});
        kernel.widest = widest_value(nest, kernel.stage);
        for_each_in_kernel(nest, kernel.stage, [&](const Func &func, const FuncNest &placed) {
            if (level_of(nest, placed.compute_at) != KernelLevel::Block) return;
            for (const StageNest &inside : placed.stages) {
                const std::array<int64_t, 3> threads = extents_of(inside, LoopKind::GpuThread);
                for (size_t d = 0; d < 3; d++)
                    kernel.threads[d] = std::max(kernel.threads[d], threads[d]);
            }
            kernel.funcs_in_blocks++;
            kernel.shared_bytes += shared_bytes_of(nest.graph(), func, placed, kernel.widest);
        });
    }
    return kernels;
}

std::vector<GpuKernel> gpu_kernels_of(const LoopNest &nest) {
    std::vector<GpuKernel> kernels;
    for_each_root(nest, [&](FuncId root) {
        for (GpuKernel &kernel : gpu_kernels_of(nest, root)) kernels.push_back(kernel);
    });
    return kernels;
}

LaunchLimits launch_limits(const gpu::GpuDevice &device) {
    LaunchLimits limits;
    limits.threads_per_block = device.limits.threads_per_block;
    limits.threads = gpu::max_block_extent;
    limits.shared_bytes = device.shared_bytes_per_block;
    limits.conditional_barriers = device.conditional_barriers;
    return limits;
}

std::optional<KernelFault> find_kernel_fault(const LoopNest &nest, FuncId root,
                                             const LaunchLimits &limits) {
    const StageGraph &graph = nest.graph();
    std::optional<KernelFault> fault;
    for (const GpuKernel &k : gpu_kernels_of(nest, root)) {
        // Its own kernel has the blocks and threads, not its loops.
        if (const auto &tiled = nest.stage_nest(k.stage).tile_kernel) {
            const int64_t threads = tiled->tile.threads();
            const std::string text = excess("threads a block", threads, limits.threads_per_block);
            if (!text.empty()) return KernelFault{k.stage, text};
            continue;
        }
        std::vector<std::string> found;
        int64_t threads = 1;
        for (size_t d = 0; d < 3; d++) {
            found.push_back(excess("threads along a dimension", k.threads[d], limits.threads[d]));
            found.push_back(excess("blocks along a dimension", k.blocks[d], limits.blocks[d]));
            threads *= std::min<int64_t>(k.threads[d], INT16_MAX);
        }
        found.push_back(excess("threads a block", threads, limits.threads_per_block));
        found.push_back(excess("bytes of shared memory", k.shared_bytes, limits.shared_bytes));
        for (const std::string &text : found)
            if (!text.empty()) return KernelFault{k.stage, text};
        for_each_in_kernel(nest, k.stage, [&](const Func &func, const FuncNest &placed) {
            if (level_of(nest, placed.compute_at) != KernelLevel::Block) return;
            if (!limits.conditional_barriers && has_conditional_barriers(nest, func.id))
                fault = {k.stage, "barriers of " + func.name + " under a condition"};
            for (const StageNest &stage : placed.stages)
                if (!has_kind(stage, LoopKind::GpuThread) &&
                    has_loops_for_threads(graph.stage(stage.stage), stage))
                    fault = {k.stage, "no threads for " + func.name + " at the block level"};
        });
    }
    return fault;
}

std::optional<KernelFault> find_kernel_fault(const LoopNest &nest, const LaunchLimits &limits) {
    std::optional<KernelFault> fault;
    for_each_root(nest, [&](FuncId root) {
        if (!fault) fault = find_kernel_fault(nest, root, limits);
    });
    return fault;
}

}  // namespace cryolite
