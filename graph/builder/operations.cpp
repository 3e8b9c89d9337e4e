#include "graph/builder/operations.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "graph/builder/kept_shares.h"
#include "graph/builder/recurrences.h"
#include "graph/halide/expression_dag.h"

namespace cryolite {
namespace {

bool is_power_of_two(const Expr &e) { return ir::is_const_power_of_two_integer(e).has_value(); }

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// "sqrt_f32" -> "sqrt".
std::string_view without_type_suffix(std::string_view name) {
    for (std::string_view suffix : {"_f16", "_f32", "_f64"}) {
        if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
    }
    return name;
}

class OperationCounter {
public:
    OperationCounter(const ExpressionDag &dag, bool has_loops)
        : dag_(dag), has_loops_(has_loops), seen_(static_cast<size_t>(dag.size())) {}

    void count(int n) {
        if (seen_[static_cast<size_t>(n)]) return;
        seen_[static_cast<size_t>(n)] = true;
        const ExpressionNode &node = dag_.node(n);
        if (node.is_constant() || (has_loops_ && !node.has_loop && !node.has_load)) return;
        const auto *call = node.expression.as<ir::Call>();
        if (call && is_load(*call)) {
            for (int o : node.operands) count_index(o);
            return;
        }
        counting_ = n;
        if (call) {
            count_call(*call, node);
            return;
        }
        count_node(node);
        for (int o : node.operands) count(o);
    }

    void count_index(int n) {
        if (dag_.node(n).has_load) count(n);
    }

    std::vector<CountedOperation> counted;

private:
    void add(OpKind kind, const Halide::Type &type, double times = 1) {
        if (times > 0) counted.push_back({counting_, {kind, type_class(scalar_type(type)), times}});
    }

    // What half of a sum takes beside the addition and the shift. Halide 19 and 21 take half of a signed sum of 32 bits
    // or more without the bit that the sum may overflow into: (a & b) + ((a ^ b) >> 1) for (a + b) / 2. A difference
    // first inverts b, and adds what the inversion lost. Narrower sums may overflow, so they are taken as they are.
    void add_halving(int sum) {
        const ExpressionNode &node = dag_.node(sum);
        const Halide::Type type = node.expression.type();
        if (!type.is_int() || type.bits() < 32) return;
        const bool is_difference = node.kind() == ir::IRNodeType::Sub;
        if (!is_difference && node.kind() != ir::IRNodeType::Add) return;
        for (int o : node.operands)
            if (dag_.node(o).is_constant()) return;
        add(OpKind::Bitwise, type, is_difference ? 5 : 2);
    }

    // A quotient or a remainder (`kind`, where the divisor is a constant).
    void add_division(OpKind kind, const Expr &divisor) {
        const Halide::Type type = divisor.type();
        const bool by_value = !type.is_float() && !ir::is_const(divisor);
        add(is_power_of_two(divisor) ? OpKind::Bitwise
            : by_value               ? OpKind::DivideByValue
                                     : kind,
            type);
    }

    // What a shift takes beside one operation where each point has an amount of its own. Before AVX-512 x86 has no such
    // shift of 8 or 16 bits, and LLVM makes one of ten operations. An amount with a sign may be a shift to the other
    // side: both are made, and one selected. (Counted in LLVM's code; Arm shifts either way in one operation.)
    void add_own_shifts(int amount) {
        const ExpressionNode &node = dag_.node(amount);
        if (!node.has_loop && !node.has_load) return;
        const Halide::Type type = node.expression.type();
        if (type.bits() < 32) add(OpKind::Bitwise, type, 9);
        if (type.is_int()) add(OpKind::Bitwise, type, 4);
    }

    // The upper half of a product. Of 32 bits the whole product is made in 64, and rounded there.
    void add_high_product(const Halide::Type &type, bool rounds) {
        if (type.bits() < 32) {
            add(OpKind::Multiply, type);
            add(OpKind::Bitwise, type);
            return;
        }
        // Two products of every second element (vpmuldq), and the halves put together. With the rounding LLVM makes 22
        // instructions for AVX-512 and 37 for AVX2.
        add(OpKind::Multiply, type, 2);
        add(OpKind::Bitwise, type, rounds ? 18 : 3);
    }

