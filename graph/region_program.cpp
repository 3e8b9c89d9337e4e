#include "graph/region_program.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace cryolite {
namespace {

constexpr int64_t kUnbounded = RegionExpression::unbounded;

bool infinite(int64_t v) { return RegionExpression::is_unbounded(v); }

int64_t saturate(__int128 v) {
    if (v >= kUnbounded) return kUnbounded;
    if (v <= -kUnbounded) return -kUnbounded;
    return static_cast<int64_t>(v);
}

// An infinite operand stays infinite: unbounded - 5 must not become a bound.
int64_t add(int64_t a, int64_t b) {
    if (infinite(a)) return a;
    if (infinite(b)) return b;
    return saturate(static_cast<__int128>(a) + b);
}

int64_t multiply(int64_t a, int64_t b) { return saturate(static_cast<__int128>(a) * b); }

// Halide's rule for either sign of the divisor: the remainder is in [0, |b|).
int64_t divide(int64_t a, int64_t b) {
    if (b == 0) return 0;
    if (infinite(a)) return (a < 0) == (b < 0) ? kUnbounded : -kUnbounded;
    int64_t quotient = a / b;
    if (a % b < 0) quotient += b > 0 ? -1 : 1;
    return quotient;
}

int64_t modulo(int64_t a, int64_t b) {
    if (b == 0) return 0;
    int64_t remainder = a % b;
    return remainder < 0 ? remainder + (b < 0 ? -b : b) : remainder;
}

int64_t shift_left(int64_t a, int64_t bits) {
    if (bits < 0 || bits > 62) return a == 0 ? 0 : (a < 0 ? -kUnbounded : kUnbounded);
    return multiply(a, int64_t{1} << bits);
}

int64_t shift_right(int64_t a, int64_t bits) {
    if (infinite(a)) return a;
    return a >> std::clamp<int64_t>(bits, 0, 63);
}

int64_t wrap(int64_t v, int64_t operand) {
    const int bits = static_cast<int>(operand < 0 ? -operand : operand);
    if (bits >= 64 || infinite(v)) return v;
    const int unused = 64 - bits;
    const uint64_t shifted = static_cast<uint64_t>(v) << unused;
    return operand < 0 ? static_cast<int64_t>(shifted) >> unused
                       : static_cast<int64_t>(shifted >> unused);
}

double as_float(int64_t v) { return std::bit_cast<double>(v); }
int64_t from_float(double v) { return std::bit_cast<int64_t>(v); }

int64_t truncate(double v) {
    if (std::isnan(v)) return 0;
    if (v >= static_cast<double>(kUnbounded)) return kUnbounded;
    if (v <= -static_cast<double>(kUnbounded)) return -kUnbounded;
    return static_cast<int64_t>(v);
}

int64_t to_float(int64_t v) {
    if (v >= kUnbounded) return from_float(HUGE_VAL);
    if (v <= -kUnbounded) return from_float(-HUGE_VAL);
    return from_float(static_cast<double>(v));
}

size_t operand_count(RegionOp op) {
    switch (op) {
        case RegionOp::Constant:
        case RegionOp::LoopMin:
        case RegionOp::LoopMax:
        case RegionOp::FloatConstant: return 0;
        case RegionOp::Not:
        case RegionOp::Abs:
        case RegionOp::Wrap:
        case RegionOp::ToFloat:
        case RegionOp::FromFloat:
        case RegionOp::Floor:
        case RegionOp::Ceil:
        case RegionOp::Round: return 1;
        case RegionOp::Select: return 3;
        default: return 2;
    }
}

int64_t binary(RegionOp op, int64_t a, int64_t b) {
    switch (op) {
        case RegionOp::Add: return add(a, b);
        case RegionOp::Sub: return add(a, -b);
        case RegionOp::Mul: return multiply(a, b);
        case RegionOp::Div: return divide(a, b);
        case RegionOp::Mod: return modulo(a, b);
        case RegionOp::Min: return std::min(a, b);
        case RegionOp::Max: return std::max(a, b);
        case RegionOp::Less: return a < b;
        case RegionOp::LessEqual: return a <= b;
        case RegionOp::Equal: return a == b;
        case RegionOp::NotEqual: return a != b;
        case RegionOp::And: return a != 0 && b != 0;
        case RegionOp::Or: return a != 0 || b != 0;
        case RegionOp::ShiftLeft: return shift_left(a, b);
        case RegionOp::ShiftRight: return shift_right(a, b);
        case RegionOp::FloatAdd: return from_float(as_float(a) + as_float(b));
        case RegionOp::FloatSub: return from_float(as_float(a) - as_float(b));
        case RegionOp::FloatMul: return from_float(as_float(a) * as_float(b));
        case RegionOp::FloatDiv: return from_float(as_float(a) / as_float(b));
        case RegionOp::FloatMin: return from_float(std::fmin(as_float(a), as_float(b)));
        case RegionOp::FloatMax: return from_float(std::fmax(as_float(a), as_float(b)));
        default: assert(false); return 0;
    }
}

int64_t unary(RegionInstruction i, int64_t a) {
    switch (i.op) {
        case RegionOp::Not: return a == 0;
        case RegionOp::Abs: return a < 0 ? -a : a;
        case RegionOp::Wrap: return wrap(a, i.operand);
        case RegionOp::ToFloat: return to_float(a);
        case RegionOp::FromFloat: return truncate(as_float(a));
        case RegionOp::Floor: return from_float(std::floor(as_float(a)));
        case RegionOp::Ceil: return from_float(std::ceil(as_float(a)));
        case RegionOp::Round: return from_float(std::nearbyint(as_float(a)));
        default: assert(false); return 0;
    }
}

}  // namespace

