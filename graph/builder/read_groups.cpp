#include "graph/builder/read_groups.h"

#include <map>
#include <string>
#include <tuple>

namespace cryolite {
namespace {

// An index as a node and what is added to it.
struct Sum {
    int base;
    int64_t constant;
};

Sum sum_of(const ExpressionDag &dag, int index) {
    const ExpressionNode &node = dag.node(index);
    const auto constant = [&](int operand) {
        return dag.node(node.operands[static_cast<size_t>(operand)]).expression.as<ir::IntImm>();
    };
    if (node.kind() == ir::IRNodeType::Add) {
        if (const auto *c = constant(1)) return {node.operands[0], c->value};
        if (const auto *c = constant(0)) return {node.operands[1], c->value};
    }
    if (node.kind() == ir::IRNodeType::Sub)
        if (const auto *c = constant(1)) return {node.operands[0], -c->value};
    return {index, 0};
}

struct Ends {
    size_t group;
    int64_t first, last;
};

}  // namespace

std::vector<ReadGroup> read_groups(const ExpressionDag &dag) {
    std::vector<ReadGroup> groups;
    std::map<std::tuple<std::string, int, int>, Ends> known;
    for (int n = 0; n < dag.size(); n++) {
        const auto *call = dag.node(n).expression.as<ir::Call>();
        if (!call || !is_load(*call)) continue;
        for (size_t k = 0; k < call->args.size(); k++) {
            const int index = dag.node(n).operands[k];
            const Expr &expression = dag.node(index).expression;
            const Sum sum = sum_of(dag, index);
            const auto [found, is_new] =
                known.try_emplace({call->name, static_cast<int>(k), sum.base},
                                  Ends{groups.size(), sum.constant, sum.constant});
            Ends &ends = found->second;
            if (is_new) {
                groups.push_back({call, static_cast<int>(k), index, expression, expression});
                continue;
            }
            ReadGroup &group = groups[ends.group];
            if (sum.constant < ends.first) {
                ends.first = sum.constant;
                group.first = expression;
            }
            if (sum.constant > ends.last) {
                ends.last = sum.constant;
                group.last = expression;
            }
        }
    }
    return groups;
}

}  // namespace cryolite
