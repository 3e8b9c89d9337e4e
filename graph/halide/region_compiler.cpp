// Compiles a bound of Halide's bounds inference to a postfix program.
#include <bit>
#include <optional>

#include "graph/builder/regions.h"
#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

// Evaluating a longer bound would cost the search too much. Such a bound counts as unbounded.
constexpr size_t kMaxInstructions = 512;

class RegionCompiler {
public:
    explicit RegionCompiler(const StageView &stage) : stage_(stage) {}

    bool compile(const Expr &e) {
        if (code_.size() > kMaxInstructions) return false;
        if (const auto *c = e.as<ir::IntImm>()) return push(RegionOp::Constant, c->value);
        if (const auto *c = e.as<ir::UIntImm>()) {
            return push(RegionOp::Constant, static_cast<int64_t>(c->value));
        }
        if (const auto *c = e.as<ir::FloatImm>()) {
            return push(RegionOp::FloatConstant, std::bit_cast<int64_t>(c->value));
        }
        if (const auto *v = e.as<ir::Variable>()) return variable(v->name);
        if (const auto *c = e.as<ir::Cast>()) return cast(c->value, c->type);
        if (const auto *c = e.as<ir::Call>()) return call(*c);
        if (const auto *s = e.as<ir::Select>()) {
            return compile(s->condition) && compile(s->true_value) && compile(s->false_value) &&
                   push(RegionOp::Select);
        }
        return arithmetic(e);
    }

    std::vector<RegionInstruction> take() { return std::move(code_); }

private:
    bool push(RegionOp op, int64_t operand = 0) {
        code_.push_back({op, operand});
        return true;
    }

    bool variable(const std::string &name) {
        for (size_t l = 0; l < stage_.loops.size(); l++) {
            const LoopView &loop = stage_.loops[l];
            if (name == loop.name + ".min") {
                return push(RegionOp::LoopMin, static_cast<int64_t>(l));
            }
            if (name == loop.name + ".max") {
                return push(RegionOp::LoopMax, static_cast<int64_t>(l));
            }
        }
        return false;
    }

    bool cast(const Expr &value, const Halide::Type &to) {
        const Halide::Type from = value.type();
        if (from.is_handle() || to.is_handle() || !compile(value)) return false;
        if (from.is_float() && to.is_float()) return true;
        if (to.is_float()) return push(RegionOp::ToFloat);
        if (from.is_float()) return push(RegionOp::FromFloat);
        if (to.bits() == 64 || (to.is_int() && to.bits() >= 32 && from.bits() <= to.bits())) {
            return true;
        }
        const bool keeps_every_value =
            to.can_represent(from) || (from.is_uint() && to.bits() > from.bits());
        return keeps_every_value || push(RegionOp::Wrap, to.is_int() ? -to.bits() : to.bits());
    }

    bool call(const ir::Call &c) {
        if (is_transparent(c) && !c.args.empty()) return compile(c.args[0]);
        for (const Expr &a : c.args) {
            if (is_load(c) || !compile(a)) return false;
        }
        const bool is_floating = c.type.is_float();
        if (is_intrinsic(c, "abs") && !is_floating) return push(RegionOp::Abs);
        if (is_intrinsic(c, "shift_left")) return push(RegionOp::ShiftLeft);
        if (is_intrinsic(c, "shift_right")) return push(RegionOp::ShiftRight);
        if (is_intrinsic(c, "round") || c.name.rfind("round_f", 0) == 0) {
            return push(RegionOp::Round);
        }
        if (c.name.rfind("floor_f", 0) == 0) return push(RegionOp::Floor);
        if (c.name.rfind("ceil_f", 0) == 0) return push(RegionOp::Ceil);
        if (is_intrinsic(c, "strict_add")) return push(RegionOp::FloatAdd);
        if (is_intrinsic(c, "strict_sub")) return push(RegionOp::FloatSub);
        if (is_intrinsic(c, "strict_mul")) return push(RegionOp::FloatMul);
        if (is_intrinsic(c, "strict_div")) return push(RegionOp::FloatDiv);
        return false;
    }

    bool arithmetic(const Expr &e) {
        const std::vector<Expr> below = operands(e);
        if (below.empty()) return false;
        const bool is_floating = below[0].type().is_float();
        for (const Expr &o : below) {
            if (!compile(o)) return false;
        }
        if (is_floating) return float_arithmetic(e);
        switch (node_type(e)) {
            case ir::IRNodeType::Add: return push(RegionOp::Add);
            case ir::IRNodeType::Sub: return push(RegionOp::Sub);
            case ir::IRNodeType::Mul: return push(RegionOp::Mul);
            case ir::IRNodeType::Div: return push(RegionOp::Div);
            case ir::IRNodeType::Mod: return push(RegionOp::Mod);
            case ir::IRNodeType::Min: return push(RegionOp::Min);
            case ir::IRNodeType::Max: return push(RegionOp::Max);
            case ir::IRNodeType::EQ: return push(RegionOp::Equal);
            case ir::IRNodeType::NE: return push(RegionOp::NotEqual);
            case ir::IRNodeType::LT: return push(RegionOp::Less);
            case ir::IRNodeType::LE: return push(RegionOp::LessEqual);
            // a > b is not (a <= b), a >= b is not (a < b).
            case ir::IRNodeType::GT: return push(RegionOp::LessEqual) && push(RegionOp::Not);
            case ir::IRNodeType::GE: return push(RegionOp::Less) && push(RegionOp::Not);
            case ir::IRNodeType::And: return push(RegionOp::And);
            case ir::IRNodeType::Or: return push(RegionOp::Or);
            case ir::IRNodeType::Not: return push(RegionOp::Not);
            default: return false;
        }
    }

    bool float_arithmetic(const Expr &e) {
        switch (node_type(e)) {
            case ir::IRNodeType::Add: return push(RegionOp::FloatAdd);
            case ir::IRNodeType::Sub: return push(RegionOp::FloatSub);
            case ir::IRNodeType::Mul: return push(RegionOp::FloatMul);
            case ir::IRNodeType::Div: return push(RegionOp::FloatDiv);
            case ir::IRNodeType::Min: return push(RegionOp::FloatMin);
            case ir::IRNodeType::Max: return push(RegionOp::FloatMax);
            default: return false;
        }
    }

    const StageView &stage_;
    std::vector<RegionInstruction> code_;
};

}  // namespace

RegionExpression compile_bound(const Expr &bound, const StageView &stage, int64_t unbounded) {
    RegionCompiler compiler(stage);
    if (!bound.defined() || !compiler.compile(ir::substitute_in_all_lets(bound))) {
        return RegionExpression::constant(unbounded);
    }
    return RegionExpression(compiler.take());
}

}  // namespace cryolite
