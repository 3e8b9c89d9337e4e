#include "graph/builder/operation_groups.h"

#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "base/hash.h"

namespace cryolite {
namespace {

constexpr int nothing = -1, several = -2;

// What the value of a node depends on.
struct Origin {
    std::vector<bool> loops;  // including those in the indices of loads
    int call = nothing;       // if it is a function of one call's value alone: the call's node
    bool loaded = false;
    uint64_t function = 0;  // hash of that function
};

class Origins {
public:
    Origins(const ExpressionDag &dag, const StageView &stage, const std::string &self)
        : dag_(dag), self_(self), known_(static_cast<size_t>(dag.size())) {
        for (size_t l = 0; l < stage.loops.size(); l++) loop_of_[stage.loops[l].name] = l;
    }

    const Origin &of(int n) {
        auto &known = known_[static_cast<size_t>(n)];
        if (!known) known = compute(n);
        return *known;
    }

private:
    Origin compute(int n) {
        const ExpressionNode &node = dag_.node(n);
        Origin origin;
        origin.loops.resize(loop_of_.size());
        if (const auto *v = node.expression.as<ir::Variable>()) {
            if (const auto loop = loop_of_.find(v->name); loop != loop_of_.end()) {
                origin.loops[loop->second] = true;
                origin.call = several;
            }
        }
        Hasher function;
        function.add(static_cast<uint64_t>(node.kind())).add(own_text(node));
        for (int o : node.operands) {
            const Origin &operand = of(o);
            for (size_t l = 0; l < origin.loops.size(); l++)
                origin.loops[l] = origin.loops[l] || operand.loops[l];
            origin.loaded |= operand.loaded;
            if (origin.call == nothing)
                origin.call = operand.call;
            else if (operand.call != nothing && operand.call != origin.call)
                origin.call = several;
            function.add(operand.function);
        }
        origin.function = function.value();
        const auto *call = node.expression.as<ir::Call>();
        if (call && is_load(*call)) {
            origin.call = n;
            origin.loaded = true;
            origin.function = 0;
            // A value that the update itself stores may change in every iteration.
            if (call->name == self_) {
                origin.call = several;
                origin.loops.assign(loop_of_.size(), true);
            }
        }
        return origin;
    }

    // What distinguishes a node besides its kind and its operands.
    static std::string own_text(const ExpressionNode &node) {
        std::ostringstream text;
        text << node.expression.type();
        if (node.operands.empty()) text << node.expression;
        if (const auto *call = node.expression.as<ir::Call>()) text << call->name;
        return text.str();
    }

    const ExpressionDag &dag_;
    const std::string &self_;
    std::map<std::string, size_t> loop_of_;
    std::vector<std::optional<Origin>> known_;
};

}  // namespace

std::vector<FoundGroup> group_operations(const ExpressionDag &dag,
                                         const std::vector<CountedOperation> &counted,
                                         const StageView &stage, const std::string &self) {
    Origins origins(dag, stage, self);
    std::vector<FoundGroup> groups;
    std::map<std::tuple<std::vector<bool>, bool, int, uint64_t, bool, std::vector<float>>, size_t>
        known;
    for (const CountedOperation &c : counted) {
        const Origin &origin = origins.of(c.node);
        const bool follows = origin.call >= 0 && !c.of_predicate && c.kept_share.empty();
        const uint64_t function = follows ? origin.function : 0;
        const auto [at, is_new] =
            known.try_emplace({origin.loops, origin.loaded, follows ? origin.call : nothing,
                               function, c.of_predicate, c.kept_share},
                              groups.size());
        if (is_new) {
            FoundGroup &group = groups.emplace_back();
            group.group.depends_on = origin.loops;
            group.group.loaded = origin.loaded;
            group.group.of_predicate = c.of_predicate;
            group.group.kept_share = c.kept_share;
            group.group.function = function;
            if (follows) group.follows = dag.node(origin.call).expression;
        }
        groups[at->second].group.operations.push_back(c.operation);
    }
    return groups;
}

}  // namespace cryolite
