#include "graph/builder/dot_products.h"

#include <algorithm>

#include "graph/builder/operations.h"

namespace cryolite {
namespace {

// The narrowest integer type of at most 16 bits that holds the value.
std::optional<ScalarType> narrow_type(const Expr &value) {
    for (const Halide::Type &type :
         {Halide::UInt(8), Halide::Int(8), Halide::UInt(16), Halide::Int(16)})
        if (ir::lossless_cast(type, value).defined()) return scalar_type(type);
    return std::nullopt;
}

// A value apart from the lets around it. Halide makes one of each common subexpression, such as an index that both
// factors have.
class Unwrapped {
public:
    explicit Unwrapped(const Expr &value) : body_(value) {
        while (const auto *let = body_.as<ir::Let>()) {
            lets_.emplace_back(let->name, let->value);
            body_ = let->body;
        }
    }
    bool is_too_long() const { return lets_.size() > most_lets; }
    const Expr &body() const { return body_; }
    // A part of the body, without any.
    Expr whole(Expr part) const {
        for (size_t i = lets_.size(); i-- > 0;)
            part = ir::Let::make(lets_[i].first, lets_[i].second, part);
        return ir::substitute_in_all_lets(part);
    }

private:
    // What stands in many lets is no index, and may grow without end where they are put in.
    static constexpr size_t most_lets = 16;
    Expr body_;
    std::vector<std::pair<std::string, Expr>> lets_;
};

// Whether the value is what the stage's own Func has where the stage writes.
bool is_sum_so_far(const Expr &value, const StageView &stage, const std::string &self) {
    const auto *call = value.as<ir::Call>();
    return call && call->name == self && call->args.size() == stage.arguments.size() &&
           std::ranges::equal(call->args, stage.arguments,
                              [](const Expr &a, const Expr &b) { return ir::graph_equal(a, b); });
}

}  // namespace

std::optional<DotProduct> dot_product(const StageView &stage, const std::string &self) {
    if (stage.values.size() != 1 || stage.predicate.defined()) return std::nullopt;
    const Expr &value = stage.values[0];
    if (!(value.type().is_int() && value.type().bits() == 32)) return std::nullopt;
    const Unwrapped unwrapped(value);
    const auto *sum = unwrapped.body().as<ir::Add>();
    if (!sum || unwrapped.is_too_long()) return std::nullopt;
    const bool is_first = is_sum_so_far(unwrapped.whole(sum->a), stage, self);
    if (!is_first && !is_sum_so_far(unwrapped.whole(sum->b), stage, self)) return std::nullopt;
    const Expr added = unwrapped.whole(is_first ? sum->b : sum->a);
    const auto *product = added.as<ir::Mul>();
    if (!product) return std::nullopt;
    const auto left = narrow_type(product->a), right = narrow_type(product->b);
    if (!left || !right) return std::nullopt;
    // No instruction multiplies unsigned words.
    const auto is_unsigned_word = [](const ScalarType &t) {
        return t.kind == ScalarType::Kind::UInt && t.bits == 16;
    };
    if (is_unsigned_word(*left) || is_unsigned_word(*right)) return std::nullopt;
    return DotProduct{*left, *right};
}

}  // namespace cryolite
