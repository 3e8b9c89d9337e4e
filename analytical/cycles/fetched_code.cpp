#include "analytical/cycles/fetched_code.h"

#include <algorithm>
#include <array>

#include "code/stage/vector_geometry.h"

namespace cryolite {
namespace {

// Instructions of an exponential or a logarithm. Halide computes them as polynomials.
constexpr double transcendental_instructions = 20;

// To take an element out of each of two vectors, divide, and put the quotient into a third (AVX2: 6.3).
constexpr double instructions_per_division = 6;

// Of vector instructions, whose addresses often are long (6.5 in 42 KB of code that looks a table of colours up).
constexpr double bytes_per_instruction = 6.5;

}  // namespace

double instructions_of(const Machine &machine, const OpHistogram &ops, int lanes) {
    constexpr auto transcendental = static_cast<size_t>(OpKind::Transcendental);
    constexpr auto division = static_cast<size_t>(OpKind::DivideByValue);
    double instructions = 0;
    std::array<double, static_cast<size_t>(TypeClass::Count)> of_type{};
    for (size_t k = 0; k < ops.count.size(); k++) {
        if (k == division && lanes > 1) {
            for (double n : ops.count[k]) instructions += n * lanes * instructions_per_division;
            continue;
        }
        const double each = k == transcendental ? transcendental_instructions : 1;
        for (size_t t = 0; t < of_type.size(); t++) of_type[t] += ops.count[k][t] * each;
    }
    for (size_t t = 0; t < of_type.size(); t++)
        if (of_type[t] > 0)
            instructions +=
                of_type[t] *
                (lanes == 1 ? 1 : vectors(machine, bits_of(static_cast<TypeClass>(t)), lanes));
    return instructions;
}

double fetch_cycles(const Machine &machine, double instructions) {
    if (instructions <= machine.core.decoded_instructions) return 0;
    return instructions * bytes_per_instruction / machine.core.fetched_bytes_per_cycle;
}

}  // namespace cryolite
