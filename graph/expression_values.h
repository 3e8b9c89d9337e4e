// What integer expressions of a stage come to where some of its variables are known numbers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/expression_dag.h"

namespace cryolite {

class ExpressionValues {
public:
    explicit ExpressionValues(const ExpressionDag &dag) : dag_(dag) {}

    // Forgets all other variables.
    void set(std::map<std::string, int64_t> variables);

    // Of a node; nothing if it is a float, or depends on a load or on a variable that is not set. Both
    // sides of a condition need not be known where one of them decides.
    std::optional<int64_t> of(int n);

private:
    std::optional<int64_t> compute(const ExpressionNode &node);
    std::optional<int64_t> logical(const ExpressionNode &node);
    std::optional<int64_t> arithmetic(const ExpressionNode &node);

    const ExpressionDag &dag_;
    std::map<std::string, int64_t> variables_;
    std::vector<bool> is_known_;
    std::vector<std::optional<int64_t>> known_;
};

}  // namespace cryolite
