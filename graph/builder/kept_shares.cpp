#include "graph/builder/kept_shares.h"

#include <set>

#include "graph/halide/expression_values.h"

namespace cryolite {
namespace {

// Longer loops are not unrolled whole, and their copies would take long to count.
constexpr int64_t longest_loop = 256;
// So many periods away, a comparison with a place in the picture has changed its value. It is odd, so that what repeats
// after several periods alone has changed, too.
constexpr int64_t far_away = (int64_t{1} << 18) + 1;

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

// The values that nodes have whichever of several places a copy stands at.
class CopyValues {
public:
    explicit CopyValues(const ExpressionDag &dag) : dag_(dag) {}

    void set(const std::string &loop, std::span<const int64_t> places) {
        at_.clear();
        for (int64_t place : places) at_.emplace_back(dag_).set({{loop, place}});
    }

    std::optional<int64_t> of(int n) {
        const std::optional<int64_t> value = at_[0].of(n);
        for (size_t p = 1; p < at_.size() && value; p++)
            if (at_[p].of(n) != value) return std::nullopt;
        return value;
    }

private:
    const ExpressionDag &dag_;
    std::vector<ExpressionValues> at_;
};

// Counts, copy by copy, which nodes the copies of a loop keep.
class CopyCounter {
public:
    CopyCounter(const ExpressionDag &dag, std::span<const int> roots)
        : dag_(dag), roots_(roots), values_(dag), copies_(static_cast<size_t>(dag.size())) {}

    // places: where in the loop the copy may stand.
    void count(const std::string &loop, std::span<const int64_t> places) {
        values_.set(loop, places);
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
    CopyValues values_;
    std::vector<int64_t> copies_;
    std::vector<bool> seen_;
    std::vector<int> todo_;
};

// Where the copies stand that are counted: each in a loop that is unrolled whole, or each place of a period.
struct CountedCopies {
    Interval places = {0, -1};
    int64_t period = 0;  // 0: the loop is a number in each copy
};

CountedCopies counted_copies(const StageLoop &loop) {
    if (loop.is_reduction) return {loop.constant_range ? loop.range : Interval{0, -1}};
    if (loop.channels > 0) return {{0, loop.channels - 1}};
    return {{0, loop.period - 1}, loop.period};
}

}  // namespace

std::vector<std::vector<float>> kept_shares(const ExpressionDag &dag, std::span<const int> roots,
                                            std::span<const StageLoop> loops) {
    std::vector<std::vector<float>> shares(static_cast<size_t>(dag.size()));
    const std::set<std::string> deciding = deciding_variables(dag);
    for (size_t l = 0; l < loops.size(); l++) {
        const StageLoop &loop = loops[l];
        const CountedCopies copies = counted_copies(loop);
        const int64_t extent = copies.places.extent();
        if (extent < 2 || extent > longest_loop || !deciding.contains(loop.name)) continue;
        CopyCounter counter(dag, roots);
        for (int64_t v = copies.places.min; v <= copies.places.max; v++) {
            const int64_t far = copies.period * far_away;
            const std::vector<int64_t> places =
                far == 0 ? std::vector{v} : std::vector{v, v + far, v - far, v + copies.period};
            counter.count(loop.name, places);
        }
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
