#include "graph/halide/estimates.h"

#include <charconv>

#include "graph/halide/expression_walk.h"

namespace cryolite {
namespace {

// "input.extent.0" -> buffer "input", field "extent", dimension 0.
struct BufferField {
    std::string buffer, field;
    int dimension = 0;
};

std::optional<BufferField> parse_buffer_field(const std::string &name) {
    const size_t second = name.rfind('.');
    if (second == std::string::npos || second == 0) return std::nullopt;
    const size_t first = name.rfind('.', second - 1);
    if (first == std::string::npos) return std::nullopt;
    BufferField field{name.substr(0, first), name.substr(first + 1, second - first - 1), 0};
    const char *end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + second + 1, end, field.dimension);
    if (error != std::errc() || stop != end) return std::nullopt;
    return field;
}

std::optional<int64_t> literal(const Expr &e) {
    if (!e.defined()) return std::nullopt;
    const Expr value = ir::simplify(e);
    if (const auto v = ir::as_const_int(value)) return *v;
    if (const auto v = ir::as_const_uint(value)) return static_cast<int64_t>(*v);
    return std::nullopt;
}

std::string undollared(const std::string &name) { return name.substr(0, name.find('$')); }

}  // namespace

void fail_missing_func_estimate(const FuncView &f, int d) {
    const std::string &dim = f.original.args()[static_cast<size_t>(d)];
    throw BuildFailure{"Func \"" + f.name() + "\" dimension " + std::to_string(d) + " (" + dim +
                       ") has no estimate, and nothing else bounds it: add `" +
                       undollared(f.name()) + ".set_estimate(" + dim +
                       ", min, extent);`, for example `" + undollared(f.name()) + ".set_estimate(" +
                       dim + ", 0, 1536);`"};
}

void fail_missing_input_estimate(const std::string &input, int d) {
    const std::string dimension = std::to_string(d);
    throw BuildFailure{"Input \"" + input + "\" dimension " + dimension +
                       " has no estimate, and bounds depend on it: add `" + undollared(input) +
                       ".dim(" + dimension + ").set_estimate(min, extent);`, for example `" +
                       undollared(input) + ".dim(" + dimension + ").set_estimate(0, 1536);`"};
}

Estimates::Estimates(const PipelineView &view) {
    for (const FuncView &f : view.funcs) {
        if (!f.is_output) continue;
        for (const Halide::Parameter &p : f.original.output_buffers()) {
            output_by_buffer_[p.name()] = &f;
        }
    }
}

std::optional<int64_t> Estimates::constant(const Expr &e) const {
    if (!e.defined()) return std::nullopt;
    // An output's size as its own bound would recurse for ever.
    bool mentions_output = false;
    ExpressionWalk walk([&](const Expr &node) {
        const auto *v = node.as<ir::Variable>();
        mentions_output |= v && v->param.defined() && output_by_buffer_.count(v->param.name()) > 0;
    });
    walk(e);
    return mentions_output ? std::nullopt : literal(apply(e, true));
}

std::optional<Interval> Estimates::func_dimension(const FuncView &f, int d) const {
    std::optional<int64_t> min, extent;
    const auto take = [&](std::optional<int64_t> m, std::optional<int64_t> e) {
        if (!min) min = m;
        if (!extent) extent = e;
    };
    const std::string &dim = f.original.args()[static_cast<size_t>(d)];
    for (const auto *bounds :
         {&f.original.schedule().estimates(), &f.original.schedule().bounds()}) {
        // The last call wins, as in Halide.
        for (auto b = bounds->rbegin(); b != bounds->rend(); ++b) {
            if (b->var == dim) take(constant(b->min), constant(b->extent));
        }
    }
    if (f.is_output) {
        for (const Halide::Parameter &p : f.original.output_buffers()) {
            if (!p.defined() || d >= p.dimensions()) continue;
            take(literal(p.min_constraint_estimate(d)), literal(p.extent_constraint_estimate(d)));
            take(literal(p.min_constraint(d)), literal(p.extent_constraint(d)));
        }
    }
    if (!min || !extent) return std::nullopt;
    return Interval{*min, *min + *extent - 1};
}

