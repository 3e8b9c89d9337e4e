#include "search/divisions/divisions.h"

#include <algorithm>

#include "search/divisions/gpu_divisions.h"
#include "search/divisions/reductions.h"
#include "search/plain_schedule.h"
#include "search/reads/gathered_rows.h"
#include "search/reads/whole_reads.h"

namespace cryolite {
namespace {

// Blocks per core, so that cores that come late do not wait for the slowest.
constexpr int64_t blocks_per_core = 2;
// Vectors of partial results, so that as many additions are under way at once as one takes cycles. They are what
// tilings unroll at most (unroll_choices() in tilings.cpp).
constexpr int64_t most_vectors = 4;
// Combining the partial results should be a small part of the work.
constexpr int64_t least_iterations_per_lane = 4;

// Tables that neighbouring iterations fill in turn: where two of them count in the same place, as in a photograph, the
// second would wait for the first one's store.
constexpr int64_t tables = 4;

std::optional<DividedReduction> tables_of(const Reduction &r) {
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l) && r.extent(l) >= tables * least_iterations_per_lane)
            return DividedReduction{r.func().name, r.stage.index, r.stage.loops[l].name,
                                    DividedReduction::Kind::Lanes, tables};
    return std::nullopt;
}

// Points of the Func that fill a vector.
int64_t vector_points(const Func &func, const Machine &machine) {
    return std::max<int64_t>(1, machine.vector_bytes * 8 / std::max(8, func.values[0].bits));
}

// Whether the values of a tuple may hang on a choice, as the place of a maximum does. Of equal values the first must
// win: lanes would take another. Sums and sums of squares choose nothing.
bool chooses(const Stage &stage) {
    for (size_t t = 0; t < static_cast<size_t>(TypeClass::Count); t++)
        for (OpKind k : {OpKind::Select, OpKind::Compare})
            if (stage.ops.at(k, static_cast<TypeClass>(t)) > 0) return true;
    return false;
}

// A partial result for each iteration of a short loop along rows, as over the blocks of an image: the lanes of several
// blocks lie densely beside each other (action::Join).
std::optional<DividedReduction> lanes_of_short_rows(const Reduction &r) {
    constexpr int64_t shortest = 4, longest = 32;
    double all = 1;
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (r.reduces(l)) all *= static_cast<double>(r.extent(l));
    for (size_t l = 0; l < r.stage.loops.size(); l++) {
        const auto extent = r.extent(l);
        if (!r.reduces(l) || !r.stage.loops[l].constant_range || extent < shortest ||
            extent > longest || all < static_cast<double>(extent * least_iterations_per_lane) ||
            !reads_rows_along(r, l))
            continue;
        return DividedReduction{r.func().name, r.stage.index, r.stage.loops[l].name,
                                DividedReduction::Kind::Lanes, extent};
    }
    return std::nullopt;
}

std::optional<DividedReduction> lanes_of(const Reduction &r, const Machine &machine) {
    const Func &func = r.func();
    if (func.values.size() != 1 && chooses(r.stage)) return std::nullopt;
    if (!writes_in_place(r.stage)) return tables_of(r);
    const int64_t vector = vector_points(func, machine);
    if (vector < 2 || has_vectors(r, vector)) return std::nullopt;
    for (size_t l = 0; l < r.stage.loops.size(); l++) {
        if (!r.reduces(l) || !reads_rows_along(r, l)) continue;
        int64_t points = vector * most_vectors;
        while (points > vector && points * least_iterations_per_lane > r.extent(l)) points /= 2;
        if (2 * points > r.extent(l)) return lanes_of_short_rows(r);
        return DividedReduction{func.name, r.stage.index, r.stage.loops[l].name,
                                DividedReduction::Kind::Lanes, points};
    }
    return std::nullopt;
}

