// The arithmetic of random pipelines. Two schedules of one pipeline can be compared exactly only if
// no value depends on the order of evaluation: integers here either wrap by definition or stay
// far from the overflow that Halide leaves undefined, and floats either hold small integers, which
// every order of additions keeps exact, or carry a bound of their rounding error.
#pragma once

#include <span>

#include <Halide.h>

#include "base/random.h"

namespace cryolite {

// What is known of every value of a Func's element.
struct ElementInfo {
    Halide::Type type = Halide::Int(32);
    double magnitude = 0;  // |value| is at most this
    double error = 0;      // |value - exact value| is at most this; 0: exact
    bool integral = true;  // a float that always holds an integer
};

struct Term {
    Halide::Expr value;
    ElementInfo info;
};

// The relative error of one float operation: 2^-24, doubled for operations that are fused or
// evaluated by a faster instruction.
inline constexpr double float_rounding = 0x1p-23;
// Floats below this hold every integer.
inline constexpr double largest_float_integer = 0x1p24;

Term make_term(Halide::Expr value, ElementInfo info);

// An int32 with |value| <= limit. The term must be integral.
Halide::Expr to_bounded_int(const Term &term, int limit);

// A float32; integral terms are reduced to |value| <= limit first, others are scaled.
Term to_bounded_float(const Term &term, int limit);

// An int32 expression with |value| <= magnitude < 2^31 as a term of a random type.
Term to_random_type(Random &random, const Halide::Expr &value, double magnitude);

// A random expression over all the terms. Without `allow_inexact` the result is integral; inexact
// operands need `allow_inexact`.
Term combine(Random &random, std::span<const Term> terms, bool allow_inexact);

}  // namespace cryolite