std::optional<Interval> Estimates::input_dimension(const InputView &input, int d) const {
    if (input.buffer.defined()) {
        const auto dim = input.buffer.dim(d);
        return Interval{dim.min(), dim.min() + dim.extent() - 1};
    }
    if (!input.parameter.defined()) return std::nullopt;
    const Halide::Parameter &p = input.parameter;
    if (d >= p.dimensions()) return std::nullopt;
    std::optional<int64_t> min = literal(p.min_constraint_estimate(d));
    std::optional<int64_t> extent = literal(p.extent_constraint_estimate(d));
    if (!min) min = literal(p.min_constraint(d));
    if (!extent) extent = literal(p.extent_constraint(d));
    if (!min || !extent) return std::nullopt;
    return Interval{*min, *min + *extent - 1};
}

Expr Estimates::resolve(const ir::Variable &v, bool estimates_too) const {
    const std::optional<BufferField> field = parse_buffer_field(v.name);
    if (v.image.defined() && field) {
        const auto dim = v.image.dim(field->dimension);
        return field->field == "min"      ? Expr(dim.min())
               : field->field == "extent" ? Expr(dim.extent())
                                          : Expr(dim.stride());
    }
    if (!v.param.defined()) return Expr();
    const Halide::Parameter &p = v.param;
    if (!p.is_buffer()) {
        Expr value = estimates_too ? p.estimate() : Expr();
        // A parameter whose range is a single value needs no estimate.
        const Expr low = p.min_value(), high = p.max_value();
        if (!value.defined() && low.defined() && high.defined() && ir::equal(low, high))
            value = low;
        return value.defined() ? ir::simplify(Halide::cast(v.type, value)) : Expr();
    }
    if (!field || field->dimension >= p.dimensions()) return Expr();
    const int d = field->dimension;
    const bool is_min = field->field == "min", is_extent = field->field == "extent";
    if (field->field == "stride") {
        if (p.stride_constraint(d).defined()) return p.stride_constraint(d);
        return estimates_too && d == 0 ? Expr(1) : Expr();
    }
    if (!is_min && !is_extent) return Expr();
    if (estimates_too) {
        const auto output = output_by_buffer_.find(p.name());
        const std::optional<Interval> range =
            output != output_by_buffer_.end() && d < output->second->original.dimensions()
                ? func_dimension(*output->second, d)
                : input_dimension({p.name(), p.type(), p.dimensions(), p, {}}, d);
        if (range) return Expr(static_cast<int32_t>(is_min ? range->min : range->extent()));
    }
    const Expr fixed = is_min ? p.min_constraint(d) : p.extent_constraint(d);
    // A constraint in terms of itself ("a multiple of 16") gives no value.
    return fixed.defined() && !ir::expr_uses_var(fixed, v.name) ? fixed : Expr();
}

Expr Estimates::apply(const Expr &e, bool estimates_too) const {
    if (!e.defined()) return e;
    Expr result = e;
    // A constraint may refer to another parameter. The limit of rounds ends a cycle of them.
    for (int round = 0; round < 4; round++) {
        std::map<std::string, Expr> values;
        ExpressionWalk walk([&](const Expr &node) {
            const auto *v = node.as<ir::Variable>();
            if (!v || values.count(v->name)) return;
            const Expr value = resolve(*v, estimates_too);
            if (value.defined()) values[v->name] = value;
        });
        walk(result);
        if (values.empty()) return result;
        result = ir::substitute(values, result);
    }
    return result;
}

Expr Estimates::apply(const Expr &e) const { return apply(e, true); }
Expr Estimates::apply_constraints(const Expr &e) const { return apply(e, false); }

void Estimates::require_resolved(const Expr &e) const {
    ExpressionWalk walk([&](const Expr &node) {
        const auto *v = node.as<ir::Variable>();
        if (!v || !v->param.defined()) return;
        if (v->param.is_buffer()) {
            const std::optional<BufferField> field = parse_buffer_field(v->name);
            const int d = field ? field->dimension : 0;
            const auto output = output_by_buffer_.find(v->param.name());
            if (output != output_by_buffer_.end()) fail_missing_func_estimate(*output->second, d);
            fail_missing_input_estimate(v->param.name(), d);
        }
        throw BuildFailure{"Parameter \"" + v->param.name() +
                           "\" has no estimate, and bounds depend on it: add `" +
                           undollared(v->param.name()) + ".set_estimate(value);`"};
    });
    walk(e);
}

}  // namespace cryolite
