#include "graph/builder/copies.h"

#include <algorithm>

#include "graph/halide/expression_dag.h"

namespace cryolite {
namespace {

bool copies_value(const Expr &e) {
    if (ir::is_const(e)) return true;
    if (const auto *v = e.as<ir::Variable>()) return v->param.defined();
    if (const auto *c = e.as<ir::Cast>()) return copies_value(c->value);
    if (const auto *s = e.as<ir::Select>()) {
        // A boundary condition has a constant beyond the edge.
        const bool constant_side = ir::is_const(s->true_value) || ir::is_const(s->false_value);
        return constant_side && copies_value(s->true_value) && copies_value(s->false_value);
    }
    const auto *c = e.as<ir::Call>();
    if (!c) return false;
    if (is_transparent(*c) && !c->args.empty()) return copies_value(c->args[0]);
    return is_load(*c);
}

bool has_data_dependent_index(const StageView &stage) {
    ExpressionDag dag;
    for (const Expr &e : stage.values) dag.add(e);
    for (int n = 0; n < dag.size(); n++) {
        const auto *call = dag.node(n).expression.as<ir::Call>();
        if (!call || !is_load(*call)) continue;
        for (int o : dag.node(n).operands) {
            if (dag.node(o).has_load) return true;
        }
    }
    return false;
}

}  // namespace

bool copies_values(const StageView &stage) {
    return !stage.values.empty() &&
           std::all_of(stage.values.begin(), stage.values.end(), copies_value) &&
           !has_data_dependent_index(stage);
}

bool is_undefined(const StageView &stage) {
    return !stage.values.empty() &&
           std::all_of(stage.values.begin(), stage.values.end(), [](const Expr &e) {
               return ir::Call::as_intrinsic(e, {ir::Call::undef}) != nullptr;
           });
}

}  // namespace cryolite
