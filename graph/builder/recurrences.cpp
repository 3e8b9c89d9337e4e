#include "graph/builder/recurrences.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

constexpr double no_path = -std::numeric_limits<double>::infinity();

// Longer tuples are not looked at.
constexpr size_t most_elements = 16;

bool is_sum(const ExpressionNode &node) {
    return node.kind() == ir::IRNodeType::Add || node.kind() == ir::IRNodeType::Sub;
}

// Whether the place of an access names every reduction loop.
bool names_all_reductions(const StageView &stage) {
    return std::ranges::all_of(stage.loops, [&](const LoopView &loop) {
        if (loop.func_dim >= 0) return true;
        bool named = false;
        ExpressionWalk walk([&](const Expr &e) {
            const auto *variable = e.as<ir::Variable>();
            named |= variable && variable->name == loop.name;
        });
        for (const Expr &a : stage.arguments) walk(a);
        return named;
    });
}

// Cycles from the loads of one element of the stage's own Func to each node.
class PathsFromElement {
public:
    PathsFromElement(const ExpressionDag &dag, std::span<const double> own_cycles,
                     const StageView &stage, const std::string &self, int element)
        : dag_(dag),
          own_(own_cycles),
          stage_(stage),
          self_(self),
          element_(element),
          visits_own_point_once_(names_all_reductions(stage)),
          known_(own_cycles.size()) {}

    double to(int n) {
        std::optional<double> &known = known_[static_cast<size_t>(n)];
        if (known) return *known;
        const ExpressionNode &node = dag_.node(n);
        const auto *call = node.expression.as<ir::Call>();
        // What the index of a load waits for is no operation on the values that are carried.
        if (call && is_load(*call)) return *(known = is_carried(*call) ? 0 : no_path);
        double longest = no_path;
        for (int o : node.operands) {
            const double path = to(o);
            if (path == no_path) continue;
            longest =
                std::max(longest, path + (is_fused(node, o) ? 0 : own_[static_cast<size_t>(n)]));
        }
        return *(known = longest);
    }

private:
    // A step that is alone in reading and storing its point carries nothing from there.
    bool is_carried(const ir::Call &call) const {
        if (call.name != self_ || call.value_index != element_) return false;
        if (!visits_own_point_once_) return true;
        return !std::ranges::equal(call.args, stage_.arguments, [](const Expr &a, const Expr &b) {
            return ir::graph_equal(a, b);
        });
    }

    // One instruction multiplies and adds.
    bool is_fused(const ExpressionNode &node, int operand) const {
        return is_sum(node) && node.expression.type().is_float() &&
               dag_.node(operand).kind() == ir::IRNodeType::Mul;
    }

    const ExpressionDag &dag_;
    std::span<const double> own_;
    const StageView &stage_;
    const std::string &self_;
    const int element_;
    const bool visits_own_point_once_;
    std::vector<std::optional<double>> known_;
};

}  // namespace

double recurrence_chain(const ExpressionDag &dag, std::span<const double> own_cycles,
                        const StageView &stage, std::span<const int> values,
                        const std::string &self) {
    const size_t n = values.size();
    if (n > most_elements) return 0;
    using Square = std::vector<std::vector<double>>;
    Square once(n);
    for (size_t from = 0; from < n; from++) {
        PathsFromElement paths(dag, own_cycles, stage, self, static_cast<int>(from));
        for (size_t to = 0; to < n; to++) once[from].push_back(paths.to(values[to]));
    }
    // The longest walks of k steps that end where they began, for each k.
    double chain = 0;
    Square walks = once;
    for (size_t k = 1; k <= n; k++) {
        for (size_t i = 0; i < n; i++)
            chain = std::max(chain, walks[i][i] / static_cast<double>(k));
        Square longer(n, std::vector<double>(n, no_path));
        for (size_t i = 0; i < n; i++)
            for (size_t via = 0; via < n; via++)
                for (size_t j = 0; j < n; j++)
                    longer[i][j] = std::max(longer[i][j], walks[i][via] + once[via][j]);
        walks = std::move(longer);
    }
    return chain;
}

}  // namespace cryolite
