#include "search/reads/shared_vectors.h"

#include <algorithm>

#include "search/reads/index_walks.h"

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

using Accesses = std::vector<const Access *>;

// What the stage loads that moves with the vectors and not with the rows.
void add_shared_loads(const StageGraph &graph, const Stage &stage, const Loops &vector,
                      const Loops &row, Accesses &shared) {
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        if (edge.is_self) continue;
        for (const Access &access : edge.accesses)
            if (moves_with(access, vector) && !moves_with(access, row)) shared.push_back(&access);
    }
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

// What the sums of the Func share, with vectors along some of its dimensions and rows along others.
void add_shared_of_sums(const StageGraph &graph, const Func &func, const std::vector<bool> &vector,
                        const std::vector<bool> &row, Accesses &shared) {
    for (StageId s : func.stages) {
        const Stage &stage = graph.stage(s);
        const Loops across = loops_over(stage, row);
        if (sums_up(stage) && std::ranges::find(across, true) != across.end())
            add_shared_loads(graph, stage, loops_over(stage, vector), across, shared);
    }
}

// The sums are the Func's, or those of a Func that it alone reads.
Accesses shared_vectors(const StageGraph &graph, const Func &func, int vector_dim, int row) {
    Accesses shared;
    if (vector_dim < 0 || row < 0 || vector_dim == row) return shared;
    std::vector<bool> vector(func.dims.size(), false), rows(func.dims.size(), false);
    vector[static_cast<size_t>(vector_dim)] = true;
    rows[static_cast<size_t>(row)] = true;
    add_shared_of_sums(graph, func, vector, rows, shared);
    for (StageId s : func.stages) {
        const Stage &stage = graph.stage(s);
        const Loops along = loops_over(stage, vector), across = loops_over(stage, rows);
        for (EdgeId e : stage.incoming) {
            const Edge &edge = graph.edge(e);
            if (!edge.is_self && graph.only_feeds(edge.producer, func.id))
                add_shared_of_sums(graph, graph.func(edge.producer), moved_dims(graph, edge, along),
                                   moved_dims(graph, edge, across), shared);
        }
    }
    return shared;
}

}  // namespace

bool share_vectors(const StageGraph &graph, const Func &func, int vector_dim, int row) {
    return !shared_vectors(graph, func, vector_dim, row).empty();
}

bool share_different_vectors(const StageGraph &graph, const Func &func, int vector_dim,
                             std::pair<int, int> rows) {
    const Accesses first = shared_vectors(graph, func, vector_dim, rows.first),
                   second = shared_vectors(graph, func, vector_dim, rows.second);
    const auto has_other = [](const Accesses &of, const Accesses &than) {
        return std::ranges::any_of(of, [&](const Access *access) {
            return std::ranges::find(than, access) == than.end();
        });
    };
    return has_other(first, second) && has_other(second, first);
}

}  // namespace cryolite
