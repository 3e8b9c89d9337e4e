#include "search/shared_vectors.h"

#include <algorithm>

#include "search/index_walks.h"

namespace cryolite {
namespace {

using Loops = std::vector<bool>;  // per loop of a stage

bool moves_with(const Access &access, const Loops &loops) {
    for (size_t l = 0; l < loops.size(); l++)
        if (loops[l] && std::ranges::any_of(access.index,
                                            [&](const IndexMap &index) { return moves(index, l); }))
            return true;
    return false;
}

bool sums_up(const Stage &stage) {
    return std::ranges::any_of(stage.loops, &StageLoop::is_reduction);
}

// Whether the stage loads something that moves with the vectors and not with the rows.
bool shares_loads(const StageGraph &graph, const Stage &stage, const Loops &vector,
                  const Loops &row) {
    return std::ranges::any_of(stage.incoming, [&](EdgeId e) {
        const Edge &edge = graph.edge(e);
        return !edge.is_self && std::ranges::any_of(edge.accesses, [&](const Access &access) {
            return moves_with(access, vector) && !moves_with(access, row);
        });
    });
}

Loops loops_over(const Stage &stage, const std::vector<bool> &dims) {
    Loops loops(stage.loops.size(), false);
    for (size_t l = 0; l < loops.size(); l++) {
        const int dim = stage.loops[l].func_dim;
        loops[l] = dim >= 0 && dims[static_cast<size_t>(dim)];
    }
    return loops;
}

// The producer's dimensions in which the reader's loads move with its loops.
std::vector<bool> moved_dims(const StageGraph &graph, const Edge &edge, const Loops &loops) {
    std::vector<bool> dims(graph.func(edge.producer).dims.size(), false);
    for (const Access &access : edge.accesses)
        for (size_t d = 0; d < dims.size(); d++)
            for (size_t l = 0; l < loops.size(); l++)
                if (loops[l] && moves(access.index[d], l)) dims[d] = true;
    return dims;
}

// Whether some sum of the Func shares loads, with vectors along some of its dimensions and rows along others.
bool sums_share(const StageGraph &graph, const Func &func, const std::vector<bool> &vector,
                const std::vector<bool> &row) {
    return std::ranges::any_of(func.stages, [&](StageId s) {
        const Stage &stage = graph.stage(s);
        const Loops across = loops_over(stage, row);
        return sums_up(stage) && std::ranges::find(across, true) != across.end() &&
               shares_loads(graph, stage, loops_over(stage, vector), across);
    });
}

}  // namespace

bool share_vectors(const StageGraph &graph, const Func &func, int vector_dim, int row) {
    if (vector_dim < 0 || row < 0 || vector_dim == row) return false;
    std::vector<bool> vector(func.dims.size(), false), rows(func.dims.size(), false);
    vector[static_cast<size_t>(vector_dim)] = true;
    rows[static_cast<size_t>(row)] = true;
    if (sums_share(graph, func, vector, rows)) return true;
    for (StageId s : func.stages) {
        const Stage &stage = graph.stage(s);
        const Loops along = loops_over(stage, vector), across = loops_over(stage, rows);
        for (EdgeId e : stage.incoming) {
            const Edge &edge = graph.edge(e);
            if (!edge.is_self && graph.only_feeds(edge.producer, func.id) &&
                sums_share(graph, graph.func(edge.producer), moved_dims(graph, edge, along),
                           moved_dims(graph, edge, across)))
                return true;
        }
    }
    return false;
}

}  // namespace cryolite
