// The values of a stage's integer expressions where some of its variables are known numbers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/halide/expression_dag.h"

namespace cryolite {

class ExpressionValues {
public:
    explicit ExpressionValues(const ExpressionDag &dag) : dag_(dag) {}

    // Sets the known variables; forgets all others.
    void set(std::map<std::string, int64_t> variables);

    // The value of a node; nothing if it is a float, or depends on a load or on a variable that is not set. One known
    // side suffices where it decides a condition alone.
    std::optional<int64_t> of(int n);

private:
    std::optional<int64_t> compute(const ExpressionNode &node);
    std::optional<int64_t> bits(const ExpressionNode &node, const ir::Call &call);
    std::optional<int64_t> logical(const ExpressionNode &node);
    std::optional<int64_t> arithmetic(const ExpressionNode &node);

    const ExpressionDag &dag_;
    std::map<std::string, int64_t> variables_;
    std::vector<bool> is_known_;
    std::vector<std::optional<int64_t>> known_;
};

}  // namespace cryolite
