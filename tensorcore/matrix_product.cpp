#include "tensorcore/matrix_product.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/halide/expression_walk.h"
#include "tensorcore/factors.h"

namespace cryolite::tensorcore {

using Halide::Type;

namespace {

// The value of a Func that only converts or selects narrow values is looked through: f32(x, y) = float(a(x, y)) is
// computed where it is read, if nobody schedules it otherwise; then the lowering pass fails. Deeper chains are rare.
constexpr int kMostInlined = 4;

Expr with_inlined(Expr e, std::vector<std::string> &inlined) {
    for (int i = 0; i < kMostInlined; i++) {
        Expr found, value;
        ExpressionWalk walk([&](const Expr &at) {
            const ir::Call *call = at.as<ir::Call>();
            if (found.defined() || call == nullptr || call->call_type != ir::Call::Halide ||
                !call->func.defined())
                return;
            const ir::Function function(call->func);
            if (!function.can_be_inlined()) return;
            // A narrow Func is an operand as it is.
            if (function.output_types()[0].bits() <= 16) return;
            found = at;
            inlined.push_back(function.name());
            std::map<std::string, Expr> arguments;
            for (size_t d = 0; d < call->args.size(); d++)
                arguments[function.args()[d]] = call->args[d];
            value = ir::substitute(arguments,
                                   function.values()[static_cast<size_t>(call->value_index)]);
        });
        walk(e);
        if (!found.defined()) return e;
        e = ir::substitute(found, value, e);
    }
    return e;
}

bool reads(const Expr &e, const std::string &func) {
    bool result = false;
    ExpressionWalk([&](const Expr &at) {
        const ir::Call *call = at.as<ir::Call>();
        result = result || (call != nullptr && is_load(*call) && call->name == func);
    })(e);
    return result;
}

bool is_variable(const Expr &e, const std::string &name) {
    const ir::Variable *variable = e.as<ir::Variable>();
    return variable != nullptr && variable->name == name;
}

// The update's own value among the terms of a sum, and the other term.
Expr added_term(const Expr &value, const std::string &func, const std::vector<Expr> &arguments) {
    const ir::Add *add = value.as<ir::Add>();
    if (add == nullptr) return Expr();
    for (const auto &[own, other] : {std::pair{add->a, add->b}, std::pair{add->b, add->a}}) {
        const ir::Call *call = own.as<ir::Call>();
        if (call == nullptr || call->call_type != ir::Call::Halide || call->name != func) continue;
        if (call->args.size() != arguments.size()) continue;
        bool is_same = true;
        for (size_t i = 0; i < arguments.size(); i++)
            is_same = is_same && ir::equal(call->args[i], arguments[i]);
        if (is_same) return other;
    }
    return Expr();
}

// Whether `reader` reads `producer` once, at its own point but for the order of the dimensions.
bool reads_by_points(const StageGraph &graph, const Func &reader, const Func &producer) {
    if (reader.stages.size() != 1 || reader.is_extern || reader.locked || reader.is_input())
        return false;
    if (reader.values.size() != 1 || reader.dims.size() != producer.dims.size()) return false;
    const Stage &stage = graph.stage(reader.stages[0]);
    for (EdgeId id : stage.incoming) {
        const Edge &edge = graph.edge(id);
        if (edge.producer != producer.id) continue;
        if (edge.accesses.size() != 1) return false;
        std::set<size_t> used;
        for (const IndexMap &index : edge.accesses[0].index) {
            if (!index.affine || !index.exact || index.clamp != Clamp::None ||
                !index.offset.is_zero())
                return false;
            size_t loop = 0;
            int moving = 0;
            for (size_t l = 0; l < index.coefficient.size(); l++) {
                if (index.coefficient[l].is_zero()) continue;
                if (!(index.coefficient[l] == Rational{1, 1})) return false;
                loop = l;
                moving++;
            }
            if (moving != 1 || !used.insert(loop).second) return false;
        }
        return true;
    }
    return false;
}

// The last Func of the chain of readers by points, if the sums need not be stored.
void find_epilogue(const StageGraph &graph, const Func &func, MatrixProduct &product) {
    const Func *at = &func;
    if (func.stages.size() != 2 || func.is_output()) return;
    while (!at->is_output() && at->outgoing.size() == 1) {
        const Func &reader = graph.func_of(graph.edge(at->outgoing[0]).consumer);
        if (!reads_by_points(graph, reader, *at)) return;
        // What comes before is inlined into this one.
        if (product.epilogue) {
            if (!at->can_inline) return;
            product.inlined.push_back(*product.epilogue);
        }
        product.epilogue = reader.id;
        at = &reader;
    }
}

}  // namespace

const char *explanation_of(NoProduct reason) {
    switch (reason) {
        case NoProduct::PureStage: return "it is no update of a reduction";
        case NoProduct::ExternStage: return "it is computed by an extern function";
        case NoProduct::SeveralValues: return "it computes a tuple";
        case NoProduct::Locked: return "it is scheduled by hand";
        case NoProduct::Predicate: return "its reduction has a predicate (RDom::where)";
        case NoProduct::MovedStore: return "its update does not write at its own pure variables";
        case NoProduct::NoReduction: return "its update has no reduction";
        case NoProduct::NotASum: return "its update does not add a product to itself";
        case NoProduct::WideFactors:
            return "its factors are not conversions of f16, bf16, i8 or u8";
        case NoProduct::RoundedFactors:
            return "its factors are 32-bit floats, which tensor cores round; "
                   "tensor_cores_tf32=true allows that";
        case NoProduct::UnsupportedTypes:
            return "no instruction multiplies its types to the type of its sums";
        case NoProduct::SelfReading: return "a factor reads the Func itself";
        case NoProduct::Vector:
            return "a factor has no loop of its own, as in a matrix times a vector";
    }
    return "";
}

namespace {

// Exact factors, or floats that are rounded where that is allowed. A Func of 32-bit floats is an operand as it is, so
// none is looked through for these.
struct FoundFactors {
    Factors factors;
    std::vector<std::string> conversions;
};
Result<FoundFactors, NoProduct> factors_in(const Expr &term, const Type &sum,
                                           const std::vector<std::string> &loops,
                                           Precision precision) {
    std::vector<std::string> conversions;
    const Expr product = with_inlined(term, conversions);
    const bool is_product = product.as<ir::Mul>() != nullptr || product.as<ir::Cast>() != nullptr;
    if (is_product) {
        const Factors exact = factors_of(product, sum);
        if (exact.defined()) return FoundFactors{exact, std::move(conversions)};
    }
    const Factors rounded = sum == Halide::Float(32) ? float_factors_of(term, loops) : Factors{};
    if (!rounded.defined()) return is_product ? NoProduct::WideFactors : NoProduct::NotASum;
    if (precision == Precision::Exact) return NoProduct::RoundedFactors;
    return FoundFactors{rounded, {}};
}

}  // namespace

Result<ProductUpdate, NoProduct> read_update(const ir::Function &function, int index,
                                             Precision precision) {
    const ir::Definition &update = function.update(index);
    for (size_t d = 0; d < update.args().size(); d++) {
        if (!is_variable(update.args()[d], function.args()[d])) return NoProduct::MovedStore;
    }
    if (update.values().size() != 1) return NoProduct::SeveralValues;
    const Type sum = update.values()[0].type();
    const Expr term = added_term(update.values()[0], function.name(), update.args());
    if (!term.defined()) return NoProduct::NotASum;
    const Result<FoundFactors, NoProduct> found = factors_in(term, sum, function.args(), precision);
    if (!found.ok()) return found.error();
    const Factors &factors = found->factors;
    const Result<ProductTypes> types =
        product_types(factors.left.type(), factors.right.type(), sum);
    if (!types.ok()) return NoProduct::UnsupportedTypes;
    if (reads(factors.left, function.name()) || reads(factors.right, function.name()))
        return NoProduct::SelfReading;
    std::vector<std::string> conversions = found->conversions;
    std::ranges::sort(conversions);
    conversions.erase(std::ranges::unique(conversions).begin(), conversions.end());
    return ProductUpdate{factors.left, factors.right, *types, std::move(conversions)};
}

MatchedStage match_product(const BuiltGraph &built, StageId id, Precision precision) {
    const Stage &stage = built.graph.stage(id);
    const Func &func = built.graph.func(stage.func);
    if (func.is_extern) return NoProduct::ExternStage;
    if (stage.index == 0) return NoProduct::PureStage;
    if (func.locked) return NoProduct::Locked;
    if (func.values.size() != 1) return NoProduct::SeveralValues;
    if (stage.has_predicate) return NoProduct::Predicate;

    if (std::ranges::none_of(stage.loops, &StageLoop::is_reduction)) return NoProduct::NoReduction;
    const Result<ProductUpdate, NoProduct> update =
        read_update(built.functions[func.id.index()], stage.index - 1, precision);
    if (!update.ok()) return update.error();

    MatrixProduct result;
    result.stage = id;
    result.types = update->types;
    result.left = update->left;
    result.right = update->right;
    result.conversions = update->conversions;
    for (int l = 0; l < static_cast<int>(stage.loops.size()); l++) {
        const StageLoop &loop = stage.loops[static_cast<size_t>(l)];
        const bool in_left = ir::expr_uses_var(update->left, loop.name);
        const bool in_right = ir::expr_uses_var(update->right, loop.name);
        (loop.is_reduction     ? result.depth_loops
         : in_left == in_right ? result.batch_loops
         : in_left             ? result.left_loops
                               : result.right_loops)
            .push_back(l);
    }
    if (result.left_loops.empty() || result.right_loops.empty()) return NoProduct::Vector;
    find_epilogue(built.graph, func, result);
    return result;
}

}  // namespace cryolite::tensorcore
