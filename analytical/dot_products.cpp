#include "analytical/dot_products.h"

#include <algorithm>

#include "analytical/access_cycles.h"

namespace cryolite {
namespace {

constexpr int pair = 2, quadruple = 4;

bool is_word(const ScalarType &t) { return t.bits == 16; }

bool has_quadruples(const Machine &machine, const DotProduct &dot) {
    if (is_word(dot.left) || is_word(dot.right)) return false;
    return dot.left.kind == dot.right.kind ? machine.equal_byte_products > 0
                                           : machine.mixed_byte_products > 0;
}

// Casts to 32 bits that the body's vectors do no more. Bytes that pairs multiply become words instead, half as wide.
void take_casts(const DotProduct &dot, int points, OpHistogram &operations) {
    const double words = is_word(dot.left) + is_word(dot.right);
    double &casts = operations.at(OpKind::Cast, TypeClass::Int32);
    casts *= points == quadruple ? 0 : (2 - words) / 2 / pair;
}

// Elements from one row to the next of a Func that is computed inside of loops, where loop `l` walks from row to row
// and the compiler knows how long a row is.
std::optional<int64_t> row_of_tile(const LoopNest &schedule, const LoadGroup &load, size_t l,
                                   const ConstantSides &sides) {
    if (schedule.graph().func(load.producer).is_input() || !schedule.decided(load.producer))
        return std::nullopt;
    const FuncNest &placed = schedule.at(load.producer);
    const std::vector<int> &order = schedule.storage_order(load.producer);
    if (placed.placement == Placement::Inline || order.size() < 2) return std::nullopt;
    for (size_t d = 0; d < load.coefficient.size(); d++)
        if (load.coefficient[d][l] != (static_cast<int>(d) == order[1] ? 1 : 0))
            return std::nullopt;
    const auto row = static_cast<size_t>(order[0]);
    if (!sides.has_constant_stride(load.producer, static_cast<size_t>(order[1])))
        return std::nullopt;
    return placed.store_region[row].extent();
}

}  // namespace

int dot_points(const Machine &machine, const DotProduct &dot) {
    if (has_quadruples(machine, dot)) return quadruple;
    return machine.word_products > 0 ? pair : 1;
}

double take_dot_products(const Machine &machine, const DotProduct &dot, const InnerLoops &in,
                         int lanes, BodyOperations &operations) {
    const double products = in.unroll_product, whole = vectors(machine, 32, lanes);
    const int points = dot_points(machine, dot);
    const double sums = products / in.dot;
    OpHistogram &all = operations.vectors;
    // Products are multiplied one by one, and added up across lanes that are shuffled.
    const double across = whole * (machine.vector.shuffle + machine.vector.integer_simple);
    if (points == 1 || in.dot % points != 0) return products * across;
    for (OpKind kind : {OpKind::Multiply, OpKind::Add}) {
        double &count = all.at(kind, TypeClass::Int32);
        count = std::max(0.0, count - products);
    }
    take_casts(dot, points, all);
    // Broadcasts are loaded and converted together.
    operations.scalars.at(OpKind::Cast, TypeClass::Int32) /= in.dot;
    const double instructions = products / points;
    // Vectors with instructions for bytes have those that add to the sum, too.
    const double additions = points == pair && machine.mixed_byte_products == 0 ? sums : 0;
    return whole * (instructions * machine.vector.integer_multiply_16 +
                    additions * machine.vector.integer_simple) +
           (instructions - sums) * across;
}

double dot_load_cycles(const Machine &machine, const LoopNest &schedule, StageId reader,
                       const LoadGroup &load, const InnerLoops &in, int lanes,
                       const ConstantSides &sides) {
    const auto along = static_cast<size_t>(in.dot_dim), across = static_cast<size_t>(in.vector_dim);
    const std::vector<ScalarType> &values = schedule.graph().func(load.producer).values;
    const int bits = values.empty() ? 32 : values[0].bits;
    if (load.scattered[along] || load.scattered[across])
        return lanes * machine.vector.gather_element;
    const bool are_neighbours = lane_stride(schedule, reader, load, along, in.dot) == 1;
    if (!load.depends_on[across])  // a broadcast of the copies' elements together
        return are_neighbours ? machine.scalar.load / in.dot : machine.vector.strided_element;
    if (!are_neighbours) return lanes * machine.vector.gather_element;
    if (lane_stride(schedule, reader, load, across, lanes) != in.dot &&
        row_of_tile(schedule, load, across, sides) != in.dot)
        return lanes * machine.vector.strided_element / in.dot;
    const int elements = lanes * in.dot;
    return vectors(machine, bits, elements) * machine.vector.load *
           accesses_per_vector(machine, bits, elements) / in.dot;
}

}  // namespace cryolite
