#include "analytical/cycles/access_cycles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "analytical/cycles/joined_accesses.h"
#include "code/kernel/first_points.h"
#include "graph/facts/scatters.h"

namespace cryolite {
namespace {

// Copies that loads_together() looks at.
constexpr double most_begins = 64;

// How the lanes of a vector walk through memory.
struct LaneWalk {
    // Lanes that need the same element, one after the other. 0: no regular number.
    double per_element = 1;
    double stride = 0;  // elements from one that is needed to the next
};

// How far index d moves from one lane to the next.
double step_of_lane(const LoadGroup &load, size_t d, size_t v, int lane_step) {
    if (lane_step == 1) return load.coefficient[d][v];
    // 2 / 3 of a point from one to the next are whole points from every third one to the next.
    double step = load.coefficient[d][v] * lane_step;
    // What wraps around is back where it was.
    if (d < load.wrapped.size())
        for (const WrappedIndex &part : load.wrapped[d])
            if (const int64_t moved = part.coefficient[v] * lane_step; moved % part.modulus == 0)
                step -= part.factor.value() * static_cast<double>(moved);
    constexpr double rounding = 1e-4;
    return std::abs(step - std::round(step)) < rounding ? std::round(step) : step;
}

// Nothing: the compiler does not know the stride as a constant.
std::optional<LaneWalk> lane_walk(const LoopNest &schedule, StageId reader, const LoadGroup &load,
                                  size_t v, int lanes, int lane_step) {
    const Func &producer = schedule.graph().func(load.producer);
    const std::vector<int> &order = schedule.storage_order(load.producer);
    LaneWalk walk;
    int moved = 0;
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        const double step = step_of_lane(load, d, v, lane_step);
        if (step == 0) continue;
        if (lane_step == 1 &&
            lanes_share_index(schedule, reader, load, d, static_cast<int>(v), lanes))
            continue;
        moved++;
        double stride = !order.empty() && static_cast<size_t>(order[0]) == d ? 1 : 0;
        if (!producer.strides.empty()) stride = static_cast<double>(producer.strides[d]);
        if (stride == 0) return std::nullopt;
        if (std::abs(step) < 1) {
            // An index x / 2 needs each element twice. An index x * 2 / 3 has no such pattern.
            const double lanes = std::abs(1 / step);
            walk.per_element = lanes == std::round(lanes) ? lanes : 0;
            walk.stride = stride;
        } else {
            walk.stride += std::abs(step) * stride;
        }
        // Of 8 * (x / 8) Halide loads each lane by itself.
        if (is_run(load, d, v) && (load.runs[d][v] == 0 || lane_step % load.runs[d][v] != 0))
            walk.per_element = 0;
    }
    if (moved > 1 && walk.per_element != 1) walk.per_element = 0;
    return walk;
}

// Elements from one point of the producer's dimension d to the next; 0: not known.
int64_t element_step(const LoopNest &schedule, const Func &producer, size_t d) {
    if (!producer.strides.empty()) return producer.strides[d];
    const std::vector<int> &order = schedule.storage_order(producer.id);
    return !order.empty() && static_cast<size_t>(order[0]) == d ? 1 : 0;
}

// Loads of so many consecutive elements: whole vectors, and for the rest pieces of a half, a quarter and so on.
double dense_loads(const Machine &machine, int bits, int elements) {
    const auto bytes = static_cast<unsigned>(elements * std::max(8, bits) / 8);
    const auto vector = static_cast<unsigned>(machine.vector_bytes);
    return bytes / vector + std::popcount(bytes % vector);
}

// Cycles of a load of lanes that lie a few elements apart: whole vectors are loaded, and the lanes picked out of them.
double picked_load_cycles(const Machine &machine, int bits, int lanes, double stride,
                          double together) {
    const int elements = lanes * static_cast<int>(stride);
    const double dense = dense_loads(machine, bits, elements);
    const double load = machine.vector.load * accesses_per_vector(machine, bits, elements);
    return dense * load / together + std::max(1.0, dense - 1) * machine.vector.shuffle;
}

// Cycles of one load of the group, of a vector or a scalar, away from the image's borders.
double plain_load_cycles(const Machine &machine, const LoopNest &schedule, StageId reader,
                         const LoadGroup &load, int vector_dim, int lanes, int lane_step,
                         double together) {
    const Func &producer = schedule.graph().func(load.producer);
    const int bits = producer.values.empty() ? 32 : producer.values[0].bits;
    if (lanes == 1) return machine.scalar.load;
    const size_t v = static_cast<size_t>(vector_dim);
    if (!load.depends_on[v]) return machine.scalar.load;  // a broadcast, part of the load
    if (load.scattered[v]) return lanes * machine.vector.gather_element;
    const std::optional<LaneWalk> walk = lane_walk(schedule, reader, load, v, lanes, lane_step);
    if (!walk) return lanes * machine.vector.strided_element;
    if (walk->per_element == 0) return lanes * machine.vector.gather_element;
    if (walk->stride == 0) return machine.scalar.load;  // woven lanes that are all at one place
    const double load_once = machine.vector.load * accesses_per_vector(machine, bits, lanes);
    const double whole = vectors(machine, bits, lanes);
    if (walk->stride == 1 && walk->per_element == 1) return whole * load_once;
    const double spread = walk->per_element > 1 ? whole * machine.vector.shuffle : 0;
    if (walk->stride == 1) return whole * load_once + spread;
    if (walk->stride > most_picked || walk->stride != std::floor(walk->stride))
        return lanes / walk->per_element * machine.vector.strided_element + spread;
    if (walk->per_element == 1 && picks_from_two(machine))
        return picked_load_cycles(machine, bits, lanes, walk->stride, together);
    const double loads = std::max(1.0, walk->stride / walk->per_element);
    return whole * loads * (load_once + machine.vector.shuffle) + spread;
}

// The same where some loads of the group repeat their index in neighbouring lanes: of those Halide loads each lane by
// itself, unless woven lanes lie whole runs apart.
double mixed_load_cycles(const Machine &machine, const LoadGroup &load, size_t v, int lanes,
                         int lane_step, double plain) {
    if (lanes == 1 || load.repeating.empty()) return plain;
    const LoadGroup::Repeating &repeating = load.repeating[v];
    if (repeating.run != 0 && lane_step % repeating.run == 0) return plain;
    const double apart = std::max(plain, lanes * machine.vector.gather_element);
    return plain + static_cast<double>(repeating.share) * (apart - plain);
}

// How many lanes of a vector are accessed one by one under a mask. One instruction masks a vector of consecutive
// elements, if the instruction set has it for such elements. Else each lane is a branch and an access of its own.
double lanes_under_masks(const Machine &machine, int bits, int lanes, bool consecutive) {
    return consecutive && has_masks(machine, bits) ? 0 : lanes;
}

// Cycles of a shuffle of two vectors that are turned in registers. AVX2 shuffles elements of less than 32 bits within
// 128 bits alone: for wider vectors both halves are shuffled, exchanged and joined. With Halide 21 on a Zen 3 a step of
// 32 x 32 bytes or 16 x 16 words takes six times as long as one of 8 x 8 floats.
double turning_shuffle(const Machine &machine, int bits, int lanes) {
    constexpr int half_bits = 128, parts = 6;
    const bool crosses_halves =
        bits < 32 && lanes * bits > half_bits && machine.vector_bytes * 8 == 2 * half_bits;
    return machine.vector.shuffle * (crosses_halves ? parts : 1);
}

// Cycles to store a vector whose elements lie apart in memory. rows: how many such vectors of the body the compiler
// knows to lie next to each other; 1 if it knows of none.
double strided_store_cycles(const Machine &machine, int bits, int lanes, double rows,
                            bool whole_square) {
    const double one_by_one = lanes * machine.scalar.store * machine.core.scattered_store_factor;
    if (rows < 2) return one_by_one;
    // The compiler transposes such squares in registers, in steps that exchange halves, quarters and so on. With
    // Halide 21 this takes 24 shuffles for 8 x 8 floats. Then it stores whole rows. If the square is all that the
    // Func stores, it stays in registers until it is read.
    const double turned = std::min<double>(lanes, std::exp2(std::floor(std::log2(rows))));
    const double whole = vectors(machine, bits, lanes);
    const double stores = whole_square ? 0 : lanes / turned * whole * machine.vector.store;
    return std::min(one_by_one,
                    whole * std::log2(turned) * turning_shuffle(machine, bits, lanes) + stores);
}

}  // namespace

