#include "graph/vanishing_calls.h"

#include <set>
#include <string>

namespace cryolite {
namespace {

class Calls : public Halide::Internal::IRVisitor {
public:
    std::set<std::string> names;

private:
    using IRVisitor::visit;

    void visit(const Halide::Internal::Call *call) override {
        if (call->call_type == Halide::Internal::Call::Halide) names.insert(call->name);
        IRVisitor::visit(call);
    }
};

std::set<std::string> called_by(const Halide::Expr &expr) {
    Calls calls;
    expr.accept(&calls);
    return calls.names;
}

}  // namespace

bool calls_vanish(const Halide::Internal::Function &function) {
    if (!function.has_pure_definition()) return false;
    std::set<std::string> before, after;
    for (const Halide::Expr &value : function.values()) {
        before.merge(called_by(value));
        after.merge(called_by(Halide::Internal::simplify(value)));
    }
    return before != after;
}

}  // namespace cryolite
