#include "graph/builder/equalities.h"

#include <algorithm>

namespace cryolite {
namespace {

using Loops = std::vector<bool>;  // empty: none

void add(Loops &to, const Loops &more) {
    if (more.empty()) return;
    if (to.empty()) to.resize(more.size());
    for (size_t l = 0; l < more.size(); l++) to[l] = to[l] || more[l];
}

bool chooses(const ExpressionNode &node) {
    if (node.kind() == ir::IRNodeType::Select) return true;
    const auto *call = node.expression.as<ir::Call>();
    return call && is_intrinsic(*call, "if_then_else");
}

}  // namespace

std::vector<std::vector<bool>> loops_equated(const ExpressionDag &dag,
                                             std::span<const StageLoop> loops) {
    const auto size = static_cast<size_t>(dag.size());
    // Operands come before the nodes that have them.
    std::vector<Loops> depends(size), compares(size), equated(size);
    for (size_t n = 0; n < size; n++) {
        const ExpressionNode &node = dag.node(static_cast<int>(n));
        if (const auto *v = node.expression.as<ir::Variable>()) {
            const auto loop = std::ranges::find(loops, v->name, &StageLoop::name);
            if (loop != loops.end()) {
                depends[n].resize(loops.size());
                depends[n][static_cast<size_t>(loop - loops.begin())] = true;
            }
        }
        const bool is_equality =
            node.kind() == ir::IRNodeType::EQ || node.kind() == ir::IRNodeType::NE;
        for (int o : node.operands) {
            add(depends[n], depends[static_cast<size_t>(o)]);
            add(compares[n], compares[static_cast<size_t>(o)]);
            if (is_equality) add(compares[n], depends[static_cast<size_t>(o)]);
        }
    }
    for (size_t n = size; n-- > 0;) {
        const ExpressionNode &node = dag.node(static_cast<int>(n));
        for (size_t i = 0; i < node.operands.size(); i++) {
            Loops &below = equated[static_cast<size_t>(node.operands[i])];
            add(below, equated[n]);
            if (i > 0 && chooses(node)) add(below, compares[static_cast<size_t>(node.operands[0])]);
        }
    }
    return equated;
}

}  // namespace cryolite
