// The expressions of a stage as a graph in which equal subexpressions are one node. Op histograms count a node once,
// and accesses list it once. Lets are resolved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/halide/halide_compat.h"

namespace cryolite {

struct ExpressionNode {
    Expr expression;            // one of the equal subexpressions
    std::vector<int> operands;  // nodes, in the order of graph/halide/expression_walk.h
    bool has_load = false;      // it or a node below it reads a Func or an input
    bool has_loop = false;      // it or a node below it is a Variable of a loop, not of a parameter

    ir::IRNodeType kind() const { return node_type(expression); }
    bool is_constant() const { return !has_load && !has_loop && constant_leaves; }
    bool constant_leaves = true;  // no Variable and no impure call in it or below
};

class ExpressionDag {
public:
    // The node of e.
    int add(const Expr &e);

    const ExpressionNode &node(int n) const { return nodes_[static_cast<size_t>(n)]; }
    int size() const { return static_cast<int>(nodes_.size()); }

private:
    int number(const Expr &e);
    uint64_t text_id(const std::string &s);

    std::vector<ExpressionNode> nodes_;
    std::map<std::vector<uint64_t>, int> numbers_;
    std::unordered_map<std::string, uint64_t> texts_;
    std::unordered_map<const ir::IRNode *, int> seen_;
    std::vector<Expr> roots_;  // keeps the keys of seen_ alive
};

}  // namespace cryolite