bool picks_from_two(const Machine &machine) { return machine.vector_bytes == 64; }

double accesses_per_vector(const Machine &machine, int bits, int lanes) {
    const double bytes = std::min({machine.vector_bytes, machine.load_bytes, lanes * bits / 8});
    return 1 + bytes / machine.line_bytes();
}

double load_cycles(const Machine &machine, const LoopNest &schedule, StageId reader,
                   const LoadGroup &load, int vector_dim, int lanes, const BorderLoop &border,
                   int lane_step, double together) {
    if (lanes_may_wrap(schedule, reader, load, vector_dim, lanes, lane_step))
        return lanes * machine.vector.gather_element;
    const double plain = mixed_load_cycles(
        machine, load, static_cast<size_t>(std::max(vector_dim, 0)), lanes, lane_step,
        plain_load_cycles(machine, schedule, reader, load, vector_dim, lanes, lane_step, together));
    if (lanes == 1 || load.scattered[static_cast<size_t>(vector_dim)]) return plain;
    const Clamp clamp = load.clamped[static_cast<size_t>(vector_dim)];
    if (clamp == Clamp::None) return plain;
    const double clamped = std::max(plain, lanes * machine.vector.gather_element);
    return plain + border_share(schedule.graph(), load, static_cast<size_t>(vector_dim), border) *
                       (clamped - plain);
}

