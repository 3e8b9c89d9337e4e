#include "code/stage/woven_vectors.h"

#include "code/stage/split_tails.h"

namespace cryolite {
namespace {

int64_t floor_to(int64_t v, int64_t multiple) {
    const int64_t rest = v % multiple;
    return v - (rest < 0 ? rest + multiple : rest);
}

}  // namespace

int64_t aligned_to(const StageGraph &graph, const FuncNest &func, size_t dim) {
    if (func.stages.empty() || func.stages[0].loops.empty() || func.stages[0].in_kernel) return 1;
    const LoopLevel &vector = func.stages[0].loops.back();
    if (vector.kind != LoopKind::Vectorized || vector.woven == 1) return 1;
    const StageLoop &loop =
        graph.stage(func.stages[0].stage).loops[static_cast<size_t>(vector.name.dim)];
    if (loop.func_dim != static_cast<int>(dim)) return 1;
    // Halide aligns what all stages compute.
    for (StageId s : graph.func(func.func).stages)
        for (const StageLoop &l : graph.stage(s).loops)
            if (l.func_dim == static_cast<int>(dim) && !may_round_up(graph.func(func.func), l))
                return 1;
    return vector.woven;
}

Interval aligned(const Interval &points, int64_t multiple) {
    return {floor_to(points.min, multiple), floor_to(points.max, multiple) + multiple - 1};
}

Box aligned_box(const StageGraph &graph, const FuncNest &func, Box box) {
    for (size_t d = 0; d < box.size(); d++)
        if (const int64_t multiple = aligned_to(graph, func, d); multiple > 1)
            box[d] = aligned(box[d], multiple);
    return box;
}

int64_t aligned_points(int64_t points, int64_t multiple) {
    return multiple == 1 ? points : floor_to(points + 2 * (multiple - 1), multiple);
}

}  // namespace cryolite
