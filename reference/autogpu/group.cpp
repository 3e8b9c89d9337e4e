#include "reference/autogpu/group.h"

#include <algorithm>

namespace cryolite::gpu {

GroupShape shape_of(const StageGraph &graph, StageId driver, const AutoGpuOptions &options) {
    constexpr size_t grid_dimensions = 3;
    const Stage &stage = graph.stage(driver);
    const Func &func = graph.func_of(driver);
    GroupShape shape;
    reuse::TiledNest &nest = shape.nest;
    nest.stage = driver;
    nest.ranges.resize(stage.loops.size());
    graph.loop_ranges(stage, func.root_region, nest.ranges);
    for (const Interval &range : nest.ranges) nest.tile.push_back(range.extent());

    const auto extent = [&](int l) { return nest.ranges[static_cast<size_t>(l)].extent(); };
    const auto stride_rank = [&](int l) {
        const auto &order = func.storage_order;
        const int dim = stage.loops[static_cast<size_t>(l)].func_dim;
        return std::find(order.begin(), order.end(), dim) - order.begin();
    };
    std::vector<int> candidates;
    for (size_t l = 0; l < nest.ranges.size(); l++) {
        const StageLoop &loop = stage.loops[l];
        const int index = static_cast<int>(l);
        if (!loop.is_reduction && loop.parallelizable && extent(index) > 1) {
            candidates.push_back(index);
        }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](int a, int b) { return extent(a) > extent(b); });
    for (int l : candidates) {
        const bool long_enough = extent(l) >= options.few_iterations;
        if (shape.thread_loops.size() < grid_dimensions &&
            (long_enough || shape.thread_loops.empty())) {
            shape.thread_loops.push_back(l);
        }
    }
    std::sort(shape.thread_loops.begin(), shape.thread_loops.end(),
              [&](int a, int b) { return stride_rank(a) < stride_rank(b); });

    for (size_t l = 0; l < nest.ranges.size(); l++) {
        const int index = static_cast<int>(l);
        const auto &threads = shape.thread_loops;
        if (std::find(threads.begin(), threads.end(), index) == threads.end()) {
            nest.order.push_back({index, false});
        }
    }
    for (int l : shape.thread_loops) nest.order.push_back({l, false});
    for (int l : shape.thread_loops) nest.order.push_back({l, true});
    return shape;
}

TileBounds tile_bounds(int64_t extent, size_t tiled_loops) {
    TileBounds b;
    b.least = extent >= 64 ? 8 : 2;
    b.most = extent < 1024 ? extent / 2 : extent / (tiled_loops == 1 ? 128 : 32);
    b.least = std::clamp<int64_t>(b.least, 1, std::max<int64_t>(1, extent));
    b.most = std::clamp<int64_t>(b.most, b.least, std::max<int64_t>(1, extent));
    return b;
}

std::array<int, 3> thread_dims(const Func &func, const reuse::MemberOverlaps &overlaps,
                               const GroupShape &shape, const Box &box) {
    std::array<int, 3> dims{-1, -1, -1};
    bool any = false;
    for (size_t j = 0; j < shape.thread_loops.size(); j++) {
        const int d = overlaps.moved_dim[static_cast<size_t>(shape.thread_loops[j])];
        if (d < 0 || std::find(dims.begin(), dims.end(), d) != dims.end()) continue;
        dims[j] = d;
        any = true;
    }
    if (!any && !shape.thread_loops.empty()) {
        for (int d : func.storage_order) {
            const auto length = [&](int dim) { return box[static_cast<size_t>(dim)].extent(); };
            if (dims[0] < 0 || length(d) > length(dims[0])) dims[0] = d;
        }
    }
    return dims;
}

}  // namespace cryolite::gpu