double loads_together(const LoopNest &schedule, const LoadGroup &load, const InnerLoops &in) {
    if (in.vector_dim < 0 || load.offsets.empty()) return 1;
    const Func &producer = schedule.graph().func(load.producer);
    const auto elements = [&](size_t loop) {
        double step = 0;
        for (size_t d = 0; d < load.coefficient.size(); d++)
            step += load.coefficient[d][loop] *
                    static_cast<double>(element_step(schedule, producer, d));
        return step;
    };
    const double stride = std::abs(elements(static_cast<size_t>(in.vector_dim))) * in.lane_step;
    if (stride < 2 || stride > most_picked) return 1;
    std::vector<double> begins;
    for (const std::vector<Rational> &offset : load.offsets) {
        double begin = 0;
        for (size_t d = 0; d < offset.size(); d++)
            begin += offset[d].value() * static_cast<double>(element_step(schedule, producer, d));
        begins.push_back(begin);
    }
    for (const UnrolledLoop &u : in.unrolled) {
        const double step = elements(u.dim);
        if (static_cast<int>(u.dim) == in.vector_dim || step == 0 ||
            u.factor * static_cast<double>(begins.size()) > most_begins)
            continue;
        const size_t n = begins.size();
        for (int copy = 1; copy < static_cast<int>(u.factor); copy++)
            for (size_t i = 0; i < n; i++) begins.push_back(begins[i] + copy * step);
    }
    std::ranges::sort(begins);
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    double dense = 0, end = begins[0];
    for (double begin : begins) {
        if (begin < end) continue;
        dense++;
        end = begin + stride;
    }
    return static_cast<double>(begins.size()) / dense;
}

std::optional<double> lane_stride(const LoopNest &schedule, StageId reader, const LoadGroup &load,
                                  size_t l, int count) {
    if (load.clamped[l] != Clamp::None) return std::nullopt;
    const std::optional<LaneWalk> walk = lane_walk(schedule, reader, load, l, count, 1);
    if (!walk || walk->per_element != 1) return std::nullopt;
    return walk->stride;
}

