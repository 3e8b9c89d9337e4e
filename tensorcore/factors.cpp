#include "tensorcore/factors.h"

#include <algorithm>
#include <optional>
#include <set>

namespace cryolite::tensorcore {

namespace ir = Halide::Internal;
using Halide::Expr;
using Halide::Type;

namespace {

bool is_operand_type(const Type &type) {
    return type.is_scalar() && ((type.is_float() && type.bits() == 16) || type.is_bfloat() ||
                                (type.is_int_or_uint() && type.bits() == 8));
}

// A constant of a wider type in type `narrow`, where that has it.
Expr narrow_constant(const Expr &e, const Type &narrow) {
    if (const ir::FloatImm *real = e.as<ir::FloatImm>()) {
        // 0 and 1 are what boundary conditions use, and every float type has them.
        if (real->value == 0.0 || real->value == 1.0) return ir::make_const(narrow, real->value);
        return Expr();
    }
    const std::optional<int64_t> value =
        ir::as_const_int(e)    ? std::optional(*ir::as_const_int(e))
        : ir::as_const_uint(e) ? std::optional(static_cast<int64_t>(*ir::as_const_uint(e)))
                               : std::nullopt;
    if (!value || !narrow.is_int_or_uint() || !narrow.can_represent(*value)) return Expr();
    return ir::make_const(narrow, *value);
}

// What `e` converts to a wider type, or nothing. A select of such values is one too, if a branch is a constant.
Expr narrowed(const Expr &e) {
    if (const ir::Cast *cast = e.as<ir::Cast>()) {
        if (is_operand_type(cast->value.type()) &&
            e.type().is_int_or_uint() == cast->value.type().is_int_or_uint()) {
            return cast->value;
        }
        // Through another type that holds every value of the operand's.
        if (e.type().is_int_or_uint() && cast->value.type().is_int_or_uint() &&
            cast->value.type().bits() < e.type().bits()) {
            const Expr inner = narrowed(cast->value);
            if (inner.defined() && cast->value.type().can_represent(inner.type())) return inner;
        }
        return Expr();
    }
    if (const ir::Select *select = e.as<ir::Select>()) {
        Expr yes = narrowed(select->true_value), no = narrowed(select->false_value);
        if (!yes.defined() && no.defined()) yes = narrow_constant(select->true_value, no.type());
        if (!no.defined() && yes.defined()) no = narrow_constant(select->false_value, yes.type());
        if (!yes.defined() || !no.defined() || yes.type() != no.type()) return Expr();
        return ir::Select::make(select->condition, yes, no);
    }
    return Expr();
}

bool product_fits(const Type &left, const Type &right, const Type &product) {
    if (!product.is_int_or_uint()) return false;
    const int64_t ends[] = {left.is_int() ? -128 : 0, left.is_int() ? 127 : 255};
    const int64_t others[] = {right.is_int() ? -128 : 0, right.is_int() ? 127 : 255};
    for (int64_t a : ends) {
        for (int64_t b : others) {
            if (!product.can_represent(a * b)) return false;
        }
    }
    return true;
}

void add_multiplied(const Expr &e, std::vector<Expr> &multiplied) {
    if (const ir::Mul *mul = e.as<ir::Mul>()) {
        add_multiplied(mul->a, multiplied);
        add_multiplied(mul->b, multiplied);
    } else {
        multiplied.push_back(e);
    }
}

using Loops = std::set<std::string>;

bool has_own(const Loops &loops, const Loops &of_other) {
    return !std::ranges::includes(of_other, loops);
}

Expr times(const Expr &a, const Expr &b) { return a.defined() ? a * b : b; }

}  // namespace

Factors float_factors_of(const Expr &product, const std::vector<std::string> &loops) {
    if (product.type() != Halide::Float(32)) return {};
    std::vector<Expr> multiplied;
    add_multiplied(product, multiplied);
    std::vector<Loops> used;
    for (const Expr &e : multiplied) {
        Loops &of_factor = used.emplace_back();
        for (const std::string &loop : loops)
            if (ir::expr_uses_var(e, loop)) of_factor.insert(loop);
    }
    // The two with the most loops.
    std::optional<std::pair<size_t, size_t>> matrices;
    size_t most = 0;
    for (size_t i = 0; i < used.size(); i++)
        for (size_t j = i + 1; j < used.size(); j++)
            if (has_own(used[i], used[j]) && has_own(used[j], used[i]) &&
                used[i].size() + used[j].size() > most) {
                matrices = {i, j};
                most = used[i].size() + used[j].size();
            }
    if (!matrices) return {};
    Factors factors;
    for (size_t i = 0; i < used.size(); i++) {
        const bool is_right = i == matrices->second ||
                              (i != matrices->first && has_own(used[i], used[matrices->first]) &&
                               !has_own(used[i], used[matrices->second]));
        Expr &factor = is_right ? factors.right : factors.left;
        factor = times(factor, multiplied[i]);
    }
    return factors;
}

Factors factors_of(const Expr &product, const Type &sum) {
    if (const ir::Cast *cast = product.as<ir::Cast>()) {
        // A product of bytes in 16 bits, converted.
        if (!cast->value.type().is_int_or_uint() || !sum.is_int_or_uint()) return {};
        const Factors inner = factors_of(cast->value, cast->value.type());
        if (!inner.defined() ||
            !product_fits(inner.left.type(), inner.right.type(), cast->value.type())) {
            return {};
        }
        return inner;
    }
    const ir::Mul *mul = product.as<ir::Mul>();
    if (mul == nullptr) return {};
    if (sum.is_float() && sum.bits() == 16) return {mul->a, mul->b};
    const Factors factors{narrowed(mul->a), narrowed(mul->b)};
    if (!factors.left.defined() || !factors.right.defined()) return {};
    return factors;
}

Result<ProductTypes> product_types(const Type &left, const Type &right, const Type &sum) {
    const auto element = [](const Type &type) -> std::optional<Element> {
        if (type.is_bfloat()) return Element::BF16;
        if (type.is_float() && type.bits() == 16) return Element::F16;
        if (type.is_int() && type.bits() == 8) return Element::I8;
        if (type.is_uint() && type.bits() == 8) return Element::U8;
        if (type == Halide::Float(32)) return Element::TF32;
        return std::nullopt;
    };
    const std::optional<Element> rows = element(left), columns = element(right);
    if (!rows || !columns)
        return Error{"its factors are neither floats of 16 or 32 bits nor bytes"};
    ProductTypes types{*rows, *columns, Sum::F32};
    if (sum.is_int_or_uint() && sum.bits() == 32) {
        types.sum = Sum::I32;
    } else if (sum.is_float() && !sum.is_bfloat() && sum.bits() == 16) {
        types.sum = Sum::F16;
    } else if (!sum.is_float() || sum.bits() != 32) {
        return Error{"its sums are neither f32, f16 nor 32-bit integers"};
    }
    if (!is_multiplied(types)) return Error{"no tensor core multiplies its types"};
    return types;
}

Type halide_type(Element element) {
    switch (element) {
        case Element::F16: return Halide::Float(16);
        case Element::BF16: return Halide::BFloat(16);
        case Element::I8: return Halide::Int(8);
        case Element::U8: return Halide::UInt(8);
        case Element::TF32: return Halide::Float(32);
    }
    return {};
}

Type halide_type(Sum sum) {
    return sum == Sum::F32   ? Halide::Float(32)
           : sum == Sum::F16 ? Halide::Float(16)
                             : Halide::Int(32);
}

}  // namespace cryolite::tensorcore