    // To a type of at most half the bits each halving is a step of its own: half as many vectors.
    void add_cast(const Halide::Type &from, const Halide::Type &to) {
        if (from.bits() == to.bits() && from.is_float() == to.is_float()) return;
        Halide::Type now = from;
        if (from.is_float() && to.is_int_or_uint() && to.bits() < 32 && from.bits() == 32) {
            now = Halide::Int(32);
            add(OpKind::Cast, now);
        }
        if (now.is_int_or_uint() && to.is_int_or_uint())
            for (int bits = now.bits() / 2; bits > std::max(8, to.bits()); bits /= 2)
                add(OpKind::Cast, now.with_bits(bits));
        add(OpKind::Cast, to);
    }

    void count_node(const ExpressionNode &node) {
        const Halide::Type type = node.expression.type();
        const auto operand = [&](size_t i) { return dag_.node(node.operands[i]).expression; };
        switch (node.kind()) {
            case ir::IRNodeType::Add:
            case ir::IRNodeType::Sub: add(OpKind::Add, type); break;
            case ir::IRNodeType::Mul: add(OpKind::Multiply, type); break;
            case ir::IRNodeType::Div:
                if (is_power_of_two(operand(1))) {
                    add(OpKind::Bitwise, type);
                    if (ir::is_const(operand(1), 2)) add_halving(node.operands[0]);
                } else if (type.is_float() && ir::is_const(operand(1))) {
                    add(OpKind::Multiply, type);  // by the reciprocal
                } else {
                    add_division(OpKind::Divide, operand(1));
                }
                break;
            case ir::IRNodeType::Mod: add_division(OpKind::Modulo, operand(1)); break;
            case ir::IRNodeType::Min:
            case ir::IRNodeType::Max: add(OpKind::MinMax, type); break;
            case ir::IRNodeType::EQ:
            case ir::IRNodeType::NE:
            case ir::IRNodeType::LT:
            case ir::IRNodeType::LE:
            case ir::IRNodeType::GT:
            case ir::IRNodeType::GE: add(OpKind::Compare, operand(0).type()); break;
            case ir::IRNodeType::And:
            case ir::IRNodeType::Or:
            case ir::IRNodeType::Not: add(OpKind::Bitwise, type); break;
            case ir::IRNodeType::Select: add(OpKind::Select, type); break;
            case ir::IRNodeType::Cast: add_cast(operand(0).type(), type); break;
            default: break;
        }
    }

    void count_call(const ir::Call &call, const ExpressionNode &node) {
        // The bounds of a promise and the condition of a requirement are no work per point.
        if (is_transparent(call)) {
            if (!node.operands.empty()) count(node.operands[0]);
            return;
        }
        if (is_intrinsic(call, "require") || is_intrinsic(call, "return_second")) {
            if (node.operands.size() > 1) count(node.operands[1]);
            return;
        }
        if (call.is_intrinsic()) {
            count_intrinsic(call, node);
        } else {
            const std::string_view name = without_type_suffix(call.name);
            const OpKind kind = extern_kind(name, call.type);
            add(kind, call.type, kind == OpKind::Transcendental ? polynomials_of(name) : 1);
        }
        for (int o : node.operands) count(o);
    }

    // Halide makes exp, log and pow of single precision vectors of polynomials. It calls the other functions of the
    // mathematics library for each lane (seen with 21).
    static OpKind extern_kind(std::string_view name, const Halide::Type &type) {
        if (is_one_of(name, {"sqrt", "rsqrt", "fast_inverse", "fast_inverse_sqrt"})) {
            return OpKind::SquareRoot;
        }
        if (is_one_of(name, {"fast_exp", "fast_log", "fast_pow", "fast_sin", "fast_cos"}) ||
            (type.bits() <= 32 && is_one_of(name, {"exp", "log", "pow"}))) {
            return OpKind::Transcendental;
        }
        if (is_one_of(name, {"floor", "ceil", "trunc", "round"})) return OpKind::Cast;
        if (is_one_of(name, {"is_nan", "is_inf", "is_finite"})) return OpKind::Compare;
        return OpKind::ExternCall;
    }

