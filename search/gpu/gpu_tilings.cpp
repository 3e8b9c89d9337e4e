#include "search/gpu/gpu_tilings.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/hash.h"
#include "code/legality/tile_kernels.h"
#include "search/gpu/gpu_template.h"
#include "search/gpu/tensor_tiles.h"
#include "search/search.h"

namespace cryolite {
namespace {

// OOPSLA 2021, section 4.2: a warp's worth of threads along x, or a multiple; powers of two along the others; a few
// points per thread. Half a warp is for sides that are short.
constexpr int64_t x_threads[] = {16, 32, 64, 128, 256};
constexpr int64_t row_threads[] = {1, 2, 4, 8, 16};
constexpr int64_t x_points[] = {1, 2, 4};
constexpr int64_t row_points[] = {1, 2, 4, 8};
constexpr int64_t most_points = 16;  // of a thread, and copies of its body
// Of a block. Fewer leave lanes of its only warp idle.
constexpr int64_t fewest_threads = 32;
constexpr int64_t short_side = 16;
constexpr int64_t warp_threads = 32;

// Loads of neighbours in shared memory that are one instruction, of float32.
constexpr int64_t vector_points = 4;

using Unrolled = TilingTemplate::Unrolled;

struct Space {
    const LoopNest &nest;
    const Func &func;
    const FuncNest &placed;
    const LaunchLimits limits;
    std::vector<int> dims;  // longer than a point, as dims_of_threads()
    std::vector<Unrolled> unrolled_reductions;

