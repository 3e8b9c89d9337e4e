#include "analytical/cycles/joined_accesses.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analytical/cycles/access_cycles.h"
#include "analytical/stored_side.h"
#include "code/kernel/first_points.h"

namespace cryolite {
namespace {

// Elements from one row to the next of a Func that is computed inside of loops, where loop `l` walks from row to row
// and the compiler knows how long a row is.
std::optional<int64_t> row_of_tile(const LoopNest &schedule, const LoadGroup &load, size_t l,
                                   const ConstantSides &sides) {
    if (schedule.graph().func(load.producer).is_input()) return std::nullopt;
    const std::vector<int> &order = schedule.storage_order(load.producer);
    if (order.size() < 2) return std::nullopt;
    for (size_t d = 0; d < load.coefficient.size(); d++)
        if (load.coefficient[d][l] != (static_cast<int>(d) == order[1] ? 1 : 0))
            return std::nullopt;
    const auto row = static_cast<size_t>(order[0]);
    if (!sides.has_constant_stride(load.producer, static_cast<size_t>(order[1])))
        return std::nullopt;
    return stored_side(schedule, load.producer, row);
}

// Whether an index is rounded as it moves with loop `l`, or wraps around.
bool is_rounded(const LoadGroup &load, size_t l) {
    for (size_t d = 0; d < load.coefficient.size(); d++)
        if (is_run(load, d, l) || load.coefficient[d][l] != std::round(load.coefficient[d][l]))
            return true;
    return std::ranges::any_of(load.wrapped, [&](const std::vector<WrappedIndex> &parts) {
        return std::ranges::any_of(
            parts, [&](const WrappedIndex &part) { return part.coefficient[l] != 0; });
    });
}

// Whether Halide finds that all lanes of a vector along loop `l` need the same copies' elements.
bool all_lanes_share(const LoopNest &schedule, const Stage &reader, const LoadGroup &load, size_t l,
                     int lanes) {
    bool moves = false;  // else it does so irregularly
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        if (load.coefficient[d][l] == 0) continue;
        moves = true;
        if (!lanes_share_index(schedule, reader.id, load, d, static_cast<int>(l), lanes, true))
            return false;
    }
    return moves;
}

// Cycles to put a vector of so many elements together out of pieces that lie apart, or to take it apart.
double cycles_of_pieces(const Machine &machine, int pieces, double access) {
    return pieces * (access + machine.vector.shuffle);
}

// Cycles to load two elements of a row for each lane, where each lane shares one with the next, as in a window that
// slides along the row: a load of the first ones, one more element, and the pairs picked out of both. With Halide 21
// and AVX-512 these are four instructions for 16 or 32 lanes. LLVM puts longer windows together piece by piece.
double overlapping_pairs_cycles(const Machine &machine, int bits, int lanes) {
    // Without a shuffle of words across a vector, its halves are shuffled apart and joined.
    const double shuffles = picks_from_two(machine) ? 1 : 3;
    return vectors(machine, bits, lanes) * machine.vector.load *
               accesses_per_vector(machine, bits, lanes) +
           machine.vector.strided_element +
           vectors(machine, bits, 2 * lanes) * shuffles * machine.vector.shuffle;
}

}  // namespace

double joined_load_cycles(const Machine &machine, const LoopNest &schedule, const Stage &reader,
                          const LoadGroup &load, const InnerLoops &in, int lanes,
                          const ConstantSides &sides) {
    const auto along = static_cast<size_t>(in.joined_dim),
               across = static_cast<size_t>(in.vector_dim);
    const std::vector<ScalarType> &values = schedule.graph().func(load.producer).values;
    const int bits = values.empty() ? 32 : values[0].bits;
    if (load.scattered[along] || load.scattered[across])
        return lanes * machine.vector.gather_element;
    const bool are_neighbours = lane_stride(schedule, reader.id, load, along, in.joined) == 1;
    const int elements = lanes * in.joined;
    if (!load.depends_on[across]) {
        // A broadcast of the copies' elements together.
        return are_neighbours ? machine.scalar.load / in.joined : machine.vector.strided_element;
    }
    // Of an index that is rounded, Halide 21 loads each element of the long vector by itself, unless it finds the lanes
    // to be equal.
    if (are_neighbours && all_lanes_share(schedule, reader, load, across, lanes))
        return machine.scalar.load / in.joined;
    if (!are_neighbours || is_rounded(load, across)) return lanes * machine.vector.gather_element;
    const std::optional<double> step = lane_stride(schedule, reader.id, load, across, lanes);
    if (step == 1 && in.joined == 2)
        return overlapping_pairs_cycles(machine, bits, lanes) / in.joined;
    if (step == in.joined || row_of_tile(schedule, load, across, sides) == in.joined)
        return vectors(machine, bits, elements) * machine.vector.load *
               accesses_per_vector(machine, bits, elements) / in.joined;
    if (reader.loops[along].is_reduction) return lanes * machine.vector.strided_element / in.joined;
    return cycles_of_pieces(machine, lanes, machine.vector.load) / in.joined;
}

double joined_store_cycles(const Machine &machine, int bits, const InnerLoops &in, int lanes,
                           bool dense) {
    if (dense) return vectors(machine, bits, lanes * in.joined) * machine.vector.store / in.joined;
    return cycles_of_pieces(machine, lanes, machine.vector.store) / in.joined;
}

}  // namespace cryolite