    // A power is the exponential of a logarithm, and its special cases are about as much work again. (Vectors of 16
    // floats on a Sapphire Rapids: exp 8.5 cycles, log 8.9, pow 27, fast_pow 18.)
    static double polynomials_of(std::string_view name) {
        return name == "pow" ? 3 : name == "fast_pow" ? 2 : 1;
    }

    void count_intrinsic(const ir::Call &call, const ExpressionNode &node) {
        const std::string_view name = call.name;
        const Halide::Type type = call.type;
        const auto operand = [&](size_t i) { return dag_.node(node.operands[i]).expression; };
        if (is_one_of(name, {"abs", "strict_min", "strict_max"})) {
            add(OpKind::MinMax, type);
        } else if (name == "absd") {
            add(OpKind::MinMax, type);
            add(OpKind::Add, type);
        } else if (name == "lerp") {
            add(OpKind::Multiply, type, 2);
            add(OpKind::Add, type, 2);
        } else if (name == "mux") {
            const double ways = static_cast<double>(node.operands.size()) - 2;
            add(OpKind::Compare, operand(0).type(), std::max(ways, 0.0));
            add(OpKind::Select, type, std::max(ways, 0.0));
        } else if (is_one_of(name, {"if_then_else", "select_mask"})) {
            add(OpKind::Select, type);
        } else if (is_one_of(name, {"strict_add", "strict_sub", "sorted_avg"})) {
            add(OpKind::Add, type);
        } else if (is_one_of(name, {"strict_mul", "widening_mul", "widen_right_mul"})) {
            add(OpKind::Multiply, type);
        } else if (name == "strict_div") {
            add(ir::is_const(operand(1)) ? OpKind::Multiply : OpKind::Divide, type);
        } else if (is_one_of(name, {"strict_lt", "strict_le", "strict_eq"})) {
            add(OpKind::Compare, operand(0).type());
        } else if (name == "div_round_to_zero") {
            add_division(OpKind::Divide, operand(1));
        } else if (name == "mod_round_to_zero") {
            add_division(OpKind::Modulo, operand(1));
        } else if (is_one_of(name, {"widening_add", "widening_sub", "widen_right_add",
                                    "widen_right_sub", "saturating_add", "saturating_sub"})) {
            add(OpKind::Add, type);
        } else if (is_one_of(name, {"halving_add", "halving_sub", "rounding_halving_add",
                                    "rounding_shift_left", "rounding_shift_right"})) {
            add(OpKind::Add, type);
            add(OpKind::Bitwise, type);
        } else if (is_one_of(name, {"mul_shift_right", "rounding_mul_shift_right"})) {
            add_high_product(type, name == "rounding_mul_shift_right");
        } else if (name == "saturating_cast") {
            add(OpKind::MinMax, operand(0).type(), 2);
            add(OpKind::Cast, type);
        } else if (name == "round") {
            add(OpKind::Cast, type);
        } else if (name == "popcount") {
            add(OpKind::BitCount, type);
        } else if (is_one_of(name, {"count_leading_zeros", "count_trailing_zeros"})) {
            // The zeros behind the last set bit are the set bits of (x - 1) & ~x. Those before the first take twice the
            // tables.
            add(OpKind::BitCount, type, 2);
        } else if (name.starts_with("bitwise_") || name.find("shift_") != name.npos ||
                   is_one_of(name, {"extract_bits", "concat_bits"})) {
            add(OpKind::Bitwise, type);
            if (is_one_of(name, {"shift_left", "shift_right"})) add_own_shifts(node.operands[1]);
            if (name == "shift_right" && ir::is_const(operand(1), 1)) add_halving(node.operands[0]);
        } else if (name == "random") {
            add(OpKind::ExternCall, type);  // a hash of its arguments: a dozen integer operations
        }
        // All other intrinsics are free: undef, properties of the target, bundles.
    }