// Points along a row that are one piece for a core: those that fill a vector. But where a row of sums walks down over
// rows, they are those that fill a page: prefetchers follow a row up to the end of a page, and find the next one anew.
int64_t row_piece(const Reduction &r, const Machine &machine) {
    const Func &func = r.func();
    const int64_t vector = vector_points(func, machine);
    if (!has_vectors(r, vector) || !writes_in_place(r.stage)) return vector;
    return std::max(vector, machine.page_bytes * 8 / std::max(8, func.values[0].bits));
}

// Into how many pieces the cores can share out the points. Vectors lie along rows where all that is read does, and
// where loaded values choose what is changed: no other loop has any.
int64_t pieces_of(const Reduction &r, const Machine &machine) {
    const Func &func = r.func();
    const int64_t vector = vector_points(func, machine);
    if (func.storage_order.empty() || (!has_vectors(r, vector) && writes_in_place(r.stage)))
        return r.points();
    int64_t pieces = 1;
    for (size_t l = 0; l < r.stage.loops.size(); l++)
        if (!r.reduces(l)) {
            const bool along_row = r.stage.loops[l].func_dim == row_dim(func);
            pieces *= std::max<int64_t>(1, r.extent(l) / (along_row ? row_piece(r, machine) : 1));
        }
    return pieces;
}

std::optional<DividedReduction> blocks_of(const Reduction &r, const Machine &machine) {
    if (machine.cores < 2 || pieces_of(r, machine) >= machine.cores) return std::nullopt;
    if (r.iterations() < parallel_threshold_points) return std::nullopt;
    const int64_t wanted = machine.cores * blocks_per_core;
    const auto loop = outermost_with_parts(r, wanted, [&](size_t l) { return r.extent(l); });
    if (!loop || r.extent(*loop) < 2) return std::nullopt;
    const int64_t size = (r.extent(*loop) + wanted - 1) / wanted;
    return DividedReduction{r.func().name, r.stage.index, r.stage.loops[*loop].name,
                            DividedReduction::Kind::Blocks, size};
}

// Whether the compiler knows all strides of the Func at root.
bool has_constant_strides(const Func &func) {
    for (size_t i = 0; i + 1 < func.storage_order.size(); i++)
        if (!func.constant_region[static_cast<size_t>(func.storage_order[i])]) return false;
    return true;
}

}  // namespace

std::vector<DivisionChoice> division_choices(const StageGraph &graph, Hardware hardware) {
    if (hardware.gpu) return gpu_division_choices(graph, *hardware.gpu);
    const Machine &machine = *hardware.cpu;
    std::vector<DivisionChoice> choices;
    for (const Stage &stage : graph.stages()) {
        if (dividable_loops(graph, stage).empty()) continue;
        const Reduction r(graph, stage);
        DivisionChoice choice;
        choice.stage = stage.id;
        choice.blocks = blocks_of(r, machine);
        choice.lanes = lanes_of(r, machine);
        choice.vector = vector_points(r.func(), machine);
        if (!choice.blocks) choice.whole = whole_of(r);
        if (choice.blocks || choice.lanes || choice.whole) choices.push_back(std::move(choice));
    }
    return choices;
}

std::vector<DividedReduction> copy_choices(const StageGraph &graph, Hardware hardware) {
    std::vector<DividedReduction> choices;
    for (const Func &func : graph.funcs()) {
        if (func.is_input() || func.is_output() || func.root_only || func.locked || func.enclosed)
            continue;
        const bool sums = !has_constant_strides(func) && is_read_as_a_whole(graph, func) &&
                          std::ranges::any_of(func.stages, [&](StageId s) {
                              return !dividable_loops(graph, graph.stage(s)).empty();
                          });
        if (sums || (!hardware.gpu && is_loaded_repeatedly(graph, func) &&
                     dim_without_gathers(graph, func)))
            choices.push_back({func.name, 1, "", DividedReduction::Kind::Copy, 0});
    }
    return choices;
}

}  // namespace cryolite
