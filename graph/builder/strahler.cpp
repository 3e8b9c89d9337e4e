#include "graph/builder/strahler.h"

#include <algorithm>
#include <functional>

#include "graph/halide/expression_dag.h"

namespace cryolite {
namespace {

class StrahlerNumbers {
public:
    explicit StrahlerNumbers(const ExpressionDag &dag)
        : dag_(dag), known_(static_cast<size_t>(dag.size()), unknown) {}

    int of(int n) {
        int &known = known_[static_cast<size_t>(n)];
        if (known == unknown) known = compute(dag_.node(n));
        return known;
    }

private:
    static constexpr int unknown = -1;

    int compute(const ExpressionNode &node) {
        if (node.is_constant()) return 0;
        // The operand that needs most comes first: each operand before another holds one register meanwhile.
        const auto *call = node.expression.as<ir::Call>();
        const bool load = call && is_load(*call);
        std::vector<int> needs;
        for (int o : node.operands)
            if (!load || dag_.node(o).has_load) needs.push_back(of(o));
        std::sort(needs.begin(), needs.end(), std::greater<>());
        int most = 1;
        for (size_t i = 0; i < needs.size(); i++)
            if (needs[i] > 0) most = std::max(most, needs[i] + static_cast<int>(i));
        return most;
    }

    const ExpressionDag &dag_;
    std::vector<int> known_;
};

}  // namespace

int strahler_number(const StageView &stage) {
    ExpressionDag dag;
    std::vector<int> roots;
    for (const Expr &e : stage.values) roots.push_back(dag.add(e));
    if (stage.predicate.defined()) roots.push_back(dag.add(stage.predicate));
    // Addresses of loads and stores are strength-reduced unless an index is loaded.
    for (const Expr &e : stage.arguments)
        if (const int n = dag.add(e); dag.node(n).has_load) roots.push_back(n);
    StrahlerNumbers numbers(dag);
    int most = 0;
    for (int n : roots) most = std::max(most, numbers.of(n));
    return most;
}

}  // namespace cryolite
