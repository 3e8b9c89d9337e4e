#include "search/divisions.h"

#include <algorithm>

#include "search/gathered_rows.h"
#include "search/plain_schedule.h"
#include "search/whole_reads.h"

namespace cryolite {
namespace {

// Blocks per core, so that cores that come late do not wait for the slowest.
constexpr int64_t blocks_per_core = 2;
// Vectors of partial results, so that as many additions are under way at once as one takes cycles. They are what tilings
// unroll at most (unroll_choices() in tilings.cpp).
constexpr int64_t most_vectors = 4;
// Combining the partial results should be a small part of the work.
constexpr int64_t least_iterations_per_lane = 4;

// A loop whose iterations change the same values.
bool is_shared(const StageLoop &loop) { return loop.is_reduction && !loop.parallelizable; }

struct Reduction {
    const StageGraph &graph;
    const Stage &stage;
    std::vector<Interval> ranges;

    int64_t extent(size_t loop) const { return ranges[loop].extent(); }
    bool reduces(size_t loop) const { return is_shared(stage.loops[loop]); }
};

// How far an iteration of the loop moves the index; nothing where that is not known.
std::optional<double> step(const IndexMap &index, size_t loop) {
    if (!index.depends_on[loop]) return 0;
    if (index.affine) return index.coefficient[loop].value();
    if (index.irregular[loop]) return std::nullopt;
    return index.step[loop].value();
}

// Calls what(access, dimension of the producer along which neighbours lie in memory) for all that the stage reads of others.
template <typename Function>
void for_each_load(const Reduction &r, const Function &what) {
    for (EdgeId e : r.stage.incoming) {
        const Edge &edge = r.graph.edge(e);
        const Func &producer = r.graph.func(edge.producer);
        if (edge.is_self || producer.storage_order.empty()) continue;
        for (const Access &access : edge.accesses)
            what(access, static_cast<size_t>(producer.storage_order[0]));
    }
}

// Whether neighbouring iterations read neighbours in memory.
bool reads_a_row_along(const Access &access, size_t inner, size_t loop) {
    for (size_t d = 0; d < access.index.size(); d++)
        if (step(access.index[d], loop) != (d == inner ? 1.0 : 0.0)) return false;
    return true;
}

// In at least one load.
bool reads_rows_along(const Reduction &r, size_t loop) {
    bool some = false;
    for_each_load(r, [&](const Access &access, size_t inner) {
        some |= reads_a_row_along(access, inner, loop);
    });
    return some;
}

// In all loads that move with the loop.
bool reads_only_rows_along(const Reduction &r, size_t loop) {
    bool all = true;
    for_each_load(r, [&](const Access &access, size_t inner) {
        const bool moves = std::ranges::any_of(
            access.index, [&](const IndexMap &index) { return index.depends_on[loop]; });
        all &= !moves || reads_a_row_along(access, inner, loop);
    });
    return all;
}

// Whether the stage has vectors along the rows of its Func without more ado.
bool has_vectors(const Reduction &r, int64_t lanes) {
    const Func &func = r.graph.func(r.stage.func);
    for (size_t l = 0; l < r.stage.loops.size(); l++) {
        const StageLoop &loop = r.stage.loops[l];
        if (loop.is_reduction || func.storage_order.empty() ||
            loop.func_dim != func.storage_order[0] || r.extent(l) < lanes)
            continue;
        return reads_only_rows_along(r, l);
    }
    return false;
}

// Whether the update writes where its loops say: no loaded value chooses the place.
bool writes_in_place(const Stage &stage) {
    for (const Access &store : stage.stores)
        for (const IndexMap &index : store.index)
            if (!index.affine) return false;
    return true;
}

// Tables that neighbouring iterations fill in turn: where two of them count in the same place, as in a photograph, the
// second would wait for the first one's store.
constexpr int64_t tables = 4;

std::optional<DividedReduction> tables_of(const Reduction &r) {
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l) && r.extent(l) >= tables * least_iterations_per_lane)
            return DividedReduction{r.graph.func(r.stage.func).name, r.stage.index,
                                    r.stage.loops[l].name, DividedReduction::Kind::Lanes, tables};
    return std::nullopt;
}

// Points of the Func that fill a vector.
int64_t vector_points(const Func &func, const Machine &machine) {
    return std::max<int64_t>(1, machine.vector_bytes * 8 / std::max(8, func.values[0].bits));
}