bool is_packed(const LoopNest &schedule, const StageNest &nest, const LoadGroup &load) {
    const Stage &stage = schedule.graph().stage(nest.stage);
    const std::vector<int> &order = schedule.storage_order(load.producer);
    if (load.gather || load.is_self || nest.loops.empty() || order.empty() ||
        nest.loops.back().kind != LoopKind::Vectorized || nest.loops.back().woven > 1 ||
        schedule.graph().func(load.producer).is_input() || !schedule.decided(load.producer))
        return false;
    const FuncNest &producer = schedule.at(load.producer);
    if (!producer.compute_at) return false;
    const auto row = static_cast<size_t>(order[0]);
    const auto along = static_cast<size_t>(nest.loops.back().name.dim);
    if (load.coefficient[row][along] != 1 || load.clamped[along] != Clamp::None) return false;
    if (producer.compute_region[row].extent() % nest.loops.back().extent != 0) return false;
    for (size_t d = 0; d < load.coefficient.size(); d++)
        for (size_t l = 0; l < stage.loops.size(); l++)
            if (load.coefficient[d][l] != 0 && stage.loops[l].is_reduction == (d == row))
                return false;
    return std::ranges::all_of(
        load.offsets, [&](const std::vector<Rational> &offset) { return offset[row].is_zero(); });
}

double elements_under_masks(const Machine &machine, const LoopNest &schedule,
                            const ExpandedStage &body, const LoadGroup &load, int vector_dim,
                            int lanes) {
    const auto v = static_cast<size_t>(vector_dim);
    if (lanes == 1 || !load.depends_on[v]) return 0;
    const std::vector<ScalarType> &values = schedule.graph().func(load.producer).values;
    const std::vector<int> &order = schedule.storage_order(load.producer);
    bool moves = false;  // else irregularly, as it depends on the loop
    for (const std::vector<float> &step : load.coefficient) moves = moves || step[v] != 0;
    const bool consecutive = !load.scattered[v] && moves && is_dense(body, load, v, 1, order);
    return lanes_under_masks(machine, values.empty() ? 32 : values[0].bits, lanes, consecutive);
}

double load_mask_cycles(const Machine &machine, double elements) {
    return elements * (2 * machine.loop_iteration_cycles + 1);
}

double store_mask_cycles(const Machine &machine, const LoopNest &schedule, const Stage &stage,
                         int vector_dim, int lanes) {
    const Func &func = schedule.graph().func(stage.func);
    if (lanes == 1) return 0;
    const std::vector<int> &order = schedule.storage_order(func.id);
    const auto v = static_cast<size_t>(vector_dim);
    const bool consecutive = !order.empty() && stage.loops[v].func_dim == order[0];
    double cycles = 0;
    for (const ScalarType &value : func.values)
        cycles +=
            load_mask_cycles(machine, lanes_under_masks(machine, value.bits, lanes, consecutive));
    return cycles;
}

double store_cycles(const LoopNest &schedule, const Machine &machine, const Stage &stage,
                    const InnerLoops &in, int lanes, const KnownAddresses &known) {
    const Func &func = schedule.graph().func(stage.func);
    const std::vector<int> &order = schedule.storage_order(func.id);
    const int inner = order.empty() ? 0 : order[0];
    double rows = 1;
    for (const UnrolledLoop &u : in.unrolled)
        if (known.turns_squares && stage.loops[u.dim].func_dim == inner) rows *= u.factor;
    double cycles = 0;
    for (const ScalarType &value : func.values) {
        if (lanes == 1) {
            cycles += machine.scalar.store;
            continue;
        }
        const size_t v = static_cast<size_t>(in.vector_dim);
        if (scatters_along(stage, v)) {
            cycles += lanes * machine.vector.gather_element;
            continue;
        }
        if (joins_points(stage, in)) {
            cycles += joined_store_cycles(machine, value.bits, in, lanes, known.joins_rows);
            continue;
        }
        bool dense = stage.loops[v].func_dim == inner;
        if (!stage.stores.empty() && static_cast<size_t>(inner) < stage.stores[0].index.size()) {
            const IndexMap &m = stage.stores[0].index[static_cast<size_t>(inner)];
            dense = m.affine && v < m.coefficient.size() && m.coefficient[v] == Rational{1, 1};
        }
        if (!func.strides.empty() && func.strides[static_cast<size_t>(inner)] != 1) dense = false;
        const double whole = vectors(machine, value.bits, lanes);
        if (known.interleaved > 1)
            cycles += whole * (machine.vector.store +
                               std::ceil(std::log2(known.interleaved)) * machine.vector.shuffle);
        else
            cycles +=
                dense ? whole * machine.vector.store
                      : strided_store_cycles(machine, value.bits, lanes, rows, in.serial.empty());
    }
    return cycles;
}

}  // namespace cryolite
