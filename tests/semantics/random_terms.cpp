#include "tests/semantics/random_terms.h"

#include <algorithm>
#include <cmath>

namespace cryolite {

using Halide::cast;
using Halide::Expr;

namespace {

constexpr int operand_limit = 4095;

int signed_weight(Random &random) {
    const int weight = static_cast<int>(random.between(1, 5));
    return random.chance(0.3) ? -weight : weight;
}

Term weighted_sum(Random &random, std::span<const Term> operands) {
    Term sum = operands[0];
    for (size_t i = 0; i < operands.size(); i++) {
        const int weight = signed_weight(random);
        const Expr product = operands[i].value * static_cast<float>(weight);
        const ElementInfo &info = operands[i].info;
        const double magnitude = std::abs(weight) * info.magnitude;
        sum.value = i == 0 ? product : sum.value + product;
        sum.info.magnitude = i == 0 ? magnitude : sum.info.magnitude + magnitude;
        sum.info.error = (i == 0 ? 0 : sum.info.error) + std::abs(weight) * info.error;
        sum.info.integral = sum.info.integral && info.integral;
        if (!sum.info.integral) sum.info.error += float_rounding * sum.info.magnitude;
    }
    return sum;
}

Term combine_inexact(Random &random, std::span<const Term> terms) {
    std::vector<Term> operands;
    for (const Term &term : terms) operands.push_back(to_bounded_float(term, operand_limit));
    Term sum = weighted_sum(random, operands);
    const ElementInfo in = sum.info;
    // Every function below has a slope of at most 1, so that errors are not amplified.
    ElementInfo out{Halide::Float(32), 0, 0, false};
    Expr value;
    switch (random.below(5)) {
        case 0:
            value = Halide::sqrt(Halide::abs(sum.value) + 1.0f);
            out.magnitude = std::sqrt(in.magnitude + 1);
            break;
        case 1:
            value = sum.value / (Halide::abs(operands[0].value) + 1.0f);
            out.magnitude = in.magnitude;
            out.error = in.magnitude * operands[0].info.error;
            break;
        case 2:
            value = 100.0f * Halide::exp(-Halide::abs(sum.value) * 0.01f);
            out.magnitude = 100;
            break;
        case 3:
            value = Halide::max(sum.value, 0.5f * operands.back().value);
            out.magnitude = in.magnitude;
            out.error = operands.back().info.error;
            break;
        default:
            value = sum.value * 0.3f;
            out.magnitude = in.magnitude;
            break;
    }
    out.error += in.error + 8 * float_rounding * (out.magnitude + in.magnitude + 1);
    return {value, out};
}

Term combine_integral_floats(Random &random, std::span<const Term> terms) {
    std::vector<Term> operands;
    const int limit = terms.size() > 12 ? 1023 : operand_limit;
    for (const Term &term : terms) operands.push_back(to_bounded_float(term, limit));
    Term result = weighted_sum(random, operands);
    if (random.chance(0.3)) {
        result.value = Halide::floor(result.value * 0.25f);
        result.info.magnitude = result.info.magnitude / 4 + 1;
    } else if (random.chance(0.3)) {
        result.value = Halide::min(result.value, operands.back().value);
    }
    return result;
}

Term combine_wrapping(Random &random, std::span<const Term> terms) {
    Expr value;
    for (const Term &term : terms) {
        const Expr word = term.info.type.is_uint() && term.info.type.bits() == 32
                              ? term.value
                              : cast<uint32_t>(to_bounded_int(term, 1 << 20));
        if (!value.defined()) {
            value = word * Expr(uint32_t{2654435761u});
        } else if (random.chance(0.5)) {
            value = value + word;
        } else {
            value = value ^ (word * Expr(static_cast<uint32_t>(random.between(3, 99))));
        }
    }
    return make_term(value, {Halide::UInt(32), 4294967295.0, 0, true});
}

}  // namespace

Term make_term(Expr value, ElementInfo info) { return {std::move(value), info}; }

Expr to_bounded_int(const Term &term, int limit) {
    Expr value = term.value;
    double magnitude = term.info.magnitude;
    if (term.info.type.is_uint() && term.info.type.bits() == 32) {
        value = (value >> 7) & 0xfffff;  // stays unsigned: the cast below cannot overflow
        magnitude = 0xfffff;
    }
    value = cast<int32_t>(value);
    // Truncating a float's int32 further gives the low bits in scalar code, but vector code may
    // saturate instead: leave nothing to truncate.
    if (magnitude > limit || term.info.type.is_float()) value = value % (limit + 1);
    return value;
}

Term to_bounded_float(const Term &term, int limit) {
    if (term.info.integral) {
        const double magnitude = std::min<double>(term.info.magnitude, limit);
        Expr value = term.info.type.is_float() && term.info.magnitude <= limit
                         ? term.value
                         : cast<float>(to_bounded_int(term, limit));
        return make_term(value, {Halide::Float(32), magnitude, 0, true});
    }
    ElementInfo info = term.info;
    if (info.magnitude <= limit) return term;
    const float scale = static_cast<float>(limit / (info.magnitude * 1.01));
    info.magnitude = limit;
    info.error = info.error * scale + float_rounding * limit;
    return make_term(term.value * scale, info);
}

Term to_random_type(Random &random, const Expr &value, double magnitude) {
    switch (random.below(7)) {
        case 0: return make_term(cast<uint8_t>(value), {Halide::UInt(8), 255, 0, true});
        case 1:
            return make_term(cast<uint8_t>(Halide::clamp(value, 0, 255)),
                             {Halide::UInt(8), 255, 0, true});
        case 2: return make_term(cast<uint16_t>(value), {Halide::UInt(16), 65535, 0, true});
        case 3: return make_term(cast<int16_t>(value), {Halide::Int(16), 32768, 0, true});
        case 4:
            return make_term(cast<uint32_t>(value) * Expr(uint32_t{2246822519u}),
                             {Halide::UInt(32), 4294967295.0, 0, true});
        case 5:
            if (magnitude < largest_float_integer) {
                return make_term(cast<float>(value), {Halide::Float(32), magnitude, 0, true});
            }
            [[fallthrough]];
        default: return make_term(value, {Halide::Int(32), magnitude, 0, true});
    }
}

Term combine(Random &random, std::span<const Term> terms, bool allow_inexact) {
    const bool all_integral =
        std::all_of(terms.begin(), terms.end(), [](const Term &t) { return t.info.integral; });
    if (!all_integral || (allow_inexact && random.chance(0.5))) {
        return combine_inexact(random, terms);
    }
    if (random.chance(0.2)) return combine_integral_floats(random, terms);
    if (random.chance(0.15)) return combine_wrapping(random, terms);

    const uint64_t form = random.below(7);
    const int limit = form == 1 ? 2047 : operand_limit;
    Expr value;
    double magnitude = 0;
    for (const Term &term : terms) {
        const int weight = signed_weight(random);
        const Expr product = to_bounded_int(term, limit) * weight;
        value = value.defined() ? value + product : product;
        magnitude += limit * std::abs(weight);
    }
    const Expr first = to_bounded_int(terms[0], limit);
    const Expr last = to_bounded_int(terms[terms.size() - 1], limit);
    switch (form) {
        case 0: break;
        case 1:
            value = value + first * last;
            magnitude += double(limit) * limit;
            break;
        case 2: value = Halide::max(Halide::min(value, last), -first); break;
        case 3: {
            value = Halide::select(first > last + 3, value, value % 5 == 1, last, first - 1);
            magnitude += limit + 1;
            break;
        }
        case 4:
            value = Halide::abs(first - last) + (value >> 2);
            magnitude += 2 * limit;
            break;
        case 5:
            value = value / 3 + last % 7;
            magnitude += 7;
            break;
        default:
            value = (value ^ first) & 0xffff;
            magnitude = 0xffff;
            break;
    }
    return to_random_type(random, value, magnitude);
}

}  // namespace cryolite
