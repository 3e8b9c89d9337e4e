#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

template <typename Node>
std::vector<Expr> both(const Expr &e) {
    const Node *n = e.as<Node>();
    return {n->a, n->b};
}

}  // namespace

std::vector<Expr> operands(const Expr &e) {
    switch (node_type(e)) {
        case ir::IRNodeType::Cast: return {e.as<ir::Cast>()->value};
        case ir::IRNodeType::Reinterpret: return {e.as<ir::Reinterpret>()->value};
        case ir::IRNodeType::Add: return both<ir::Add>(e);
        case ir::IRNodeType::Sub: return both<ir::Sub>(e);
        case ir::IRNodeType::Mul: return both<ir::Mul>(e);
        case ir::IRNodeType::Div: return both<ir::Div>(e);
        case ir::IRNodeType::Mod: return both<ir::Mod>(e);
        case ir::IRNodeType::Min: return both<ir::Min>(e);
        case ir::IRNodeType::Max: return both<ir::Max>(e);
        case ir::IRNodeType::EQ: return both<ir::EQ>(e);
        case ir::IRNodeType::NE: return both<ir::NE>(e);
        case ir::IRNodeType::LT: return both<ir::LT>(e);
        case ir::IRNodeType::LE: return both<ir::LE>(e);
        case ir::IRNodeType::GT: return both<ir::GT>(e);
        case ir::IRNodeType::GE: return both<ir::GE>(e);
        case ir::IRNodeType::And: return both<ir::And>(e);
        case ir::IRNodeType::Or: return both<ir::Or>(e);
        case ir::IRNodeType::Not: return {e.as<ir::Not>()->a};
        case ir::IRNodeType::Select: {
            const ir::Select *s = e.as<ir::Select>();
            return {s->condition, s->true_value, s->false_value};
        }
        case ir::IRNodeType::Call: return e.as<ir::Call>()->args;
        case ir::IRNodeType::Let: return {e.as<ir::Let>()->value, e.as<ir::Let>()->body};
        case ir::IRNodeType::Broadcast: return {e.as<ir::Broadcast>()->value};
        case ir::IRNodeType::Ramp: return {e.as<ir::Ramp>()->base, e.as<ir::Ramp>()->stride};
        case ir::IRNodeType::Shuffle: return e.as<ir::Shuffle>()->vectors;
        case ir::IRNodeType::VectorReduce: return {e.as<ir::VectorReduce>()->value};
        default: return {};
    }
}

void ExpressionWalk::operator()(const Expr &e) {
    if (!e.defined() || !seen_.insert(e.get()).second) return;
    visit_(e);
    for (const Expr &operand : operands(e)) (*this)(operand);
}

}  // namespace cryolite
