#include "analytical/cycles/dot_products.h"

#include <algorithm>

#include "analytical/cycles/access_cycles.h"

namespace cryolite {
namespace {

constexpr int pair = 2, quadruple = 4;

bool is_word(const ScalarType &t) { return t.bits == 16; }

bool has_quadruples(const Machine &machine, const DotProduct &dot) {
    if (is_word(dot.left) || is_word(dot.right)) return false;
    return dot.left.kind == dot.right.kind ? machine.equal_byte_products > 0
                                           : machine.mixed_byte_products > 0;
}

// How many products one instruction takes where `joined` stand in a lane. Halide 21 takes vpdpbusd for four of them,
// and for 8 or 16 the instructions for pairs (56 pmaddwd in place of 14 vpdpbusd, 2.3 times as long on a Zen 4).
int points_of_instruction(const Machine &machine, const DotProduct &dot, int joined) {
    if (has_quadruples(machine, dot) && (machine.equal_byte_products > 0 || joined == quadruple))
        return quadruple;
    return machine.word_products > 0 ? pair : 1;
}

// Casts to 32 bits that the body's vectors do no more. Bytes that pairs multiply become words instead, half as wide.
void take_casts(const DotProduct &dot, int points, OpHistogram &operations) {
    const double words = is_word(dot.left) + is_word(dot.right);
    double &casts = operations.at(OpKind::Cast, TypeClass::Int32);
    casts *= points == quadruple ? 0 : (2 - words) / 2 / pair;
}

}  // namespace

int dot_points(const Machine &machine, const DotProduct &dot) {
    return points_of_instruction(machine, dot, quadruple);
}

double take_dot_products(const Machine &machine, const DotProduct &dot, const InnerLoops &in,
                         int lanes, BodyOperations &operations) {
    const double products = in.unroll_product, whole = vectors(machine, 32, lanes);
    const int points = points_of_instruction(machine, dot, in.joined);
    const double sums = products / in.joined;
    OpHistogram &all = operations.vectors;
    // Products are multiplied one by one, and added up across lanes that are shuffled.
    const double across = whole * (machine.vector.shuffle + machine.vector.integer_simple);
    if (points == 1 || in.joined % points != 0) return products * across;
    for (OpKind kind : {OpKind::Multiply, OpKind::Add}) {
        double &count = all.at(kind, TypeClass::Int32);
        count = std::max(0.0, count - products);
    }
    take_casts(dot, points, all);
    // Broadcasts are loaded and converted together.
    operations.scalars.at(OpKind::Cast, TypeClass::Int32) /= in.joined;
    const double instructions = products / points;
    // Vectors with instructions for bytes have those that add to the sum, too.
    const double additions = points == pair && machine.mixed_byte_products == 0 ? sums : 0;
    return whole * (instructions * machine.vector.integer_multiply_16 +
                    additions * machine.vector.integer_simple) +
           (instructions - sums) * across;
}

}  // namespace cryolite