std::optional<DividedReduction> lanes_of(const Reduction &r, const Machine &machine) {
    const Func &func = r.graph.func(r.stage.func);
    // Of equal values the first must win: lanes would take another.
    if (func.values.size() != 1) return std::nullopt;
    if (!writes_in_place(r.stage)) return tables_of(r);
    const int64_t vector = vector_points(func, machine);
    if (vector < 2 || has_vectors(r, vector)) return std::nullopt;
    for (size_t l = 0; l < r.stage.loops.size(); l++) {
        if (!r.reduces(l) || !reads_rows_along(r, l)) continue;
        int64_t points = vector * most_vectors;
        while (points > vector && points * least_iterations_per_lane > r.extent(l)) points /= 2;
        if (2 * points > r.extent(l)) return std::nullopt;
        return DividedReduction{func.name, r.stage.index, r.stage.loops[l].name,
                                DividedReduction::Kind::Lanes, points};
    }
    return std::nullopt;
}

std::optional<DividedReduction> blocks_of(const Reduction &r, const Machine &machine) {
    int64_t points = 1;
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (!r.reduces(l)) points *= std::max<int64_t>(1, r.extent(l));
    if (machine.cores < 2 || points >= machine.cores) return std::nullopt;
    double iterations = static_cast<double>(points);
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l)) iterations *= static_cast<double>(r.extent(l));
    if (iterations < parallel_threshold_points) return std::nullopt;
    const int64_t wanted = machine.cores * blocks_per_core;
    // The outermost loop that is long enough, else the longest.
    std::optional<size_t> taken;
    for (size_t l = r.stage.loops.size(); l-- > 0;) {
        if (!r.reduces(l)) continue;
        if (!taken || (r.extent(*taken) < wanted && r.extent(l) > r.extent(*taken))) taken = l;
    }
    if (!taken || r.extent(*taken) < 2) return std::nullopt;
    const int64_t size = (r.extent(*taken) + wanted - 1) / wanted;
    return DividedReduction{r.graph.func(r.stage.func).name, r.stage.index,
                            r.stage.loops[*taken].name, DividedReduction::Kind::Blocks, size};
}

// Whether the compiler knows all strides of the Func at root.
bool has_constant_strides(const Func &func) {
    for (size_t i = 0; i + 1 < func.storage_order.size(); i++)
        if (!func.constant_region[static_cast<size_t>(func.storage_order[i])]) return false;
    return true;
}

}  // namespace

std::vector<size_t> dividable_loops(const StageGraph &graph, const Stage &stage) {
    const Func &func = graph.func(stage.func);
    if (stage.index == 0 || func.locked || func.is_extern || func.enclosed || stage.is_undefined ||
        stage.predicate_narrows)
        return {};
    std::vector<size_t> loops;
    for (size_t l = 0; l < stage.loops.size(); l++) {
        if (stage.loops[l].is_reduction && !stage.loops[l].reorderable) return {};
        if (is_shared(stage.loops[l])) loops.push_back(l);
    }
    return loops;
}

std::vector<DivisionChoice> division_choices(const StageGraph &graph, const Machine &machine) {
    std::vector<DivisionChoice> choices;
    for (const Stage &stage : graph.stages()) {
        if (dividable_loops(graph, stage).empty()) continue;
        Reduction r{graph, stage, std::vector<Interval>(stage.loops.size())};
        graph.loop_ranges(stage, graph.func(stage.func).root_region, r.ranges);
        DivisionChoice choice{stage.id, blocks_of(r, machine), lanes_of(r, machine),
                              vector_points(graph.func(stage.func), machine)};
        if (choice.blocks || choice.lanes) choices.push_back(std::move(choice));
    }
    return choices;
}

std::vector<DividedReduction> copy_choices(const StageGraph &graph) {
    std::vector<DividedReduction> choices;
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || func.is_output() || func.root_only || func.locked || func.enclosed)
            continue;
        const bool sums = !has_constant_strides(func) && is_read_as_a_whole(graph, func) &&
                          std::ranges::any_of(func.stages, [&](StageId s) {
                              return !dividable_loops(graph, graph.stage(s)).empty();
                          });
        if (sums || (is_loaded_repeatedly(graph, func) && dim_without_gathers(graph, func)))
            choices.push_back({func.name, 1, "", DividedReduction::Kind::Copy, 0});
    }
    return choices;
}

}  // namespace cryolite