RegionExpression::RegionExpression(std::vector<RegionInstruction> code) : code_(std::move(code)) {
    size_t depth = 0;
    for (const RegionInstruction &i : code_) {
        assert(depth >= operand_count(i.op));
        depth = depth - operand_count(i.op) + 1;
        stack_depth_ = std::max(stack_depth_, depth);
    }
    assert(code_.empty() || depth == 1);

    if (code_.empty()) return;
    shape_ = Shape::General;
    const auto is_loop = [](RegionInstruction i) {
        return i.op == RegionOp::LoopMin || i.op == RegionOp::LoopMax;
    };
    const bool bare = code_.size() == 1;
    const bool plus_constant = code_.size() == 3 && is_loop(code_[0]) &&
                               code_[1].op == RegionOp::Constant &&
                               !is_unbounded(code_[1].operand) &&
                               (code_[2].op == RegionOp::Add || code_[2].op == RegionOp::Sub);
    if (bare && code_[0].op == RegionOp::Constant) {
        shape_ = Shape::Constant;
        offset_ = code_[0].operand;
    } else if ((bare && is_loop(code_[0])) || plus_constant) {
        shape_ = code_[0].op == RegionOp::LoopMin ? Shape::LoopMinPlus : Shape::LoopMaxPlus;
        loop_ = static_cast<int32_t>(code_[0].operand);
        if (plus_constant) {
            offset_ = code_[2].op == RegionOp::Add ? code_[1].operand : -code_[1].operand;
        }
    }
}

RegionExpression RegionExpression::constant(int64_t v) {
    return RegionExpression({{RegionOp::Constant, v}});
}

int64_t RegionExpression::run(std::span<const Interval> loops) const {
    constexpr size_t usual_depth = 32;
    std::array<int64_t, usual_depth> small;
    std::vector<int64_t> large;
    int64_t *stack = small.data();
    if (stack_depth_ > usual_depth) {
        large.resize(stack_depth_);
        stack = large.data();
    }
    stack[0] = 0;  // the value of an empty program
    size_t n = 0;
    for (const RegionInstruction &i : code_) {
        switch (operand_count(i.op)) {
            case 0:
                stack[n++] = i.op == RegionOp::LoopMin   ? loops[static_cast<size_t>(i.operand)].min
                             : i.op == RegionOp::LoopMax ? loops[static_cast<size_t>(i.operand)].max
                                                         : i.operand;
                break;
            case 1: stack[n - 1] = unary(i, stack[n - 1]); break;
            case 2:
                n--;
                stack[n - 1] = binary(i.op, stack[n - 1], stack[n]);
                break;
            default:
                n -= 2;
                stack[n - 1] = stack[n - 1] != 0 ? stack[n] : stack[n + 1];
                break;
        }
    }
    return stack[0];
}

void RegionProgram::evaluate(std::span<const Interval> loops, std::span<Interval> out) const {
    assert(out.size() == dims.size());
    for (size_t d = 0; d < dims.size(); d++) {
        out[d] = {dims[d].min.evaluate(loops), dims[d].max.evaluate(loops)};
    }
}

}  // namespace cryolite
