// Walks Halide's expressions, each shared node once. Halide's own visitors are not used: their interface changes
// between releases.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "graph/halide/halide_compat.h"

namespace cryolite {

// The direct subexpressions, left to right. For a Let: its value, then its body.
std::vector<Expr> operands(const Expr &e);

// Calls `visit` for e and everything below it, parents before children, every shared node once.
class ExpressionWalk {
public:
    explicit ExpressionWalk(std::function<void(const Expr &)> visit) : visit_(std::move(visit)) {}
    void operator()(const Expr &e);

private:
    std::function<void(const Expr &)> visit_;
    std::unordered_set<const ir::IRNode *> seen_;
};

}  // namespace cryolite