    int64_t extent(int d) const { return placed.compute_region[static_cast<size_t>(d)].extent(); }
};

Space space_of(const LoopNest &nest, const Func &func, const LaunchLimits &limits) {
    Space s{nest, func, nest.at(func.id), limits, {}, {Unrolled::None}};
    for (int d : dims_of_threads(nest, func))
        if (s.extent(d) > 1) s.dims.push_back(d);
    bool has_constant = false, has_deciding = false;
    for (StageId id : func.stages) {
        const Stage &stage = nest.graph().stage(id);
        for (size_t l = 0; l < stage.loops.size(); l++) {
            has_constant |= stage.loops[l].is_reduction && stage.loops[l].constant_range;
            has_deciding |= decides_copies(stage, l);
        }
    }
    if (has_constant) s.unrolled_reductions.push_back(Unrolled::All);
    if (has_deciding) s.unrolled_reductions.push_back(Unrolled::Deciding);
    return s;
}

// Adds `t` with each way to unroll reductions.
void add(const Space &s, GpuTemplate t, std::vector<GpuTemplate> &out) {
    for (Unrolled u : s.unrolled_reductions) {
        t.unrolled_reductions = u;
        out.push_back(t);
    }
}

bool has_reductions(const Space &s) {
    return std::ranges::any_of(s.func.stages, [&](StageId id) {
        return std::ranges::any_of(s.nest.graph().stage(id).loops, &StageLoop::is_reduction);
    });
}

// Powers of two up to the side, and a short side whole.
std::vector<int64_t> that_fit(std::span<const int64_t> counts, int64_t side) {
    std::vector<int64_t> out;
    for (int64_t n : counts)
        if (n <= side) out.push_back(n);
    if (side <= short_side && std::ranges::find(out, side) == out.end()) out.push_back(side);
    return out;
}

// With rows along the dimension `row`; -1: lines.
void add_blocks(const Space &s, int x, int row, std::vector<GpuTemplate> &out) {
    const int64_t rows = row < 0 ? 1 : s.extent(row);
    bool has_others = false;
    for (int d : s.dims) has_others |= d != x && d != row;
    for (int64_t tx : that_fit(x_threads, s.extent(x)))
        for (int64_t ty : that_fit(row_threads, rows)) {
            if (tx * ty > s.limits.threads_per_block || tx > s.limits.threads[0] ||
                ty > s.limits.threads[1])
                continue;
            const bool is_whole = tx == s.extent(x) && ty == rows;
            if (tx * ty < fewest_threads && !is_whole) continue;
            for (int64_t px : x_points)
                for (int64_t py : row_points) {
                    if (px * tx > s.extent(x) || py * ty > rows || px * py > most_points) continue;
                    GpuTemplate t;
                    t.threads.push_back({x, tx, px});
                    if (row >= 0) t.threads.push_back({row, ty, py});
                    add(s, t, out);
                    t.others_in_threads = has_others;
                    if (has_others) add(s, t, out);
                }
        }
}

std::vector<GpuTemplate> kernels(const Space &s) {
    std::vector<GpuTemplate> out;
    if (s.dims.empty()) {
        add(s, plain_gpu_template(s.nest, s.func), out);
        return out;
    }
    // x: the innermost dimension of storage, so that a warp's accesses coalesce; the next one where that is short.
    const size_t choices = s.extent(s.dims[0]) < warp_threads && s.dims.size() > 1 ? 2 : 1;
    for (size_t i = 0; i < choices; i++) {
        add_blocks(s, s.dims[i], -1, out);
        for (int row : s.dims)
            if (row != s.dims[i]) add_blocks(s, s.dims[i], row, out);
    }
    return out;
}

// The threads of the kernel, each with a few points: one thread then has several loads on their way together, and reads
// of an update's sums what it has written itself.
void add_points_of_threads(const Space &s, const std::array<int64_t, 3> &of_kernel,
                           std::vector<GpuTemplate> &out) {
    const size_t sides = std::min<size_t>(s.dims.size(), 2);
    std::array<int64_t, 2> share{1, 1};  // of a side, for each thread
    for (size_t i = 0; i < sides; i++)
        share[i] = (s.extent(s.dims[i]) + of_kernel[i] - 1) / of_kernel[i];
    for (int64_t px : std::set<int64_t>{1, share[0]})
        for (int64_t py : std::set<int64_t>{1, share[1]}) {
            if (px * py < 2 || px * py > most_points_in_blocks) continue;
            const std::array<int64_t, 2> points{px, py};
            GpuTemplate t;
            for (size_t i = 0; i < sides; i++)
                t.threads.push_back({s.dims[i], of_kernel[i], points[i]});
            add(s, t, out);
            if (!has_reductions(s)) continue;
            t.reductions_around_threads = true;
            out.push_back(t);
        }
}

std::vector<GpuTemplate> in_blocks(const Space &s) {
    std::vector<GpuTemplate> out;
    add(s, plain_gpu_template(s.nest, s.func), out);
    if (s.dims.empty()) return out;
    const std::array<int64_t, 3> of_kernel = threads_of_kernel(s.nest, s.func.id);
    add_points_of_threads(s, of_kernel, out);
    // Threads of its own that cover a side whole.
    for (int64_t x : {of_kernel[0], s.extent(s.dims[0]), int64_t{32}})
        for (int64_t y :
             {of_kernel[1], s.dims.size() > 1 ? s.extent(s.dims[1]) : 1, int64_t{1}, int64_t{8}}) {
            if (x < 1 || y < 1 || x * y > s.limits.threads_per_block || x > s.limits.threads[0] ||
                y > s.limits.threads[1])
                continue;
            GpuTemplate t;
            t.threads.push_back({s.dims[0], x, 1});
            if (s.dims.size() > 1) t.threads.push_back({s.dims[1], y, 1});
            add(s, t, out);
        }
    return out;
}

// The actions of all stages; nullopt: a stage at root has no loop for blocks.
std::optional<std::vector<Action>> spelled_out(const Space &s, KernelLevel level,
                                               const GpuTemplate &t) {
    std::vector<Action> all;
    for (const StageNest &stage : s.placed.stages) {
        const Stage &of_graph = s.nest.graph().stage(stage.stage);
        if (of_graph.is_undefined) continue;
        const std::vector<Action> actions = to_actions(of_graph, stage.range, level, t);
        if (level == KernelLevel::Host && actions.empty()) return std::nullopt;
        all.insert(all.end(), actions.begin(), actions.end());
    }
    return all;
}

std::vector<GpuTemplate> templates(const Space &s, KernelLevel level) {
    switch (level) {
        case KernelLevel::Host: return kernels(s);
        case KernelLevel::Block: return in_blocks(s);
        case KernelLevel::Thread: break;
    }
    std::vector<GpuTemplate> out;
    add(s, {}, out);
    GpuTemplate parts;
    parts.reduction_part = vector_points;
    if (has_reductions(s)) out.push_back(parts);
    return out;
}

std::vector<Action> host_loops(const LoopNest &nest, const Func &func, const Machine &host) {
    std::vector<Action> all;
    for (StageId s : func.stages)
        for (Action &a : plain_loops(nest, s, host)) all.push_back(std::move(a));
    return all;
}

// Whether the Func's kernels are its own: it is at root and may run on the device.
bool leads_kernels(const LoopNest &nest, const Func &func) {
    return nest.at(func.id).placement == Placement::Root && !stays_on_host(nest.graph(), func.id);
}

bool is_in_kernel(const LoopNest &nest, const Func &func) {
    return level_of(nest, nest.at(func.id).compute_at) != KernelLevel::Host;
}

}  // namespace

std::vector<Action> plain_gpu_loops(const LoopNest &nest, const Func &func, const Machine &host) {
    if (is_in_tile_kernel(nest, func.stages[0])) return {};
    const bool in_kernel = is_in_kernel(nest, func);
    if (in_kernel || leads_kernels(nest, func)) {
        const Space s = space_of(nest, func, {});
        if (auto actions =
                spelled_out(s, level_of(nest, s.placed.compute_at), plain_gpu_template(nest, func)))
            return std::move(*actions);
    }
    return host_loops(nest, func, host);
}

std::vector<std::vector<Action>> gpu_tilings(const LoopNest &nest, FuncId id, Hardware hardware,
                                             const TilingLimits &limits, Random random) {
    const Func &func = nest.graph().func(id);
    if (is_in_tile_kernel(nest, func.stages[0])) return {{}};
    if (!is_in_kernel(nest, func) && !leads_kernels(nest, func))
        return tilings(nest, id, *hardware.cpu, limits, random);
    const Space s = space_of(nest, func, launch_limits(*hardware.gpu));
    const KernelLevel level = level_of(nest, s.placed.compute_at);
    std::vector<GpuTemplate> all = templates(s, level);
    // The first stays: it is plain.
    all.insert(all.begin(), plain_gpu_template(nest, func));
    if (!limits.exhaustive && all.size() > 4 * limits.count) {
        for (size_t i = 1; i < 4 * limits.count; i++)
            std::swap(all[i], all[i + random.below(all.size() - i)]);
        all.resize(4 * limits.count);
    }
    std::vector<std::vector<Action>> out;
    std::set<uint64_t> seen;
    for (const GpuTemplate &t : all) {
        std::optional<std::vector<Action>> actions = spelled_out(s, level, t);
        if (!actions) break;
        uint64_t h = 0;
        for (const Action &a : *actions) h = mix_bits(h ^ hash(a));
        if (seen.insert(h).second) out.push_back(std::move(*actions));
        if (!limits.exhaustive && out.size() >= limits.count) break;
    }
    // Beside the count: they are few, and no draw may leave them out.
    if (level == KernelLevel::Host && !out.empty())
        for (auto &tiled : tensor_tilings(nest, func, hardware, out.front()))
            out.push_back(std::move(tiled));
    // A small Func may be cheaper on the host, and one without loops for blocks is there. Outputs stay on the device
    // where they can: only the caller knows where they are wanted.
    if (level == KernelLevel::Host && (out.empty() || !func.is_output()))
        out.push_back(host_loops(nest, func, *hardware.cpu));
    return out;
}

}  // namespace cryolite
