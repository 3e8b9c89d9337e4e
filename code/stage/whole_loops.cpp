#include "code/stage/whole_loops.h"

#include <algorithm>

#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// Whether an access of the site's stage moves only with loops of which one iteration of the site walks a constant part.
// A loop over a whole dimension may be bounded by the split of its own reader. It does not count: this is more than one
// step away from a constant, and Halide's simplifier may fail. So it may under the guards of two splits.
bool moves_by_constants(const LoopNest &nest, const Stage &stage, LoopName site,
                        const IndexMap &index) {
    const StageNest &reader = nest.stage_nest(stage.id);
    const LoopLevels &loops = reader.loops;
    const auto around = loops.begin() + nest.position(site) + 1;
    for (size_t l = 0; l < index.coefficient.size(); l++) {
        if (index.coefficient[l].is_zero()) continue;
        if (stage.loops[l].is_reduction && stage.loops[l].constant_range) continue;
        const auto of_dim = [&](const LoopLevel &level) {
            return static_cast<size_t>(level.name.dim) == l;
        };
        if (!(index.coefficient[l] == Rational{1, 1}) ||
            std::none_of(loops.begin(), around, of_dim))
            return false;
        const auto outermost = std::find_if(loops.begin(), loops.end(), of_dim);
        const bool is_guarded = rounding_span(nest.graph(), reader, l, true) < outermost->span;
        if (is_guarded && std::count_if(around, loops.end(), of_dim) > 1) return false;
    }
    return true;
}

// Whether the site is inside an output that is tiled along at most one dimension. An output is specialised for sizes of
// at least one tile. If one side alone decides, Halide knows in the other case that this side is smaller than a tile.
// It then forgets the tile's bound and unrolls nothing (seen with 21).
bool is_for_one_sided_output(const LoopNest &nest, LoopName site) {
    const StageGraph &graph = nest.graph();
    while (nest.at(graph.stage(site.stage).func).compute_at)
        site = *nest.at(graph.stage(site.stage).func).compute_at;
    if (!graph.func_of(site.stage).is_output()) return false;
    const LoopLevels &loops = nest.stage_nest(site.stage).loops;
    return std::ranges::count_if(
               loops, [](const LoopLevel &l) { return l.name.level == 0 && l.span > 1; }) < 2;
}

}  // namespace

bool is_conditional(const StageLoop &loop) { return loop.in_predicate && !loop.is_reduction; }

bool is_whole_of_tile(const LoopNest &nest, LoopName loop) {
    const StageGraph &graph = nest.graph();
    const Stage &stage = graph.stage(loop.stage);
    const FuncNest &placed = nest.at(stage.func);
    const StageNest &loops = nest.stage_nest(loop.stage);
    const StageLoop &of_stage = stage.loops[static_cast<size_t>(loop.dim)];
    // The outermost level of a split dimension never walks single points.
    const bool is_split = loops.loops[static_cast<size_t>(nest.position(loop))].span != 1;
    if (of_stage.is_reduction || loop.level > 0) return false;
    if (placed.is_companion) return shared_part(nest, placed, of_stage.func_dim) > 1;
    if (is_split) return false;
    if (placed.compute_at && is_for_one_sided_output(nest, *placed.compute_at)) return false;
    if (!placed.compute_at || placed.store_at != placed.compute_at || loops.in_kernel) return false;
    const auto d = static_cast<size_t>(of_stage.func_dim);
    if (placed.storage_bound[d] == 0 ||
        placed.storage_bound[d] != loops.range[static_cast<size_t>(loop.dim)].extent())
        return false;
    for (EdgeId e : graph.func(stage.func).outgoing)
        for (const Access &access : graph.edge(e).accesses)
            // A reader that is computed at the site too is also more than one step away from a constant.
            if (graph.edge(e).consumer != placed.compute_at->stage ||
                !moves_by_constants(nest, graph.stage(graph.edge(e).consumer), *placed.compute_at,
                                    access.index[d]))
                return false;
    return true;
}

}  // namespace cryolite
