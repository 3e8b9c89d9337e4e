#include "graph/halide/expression_dag.h"

#include <bit>

#include "graph/halide/expression_walk.h"

namespace cryolite {

int ExpressionDag::add(const Expr &e) {
    roots_.push_back(ir::substitute_in_all_lets(e));
    return number(roots_.back());
}

uint64_t ExpressionDag::text_id(const std::string &s) {
    return texts_.try_emplace(s, texts_.size()).first->second;
}

int ExpressionDag::number(const Expr &e) {
    if (auto found = seen_.find(e.get()); found != seen_.end()) return found->second;

    ExpressionNode node;
    node.expression = e;
    const Halide::Type type = e.type();
    std::vector<uint64_t> key = {
        static_cast<uint64_t>(node_type(e)), static_cast<uint64_t>(type.code()),
        static_cast<uint64_t>(type.bits()), static_cast<uint64_t>(type.lanes())};
    if (const auto *c = e.as<ir::IntImm>()) {
        key.push_back(static_cast<uint64_t>(c->value));
    } else if (const auto *c = e.as<ir::UIntImm>()) {
        key.push_back(c->value);
    } else if (const auto *c = e.as<ir::FloatImm>()) {
        key.push_back(std::bit_cast<uint64_t>(c->value));
    } else if (const auto *c = e.as<ir::StringImm>()) {
        key.push_back(text_id(c->value));
    } else if (const auto *v = e.as<ir::Variable>()) {
        key.push_back(text_id(v->name));
        node.constant_leaves = false;
        node.has_loop = !v->param.defined() && !v->image.defined();
    } else if (const auto *c = e.as<ir::Call>()) {
        key.push_back(text_id(c->name));
        key.push_back(static_cast<uint64_t>(c->call_type));
        key.push_back(static_cast<uint64_t>(c->value_index));
        node.has_load = is_load(*c);
        node.constant_leaves = c->is_pure();
    }
    for (const Expr &operand : operands(e)) {
        const int n = number(operand);
        node.operands.push_back(n);
        key.push_back(static_cast<uint64_t>(n));
        const ExpressionNode &o = nodes_[static_cast<size_t>(n)];
        node.has_load |= o.has_load;
        node.has_loop |= o.has_loop;
        node.constant_leaves &= o.constant_leaves;
    }
    const auto [position, is_new] = numbers_.try_emplace(std::move(key), size());
    if (is_new) nodes_.push_back(std::move(node));
    seen_.emplace(e.get(), position->second);
    return position->second;
}

}  // namespace cryolite
