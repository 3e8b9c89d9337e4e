#include "code/legality/clamped_loops.h"

#include <algorithm>

#include "code/regions/regions.h"

namespace cryolite {
namespace {

// Whether an index in f's own reads moves with its dimension `dim` and has no clamp.
bool reads_on(const StageGraph &graph, const Func &f, int dim) {
    const auto moves_freely = [&](const Stage &stage, const IndexMap &index) {
        if (index.clamp != Clamp::None) return false;
        for (size_t l = 0; l < stage.loops.size() && l < index.depends_on.size(); l++)
            if (index.depends_on[l] && stage.loops[l].func_dim == dim) return true;
        return false;
    };
    return std::ranges::any_of(f.stages, [&](StageId s) {
        const Stage &stage = graph.stage(s);
        return std::ranges::any_of(stage.incoming, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            return !edge.is_self && std::ranges::any_of(edge.accesses, [&](const Access &access) {
                return std::ranges::any_of(
                    access.index, [&](const IndexMap &i) { return moves_freely(stage, i); });
            });
        });
    });
}

// The dimensions of f whose index in the stage's reads moves with a loop of the stage. If another Func reads f, inlined
// or computed deeper inside, the answer is all dimensions.
std::vector<int> dims_that_move(const StageGraph &graph, const Func &f, StageId reader, int loop) {
    std::vector<int> dims;
    for (size_t d = 0; d < f.root_region.size(); d++) {
        const bool moves = std::ranges::any_of(f.outgoing, [&](EdgeId e) {
            const Edge &edge = graph.edge(e);
            if (edge.consumer != reader) return !edge.is_self;
            return std::ranges::any_of(edge.accesses, [&](const Access &access) {
                return d < access.index.size() &&
                       static_cast<size_t>(loop) < access.index[d].depends_on.size() &&
                       access.index[d].depends_on[static_cast<size_t>(loop)];
            });
        });
        if (moves) dims.push_back(static_cast<int>(d));
    }
    return dims;
}

}  // namespace

bool overreaches_clamped_loop(const LoopNest &nest, const Func &f, LoopName site) {
    const StageGraph &graph = nest.graph();
    const Stage &stage = graph.stage(site.stage);
    const FuncNest &owner = nest.at(stage.func);
    if (owner.placement != Placement::At) return false;
    const StageNest &loops = nest.stage_nest(site.stage);
    const auto inner = loops.loops.begin() + nest.position(site) + 1;
    return std::any_of(inner, loops.loops.end(), [&](const LoopLevel &l) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l.name.dim)];
        const bool is_whole = l.name.level == 0 && l.span == 1 && l.extent > 1;
        if (!is_whole || loop.is_reduction || loop.func_dim < 0) return false;
        const std::vector<int> dims = dims_that_move(graph, f, site.stage, l.name.dim);
        return std::ranges::any_of(dims, [&](int d) { return reads_on(graph, f, d); }) &&
               is_slide_clamped(nest, owner.func, loop.func_dim, *owner.compute_at);
    });
}

}  // namespace cryolite
