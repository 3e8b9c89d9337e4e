#include "graph/build_kept_shares.h"

#include <set>

#include "graph/expression_values.h"

namespace cryolite {
namespace {

// Longer loops are not unrolled whole, and their copies would take long to count.
constexpr int64_t longest_loop = 256;

bool is_mux(const ExpressionNode &node) {
    const auto *call = node.expression.as<ir::Call>();
    return call && is_intrinsic(*call, "mux") && node.operands.size() > 1;
}

// Whether the first operand selects which of the others is the node's value.
bool is_choice(const ExpressionNode &node) {
    const auto *call = node.expression.as<ir::Call>();
    return node.kind() == ir::IRNodeType::Select || is_mux(node) ||
           (call && is_intrinsic(*call, "if_then_else") && node.operands.size() == 3);
}

// Variables that the condition of some choice contains.
std::set<std::string> deciding_variables(const ExpressionDag &dag) {
    std::set<std::string> found;
    std::vector<bool> seen(static_cast<size_t>(dag.size()));
    std::vector<int> todo;
    for (int n = 0; n < dag.size(); n++)
        if (is_choice(dag.node(n))) todo.push_back(dag.node(n).operands[0]);
    while (!todo.empty()) {
        const int n = todo.back();
        todo.pop_back();
        if (seen[static_cast<size_t>(n)]) continue;
        seen[static_cast<size_t>(n)] = true;
        const ExpressionNode &node = dag.node(n);
        if (const auto *v = node.expression.as<ir::Variable>()) found.insert(v->name);
        todo.insert(todo.end(), node.operands.begin(), node.operands.end());
    }
    return found;
}

// Counts, copy by copy, which nodes the copies of a loop keep.
class CopyCounter {
public:
    CopyCounter(const ExpressionDag &dag, std::span<const int> roots)
        : dag_(dag), roots_(roots), values_(dag), copies_(static_cast<size_t>(dag.size())) {}

    void count(const std::string &loop, int64_t value) {
        values_.set({{loop, value}});
        seen_.assign(static_cast<size_t>(dag_.size()), false);
        todo_.assign(roots_.begin(), roots_.end());
        while (!todo_.empty()) {
            const int n = todo_.back();
            todo_.pop_back();
            if (!seen_[static_cast<size_t>(n)]) visit(n);
        }
    }

    // How many copies keep the node's own operation.
    int64_t copies(int n) const { return copies_[static_cast<size_t>(n)]; }

private:
    void visit(int n) {
        seen_[static_cast<size_t>(n)] = true;
        const ExpressionNode &node = dag_.node(n);
        if (values_.of(n)) return;
        if (is_choice(node)) {
            if (const std::optional<int64_t> choice = values_.of(node.operands[0])) {
                todo_.push_back(node.operands[chosen(node, *choice)]);
                return;
            }
        }
        copies_[static_cast<size_t>(n)]++;
        todo_.insert(todo_.end(), node.operands.begin(), node.operands.end());
    }

    static size_t chosen(const ExpressionNode &node, int64_t choice) {
        if (!is_mux(node)) return choice != 0 ? 1 : 2;
        // An index out of range selects the last value.
        const auto ways = static_cast<int64_t>(node.operands.size()) - 1;
        const int64_t way = choice < 0 || choice >= ways ? ways - 1 : choice;
        return static_cast<size_t>(way) + 1;
    }

    const ExpressionDag &dag_;
    const std::span<const int> roots_;
    ExpressionValues values_;
    std::vector<int64_t> copies_;
    std::vector<bool> seen_;
    std::vector<int> todo_;
};

}  // namespace

std::vector<std::vector<float>> kept_shares(const ExpressionDag &dag, std::span<const int> roots,
                                            std::span<const StageLoop> loops) {
    std::vector<std::vector<float>> shares(static_cast<size_t>(dag.size()));
    const std::set<std::string> deciding = deciding_variables(dag);
    for (size_t l = 0; l < loops.size(); l++) {
        const StageLoop &loop = loops[l];
        const Interval range =
            loop.is_reduction && loop.constant_range ? loop.range : Interval{0, loop.channels - 1};
        const int64_t extent = range.extent();
        if (extent < 2 || extent > longest_loop || !deciding.contains(loop.name)) continue;
        CopyCounter counter(dag, roots);
        for (int64_t v = range.min; v <= range.max; v++) counter.count(loop.name, v);
        for (int n = 0; n < dag.size(); n++) {
            if (counter.copies(n) == extent) continue;
            std::vector<float> &share = shares[static_cast<size_t>(n)];
            share.resize(loops.size(), 1);
            share[l] = static_cast<float>(counter.copies(n)) / static_cast<float>(extent);
        }
    }
    return shares;
}

}  // namespace cryolite