    const ExpressionDag &dag_;
    bool has_loops_;
    std::vector<bool> seen_;
    int counting_ = 0;  // the node whose own operations are added
};

// In cycles, on x86 cores since Skylake and Zen (AMD's and Intel's optimisation guides). exp, log and pow: Halide's
// polynomials.
double latency(OpKind kind, TypeClass type) {
    const bool is_float =
        type == TypeClass::Float16 || type == TypeClass::Float32 || type == TypeClass::Float64;
    switch (kind) {
        case OpKind::Add:
        case OpKind::MinMax:
        case OpKind::Compare: return is_float ? 3 : 1;
        case OpKind::Multiply: return 4;
        case OpKind::Divide:
        case OpKind::Modulo:
        case OpKind::DivideByValue: return is_float ? 13 : 20;
        case OpKind::Select:
        case OpKind::Bitwise: return 1;
        case OpKind::BitCount:
        case OpKind::Cast: return 3;
        case OpKind::SquareRoot: return 18;
        case OpKind::Transcendental: return 45;
        case OpKind::ExternCall:  // no chain: the time of the call is counted elsewhere
        case OpKind::Count: break;
    }
    return 0;
}

// Per node of a DAG: the cycles until its value is ready. Values of loads are ready at once.
class DependenceChains {
public:
    DependenceChains(const ExpressionDag &dag, const std::vector<CountedOperation> &counted)
        : dag_(dag), own_(static_cast<size_t>(dag.size()), 0), known_(own_.size(), -1) {
        for (const CountedOperation &c : counted)
            own_[static_cast<size_t>(c.node)] +=
                c.operation.count * latency(c.operation.kind, c.operation.type);
    }

    std::span<const double> own_cycles() const { return own_; }

    double cycles_to(int n) {
        double &known = known_[static_cast<size_t>(n)];
        if (known >= 0) return known;
        double before = 0;
        const ExpressionNode &node = dag_.node(n);
        const auto *call = node.expression.as<ir::Call>();
        if (!call || !is_load(*call))
            for (int o : node.operands) before = std::max(before, cycles_to(o));
        return known_[static_cast<size_t>(n)] = before + own_[static_cast<size_t>(n)];
    }

private:
    const ExpressionDag &dag_;
    std::vector<double> own_, known_;
};

}  // namespace

ScalarType scalar_type(const Halide::Type &type) {
    ScalarType t;
    t.bits = type.bits();
    t.kind = type.is_bfloat()   ? ScalarType::Kind::BFloat
             : type.is_float()  ? ScalarType::Kind::Float
             : type.is_handle() ? ScalarType::Kind::Handle
             : type.is_uint()   ? ScalarType::Kind::UInt
                                : ScalarType::Kind::Int;
    return t;
}

StageOperations stage_operations(const StageView &stage, std::span<const StageLoop> loops,
                                 const std::string &self) {
    ExpressionDag dag;
    std::vector<int> counted, left;
    for (const Expr &e : stage.values) counted.push_back(dag.add(e));
    for (const Expr &e : stage.arguments) left.push_back(dag.add(e));
    const int predicate = stage.predicate.defined() ? dag.add(stage.predicate) : -1;
    OperationCounter counter(dag, !stage.loops.empty());
    // First the predicate: its operations are done in every iteration, also where the others share them.
    if (predicate >= 0) counter.count(predicate);
    const size_t of_predicate = counter.counted.size();
    for (int n : counted) counter.count(n);
    for (int n : left) counter.count_index(n);
    StageOperations result;
    for (const CountedOperation &c : counter.counted)
        result.total.at(c.operation.kind, c.operation.type) += c.operation.count;
    DependenceChains chains(dag, counter.counted);
    for (size_t i = 0; i < stage.values.size(); i++)
        result.longest_chain = std::max(result.longest_chain, chains.cycles_to(counted[i]));
    result.recurrence_chain = recurrence_chain(dag, chains.own_cycles(), stage,
                                               std::span(counted).first(stage.values.size()), self);
    for (size_t i = 0; i < of_predicate; i++) counter.counted[i].of_predicate = true;
    std::vector<int> roots = counted;
    roots.insert(roots.end(), left.begin(), left.end());
    const std::vector<std::vector<float>> kept = kept_shares(dag, roots, loops);
    for (CountedOperation &c : counter.counted)
        if (!c.of_predicate) c.kept_share = kept[static_cast<size_t>(c.node)];
    result.groups = group_operations(dag, counter.counted, stage, self);
    return result;
}

}  // namespace cryolite
