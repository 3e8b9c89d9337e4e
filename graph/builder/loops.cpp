#include "graph/builder/loops.h"

#include "graph/builder/regions.h"
#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

// Assumed iterations of a reduction whose bounds are loaded values that nothing limits. It is long enough to count
// as a loop, and short enough not to dominate the cost of the pipeline.
constexpr int64_t kAssumedIterations = 64;

bool reads(const Expr &e, const std::string &func) {
    bool found = false;
    ExpressionWalk walk([&](const Expr &node) {
        const auto *call = node.as<ir::Call>();
        found |= call && call->call_type == ir::Call::Halide && call->name == func;
    });
    walk(e);
    return found;
}

// Whether the iterations may come in any order because the update combines values associatively and commutatively.
// Where it writes, and whether it does, must not depend on what it has written.
bool is_order_free(const FuncView &f, const StageView &stage) {
    for (const Expr &e : stage.arguments) {
        if (reads(e, f.name())) return false;
    }
    if (reads(stage.predicate, f.name())) return false;
    std::vector<Expr> arguments, values;
    for (const Expr &e : stage.arguments)
        arguments.push_back(ir::common_subexpression_elimination(e));
    for (const Expr &e : stage.values) values.push_back(ir::common_subexpression_elimination(e));
    for (Expr &e : arguments) e = ir::substitute_in_all_lets(e);
    for (Expr &e : values) e = ir::substitute_in_all_lets(e);
    const ir::AssociativeOp op = ir::prove_associativity(f.name(), arguments, values);
    return op.associative() && op.commutative();
}

bool depends_on(const Expr &e, const std::string &variable) {
    return e.defined() && ir::expr_uses_var(ir::substitute_in_all_lets(e), variable);
}

}  // namespace

std::vector<StageLoop> stage_loops(const FuncView &f, size_t index, const Estimates &estimates,
                                   const ir::FuncValueBounds &value_bounds,
                                   std::vector<std::string> &warnings) {
    const StageView &stage = f.stages[index];
    const bool is_extern = f.copy.has_extern_definition() && index == 0;
    bool has_reduction = false;
    for (const LoopView &l : stage.loops) has_reduction |= l.func_dim < 0;
    const bool order_free = has_reduction && is_order_free(f, stage);

    std::vector<StageLoop> loops;
    for (const LoopView &l : stage.loops) {
        StageLoop loop;
        loop.name = l.name;
        loop.func_dim = l.func_dim;
        loop.is_reduction = l.func_dim < 0;
        loop.in_predicate = depends_on(stage.predicate, l.name);
        if (is_extern) loop.reorderable = loop.parallelizable = loop.vectorizable = false;
        if (loop.is_reduction) {
            if (const auto range = reduction_range(l, estimates, value_bounds)) {
                loop.range = *range;
            } else {
                loop.range = {0, kAssumedIterations - 1};
                warnings.push_back("Func \"" + f.name() + "\": the bounds of reduction loop " +
                                   l.name + " are loaded values; " +
                                   std::to_string(kAssumedIterations) + " iterations are assumed");
            }
            loop.constant_range =
                ir::is_const(ir::simplify(l.min)) && ir::is_const(ir::simplify(l.extent));
            // A single iteration races with none, until the loop is split: Halide does not see then that it was one.
            const bool is_single = ir::is_const_one(ir::simplify(l.extent));
            const bool race_free =
                !is_single && ir::can_parallelize_rvar(l.name, f.name(), stage.definition);
            loop.reorderable = race_free || order_free;
            loop.parallelizable = loop.vectorizable = race_free;
        }
        loops.push_back(std::move(loop));
    }
    return loops;
}

}  // namespace cryolite
