#include "graph/halide/expression_values.h"

#include <algorithm>

namespace cryolite {
namespace {

// Halide's division: the remainder is never negative, and x / 0 = x % 0 = 0.
int64_t divided(int64_t a, int64_t b) {
    if (b == 0) return 0;
    const int64_t quotient = a / b;
    return a % b < 0 ? quotient - (b > 0 ? 1 : -1) : quotient;
}

int64_t remainder(int64_t a, int64_t b) { return b == 0 ? 0 : a - divided(a, b) * b; }

// v wrapped to the bits of the type.
int64_t wrapped(int64_t v, const Halide::Type &type) {
    if (type.bits() >= 64) return v;
    const uint64_t mask = (uint64_t{1} << type.bits()) - 1;
    const uint64_t low = static_cast<uint64_t>(v) & mask;
    const bool negative = type.is_int() && (low >> (type.bits() - 1)) != 0;
    return static_cast<int64_t>(negative ? low | ~mask : low);
}

int64_t plus(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t minus(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t times(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

void ExpressionValues::set(std::map<std::string, int64_t> variables) {
    variables_ = std::move(variables);
    is_known_.assign(static_cast<size_t>(dag_.size()), false);
    known_.assign(static_cast<size_t>(dag_.size()), std::nullopt);
}

std::optional<int64_t> ExpressionValues::of(int n) {
    const auto i = static_cast<size_t>(n);
    if (!is_known_[i]) {
        const std::optional<int64_t> value = compute(dag_.node(n));
        known_[i] = value;
        is_known_[i] = true;
    }
    return known_[i];
}

std::optional<int64_t> ExpressionValues::compute(const ExpressionNode &node) {
    const Expr &e = node.expression;
    const Halide::Type type = e.type();
    if (type.is_float() || type.is_handle() || type.lanes() != 1) return std::nullopt;
    if (const auto v = ir::as_const_int(e)) return *v;
    if (const auto v = ir::as_const_uint(e)) return static_cast<int64_t>(*v);
    if (const auto *v = e.as<ir::Variable>()) {
        const auto found = variables_.find(v->name);
        return found == variables_.end() ? std::nullopt : std::optional(found->second);
    }
    if (const auto *call = e.as<ir::Call>()) {
        if (is_transparent(*call) && !call->args.empty()) return of(node.operands[0]);
        return bits(node, *call);
    }
    switch (node.kind()) {
        case ir::IRNodeType::And:
        case ir::IRNodeType::Or: return logical(node);
        case ir::IRNodeType::Select: {
            const std::optional<int64_t> condition = of(node.operands[0]);
            if (!condition) return std::nullopt;
            return of(node.operands[*condition != 0 ? 1 : 2]);
        }
        case ir::IRNodeType::Not: {
            const std::optional<int64_t> a = of(node.operands[0]);
            return a ? std::optional<int64_t>(*a == 0) : std::nullopt;
        }
        case ir::IRNodeType::Cast: {
            const std::optional<int64_t> a = of(node.operands[0]);
            return a ? std::optional(wrapped(*a, type)) : std::nullopt;
        }
        default: return arithmetic(node);
    }
}

std::optional<int64_t> ExpressionValues::bits(const ExpressionNode &node, const ir::Call &call) {
    constexpr int64_t longest_shift = 31;
    if (node.operands.size() != 2) return std::nullopt;
    const std::optional<int64_t> a = of(node.operands[0]), b = of(node.operands[1]);
    if (!a || !b) return std::nullopt;
    if (is_intrinsic(call, "bitwise_and")) return *a & *b;
    if (is_intrinsic(call, "shift_right") && *b >= 0 && *b <= longest_shift) return *a >> *b;
    return std::nullopt;
}

std::optional<int64_t> ExpressionValues::logical(const ExpressionNode &node) {
    const int64_t decides = node.kind() == ir::IRNodeType::Or ? 1 : 0;
    const std::optional<int64_t> a = of(node.operands[0]), b = of(node.operands[1]);
    if ((a && *a == decides) || (b && *b == decides)) return decides;
    return a && b ? std::optional(1 - decides) : std::nullopt;
}

std::optional<int64_t> ExpressionValues::arithmetic(const ExpressionNode &node) {
    if (node.operands.size() != 2) return std::nullopt;
    const std::optional<int64_t> left = of(node.operands[0]), right = of(node.operands[1]);
    if (!left || !right) return std::nullopt;
    const int64_t a = *left, b = *right;
    const Halide::Type type = node.expression.type();
    switch (node.kind()) {
        case ir::IRNodeType::Add: return wrapped(plus(a, b), type);
        case ir::IRNodeType::Sub: return wrapped(minus(a, b), type);
        case ir::IRNodeType::Mul: return wrapped(times(a, b), type);
        case ir::IRNodeType::Div: return wrapped(divided(a, b), type);
        case ir::IRNodeType::Mod: return wrapped(remainder(a, b), type);
        case ir::IRNodeType::Min: return std::min(a, b);
        case ir::IRNodeType::Max: return std::max(a, b);
        case ir::IRNodeType::EQ: return a == b;
        case ir::IRNodeType::NE: return a != b;
        case ir::IRNodeType::LT: return a < b;
        case ir::IRNodeType::LE: return a <= b;
        case ir::IRNodeType::GT: return a > b;
        case ir::IRNodeType::GE: return a >= b;
        default: return std::nullopt;
    }
}

}  // namespace cryolite
