#include "search/divisions/gpu_divisions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "search/divisions/reductions.h"

namespace cryolite {
namespace {

// Combining the partial results should be a small part of the work.
constexpr int64_t least_iterations_per_part = 4;
// Of the whole reduction in a chunk, over all its loops. Longer chunks add their sums less often, and take more shared
// memory.
constexpr int64_t chunk_iterations[] = {16, 32};

using Kind = DividedReduction::Kind;

DividedReduction division(const Reduction &r, size_t loop, Kind kind, int64_t points) {
    return {r.func().name, r.stage.index, r.stage.loops[loop].name, kind, points};
}

int64_t parts_of(int64_t extent, int64_t points) { return (extent + points - 1) / points; }

// Partial results of the whole Func that its iterations are enough for.
int64_t affordable_parts(const Reduction &r) {
    const double values = std::max(1.0, points(r.func().root_region));
    return static_cast<int64_t>(r.iterations() / (least_iterations_per_part * values));
}

std::optional<size_t> lane_loop(const Reduction &r, int64_t warp) {
    // Of equal values of a tuple the first must win, and lanes would take another. A histogram's lanes are tables,
    // which blocks are, too.
    if (r.func().values.size() != 1 || !writes_in_place(r.stage) || has_vectors(r, warp))
        return std::nullopt;
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l) && reads_rows_along(r, l) &&
            r.extent(l) >= warp * least_iterations_per_part)
            return l;
    return std::nullopt;
}

// In as many steps of as many: a thread then combines no more than the square root.
DividedReduction combination_of(const Reduction &r, int64_t parts, int64_t warp) {
    const auto steps = static_cast<int64_t>(
        std::exp2(std::ceil(std::log2(std::sqrt(static_cast<double>(parts))))));
    const Func &func = r.func();
    const int64_t row = func.storage_order.empty()
                            ? 1
                            : func.root_region[static_cast<size_t>(func.storage_order[0])].extent();
    // Neighbouring threads are points of a row, or neighbouring parts where rows are shorter than a warp.
    if (row < warp && func.values.size() == 1)
        return {func.name, r.stage.index, "", Kind::Lanes, steps};
    return {func.name, r.stage.index, "", Kind::Blocks, parts_of(parts, steps)};
}

// Whether points of the stage, at least so many along one loop, share each load that moves with reduction loop `l`.
bool shares_loads_along(const Reduction &r, size_t l, int64_t points) {
    bool some = false;
    for (EdgeId e : r.stage.incoming) {
        const Edge &edge = r.graph.edge(e);
        if (edge.is_self) continue;
        for (const Access &access : edge.accesses) {
            const auto moves = [&](size_t loop) {
                return std::ranges::any_of(
                    access.index, [&](const IndexMap &index) { return index.depends_on[loop]; });
            };
            if (!moves(l)) continue;
            bool shared = false;
            for (size_t p = 0; p < r.stage.loops.size(); p++)
                shared |= !r.stage.loops[p].is_reduction && !moves(p) && r.extent(p) >= points;
            if (!shared) return false;
            some = true;
        }
    }
    return some;
}

// Parts of a reduction that a block walks one after the other: what the points of a block share of a part is loaded
// into shared memory once. The sums of a part grow in registers; those of all parts wait in shared memory, since Halide
// keeps no registers of a thread beyond a barrier where the last blocks are guarded.
std::vector<DividedReduction> chunks_of(const Reduction &r, int64_t warp) {
    if (r.func().values.size() != 1 || !writes_in_place(r.stage)) return {};
    std::optional<size_t> longest;
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l) && shares_loads_along(r, l, warp / 2) &&
            (!longest || r.extent(l) > r.extent(*longest)))
            longest = l;
    std::vector<DividedReduction> chunks;
    if (!longest) return chunks;
    int64_t others = 1;  // iterations of the other loops that reduce, all in each chunk
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l) && l != *longest) others *= std::max<int64_t>(1, r.extent(l));
    for (int64_t wanted : chunk_iterations) {
        const auto least = static_cast<uint64_t>(parts_of(wanted, others));
        const auto points = static_cast<int64_t>(std::bit_ceil(least));
        if (points > 1 && r.extent(*longest) >= 2 * points)
            chunks.push_back(division(r, *longest, Kind::Blocks, points));
    }
    return chunks;
}

DivisionChoice choice_of(const Reduction &r, const gpu::GpuDevice &device) {
    const int64_t warp = device.limits.threads_per_warp;
    const auto wanted = static_cast<int64_t>(device.sm_count * device.speeds.busy_warps) * warp;
    DivisionChoice choice;
    choice.stage = r.stage.id;
    choice.vector = warp;
    int64_t parts = std::min(wanted / std::max<int64_t>(1, r.points()), affordable_parts(r));
    const std::optional<size_t> lanes =
        affordable_parts(r) >= warp ? lane_loop(r, warp) : std::nullopt;
    if (lanes) {
        choice.lanes = division(r, *lanes, Kind::Lanes, warp);
        parts /= warp;
    }
    // Iterations of a block: more where its lanes divide the same loop again.
    const auto least_size = [&](size_t loop) {
        return lanes == loop ? least_iterations_per_part * warp : 1;
    };
    const auto possible = [&](size_t loop) { return parts_of(r.extent(loop), least_size(loop)); };
    const auto loop = outermost_with_parts(r, parts, possible);
    if (parts >= 2 && loop && possible(*loop) >= 2) {
        const int64_t size = std::max(parts_of(r.extent(*loop), parts), least_size(*loop));
        const int64_t blocks = parts_of(r.extent(*loop), size);
        choice.blocks = division(r, *loop, Kind::Blocks, size);
        if (blocks > 2 * warp) choice.combination = combination_of(r, blocks, warp);
    }
    if (!choice.blocks) {
        choice.whole = whole_of(r);
        choice.chunks = chunks_of(r, warp);
    }
    return choice;
}

}  // namespace

std::vector<DivisionChoice> gpu_division_choices(const StageGraph &graph,
                                                 const gpu::GpuDevice &device) {
    std::vector<DivisionChoice> choices;
    for (const Stage &stage : graph.stages()) {
        if (dividable_loops(graph, stage).empty()) continue;
        DivisionChoice choice = choice_of(Reduction(graph, stage), device);
        if (choice.blocks || choice.lanes || choice.whole || !choice.chunks.empty())
            choices.push_back(std::move(choice));
    }
    return choices;
}

}  // namespace cryolite
