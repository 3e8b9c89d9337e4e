#include "analytical/cycles/arithmetic_cycles.h"

#include <algorithm>
#include <array>

#include "code/stage/vector_geometry.h"

namespace cryolite {
namespace {

// The two kinds of float operations that have units of their own (CoreCosts::float_units_apart).
bool runs_as_sum(OpKind kind) {
    return kind == OpKind::Add || kind == OpKind::MinMax || kind == OpKind::Compare ||
           kind == OpKind::Cast;
}
bool runs_as_product(OpKind kind) { return kind == OpKind::Multiply || kind == OpKind::Select; }

double cycles_of(const ArithmeticCosts &c, OpKind kind, TypeClass type) {
    switch (kind) {
        case OpKind::Add: return is_float(type) ? c.float_add : c.integer_simple;
        case OpKind::Multiply:
            if (is_float(type)) return c.float_multiply;
            return type == TypeClass::Int8    ? c.integer_multiply_8
                   : type == TypeClass::Int16 ? c.integer_multiply_16
                   : type == TypeClass::Int64 ? c.integer_multiply_64
                                              : c.integer_multiply_32;
        case OpKind::Divide:
        case OpKind::Modulo: return is_float(type) ? c.float_divide : c.integer_divide;
        case OpKind::MinMax:
        case OpKind::Compare:
        case OpKind::Select:
        case OpKind::Bitwise: return is_float(type) ? c.float_add : c.integer_simple;
        case OpKind::Cast: return c.cast;
        case OpKind::SquareRoot: return c.float_square_root;
        case OpKind::Transcendental: return c.transcendental;
        case OpKind::BitCount: return c.bit_count;
        case OpKind::DivideByValue:  // of each element: arithmetic_cycles()
        case OpKind::ExternCall:
        case OpKind::Count: return 0;
    }
    return 0;
}

}  // namespace

bool is_float(TypeClass type) {
    return type == TypeClass::Float16 || type == TypeClass::Float32 || type == TypeClass::Float64;
}

double arithmetic_cycles(const Machine &machine, const OpHistogram &ops, int lanes) {
    std::array<double, static_cast<size_t>(TypeClass::Count)> of_type{};
    for (const auto &of_kind : ops.count)
        for (size_t t = 0; t < of_type.size(); t++) of_type[t] += of_kind[t];
    double cycles = 0;
    for (size_t t = 0; t < of_type.size(); t++) {
        if (of_type[t] == 0) continue;  // as most types of a stage
        const TypeClass type = static_cast<TypeClass>(t);
        const double whole = lanes == 1 ? 1 : vectors(machine, bits_of(type), lanes);
        const ArithmeticCosts &c = lanes == 1 ? machine.scalar : machine.vector;
        double sums = 0, products = 0, others = 0;
        for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++) {
            const OpKind kind = static_cast<OpKind>(k);
            const double n = ops.at(kind, type);
            if (n == 0) continue;
            if (kind == OpKind::ExternCall)
                cycles += n * lanes * c.extern_call_scalar;
            else if (kind == OpKind::DivideByValue)
                cycles += n * lanes * c.integer_divide_by_value;
            else
                (runs_as_sum(kind)       ? sums
                 : runs_as_product(kind) ? products
                                         : others) += n * cycles_of(c, kind, type);
        }
        // An add after a multiply becomes one fused operation, done by what multiplies.
        if (type == TypeClass::Float32 || type == TypeClass::Float64)
            sums -= std::min(ops.at(OpKind::Add, type), ops.at(OpKind::Multiply, type)) *
                    std::min(c.float_add, c.float_multiply) * machine.core.fused_share;
        const double beside =
            is_float(type) ? machine.core.float_units_apart * std::min(sums, products) : 0;
        cycles += (sums + products + others - beside) * whole;
    }
    return cycles;
}

}  // namespace cryolite
