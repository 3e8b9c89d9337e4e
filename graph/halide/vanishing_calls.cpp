#include "graph/halide/vanishing_calls.h"

#include <set>
#include <string>

#include "graph/halide/expression_walk.h"

namespace cryolite {

bool calls_vanish(const ir::Function &function) {
    if (!function.has_pure_definition()) return false;
    std::set<std::string> before, after;
    const auto add_callees = [](const Expr &value, std::set<std::string> &names) {
        ExpressionWalk walk([&](const Expr &e) {
            const auto *call = e.as<ir::Call>();
            if (call && call->call_type == ir::Call::Halide) names.insert(call->name);
        });
        walk(value);
    };
    for (const Expr &value : function.values()) {
        add_callees(value, before);
        add_callees(ir::simplify(value), after);
    }
    return before != after;
}

}  // namespace cryolite
