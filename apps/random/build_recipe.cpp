#include "apps/random/build_recipe.h"

#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

Type halide_type(Number type) {
    switch (type) {
        case Number::U8: return UInt(8);
        case Number::U16: return UInt(16);
        case Number::I16: return Int(16);
        case Number::I32: return Int(32);
        case Number::F16: return Float(16);
        case Number::F32: break;
    }
    return Float(32);
}

// What stands for 1. Wider whole numbers have 10 bits, as sensors give them and as the runner fills inputs.
constexpr float largest_byte = 255, largest_wide = 1023;

bool is_whole(Number type) { return type != Number::F16 && type != Number::F32; }

Expr to_float(const Expr &value) {
    const Type t = value.type();
    const Expr f = cast<float>(value);
    if (t.is_float()) return t == Float(32) ? value : f;
    return f * (t.bits() == 8 ? 1.0f / largest_byte : 1.0f / largest_wide);
}

Expr to_int(const Expr &value) {
    const Type t = value.type();
    if (t.is_float()) return cast<int32_t>(clamp(cast<float>(value), -1.0f, 1.0f) * 255.0f);
    if (t.bits() < 32) return cast<int32_t>(value);
    return clamp(cast<int32_t>(value), -65536, 65536);
}

Expr to_type(const Expr &value, Number type) {
    if (!is_whole(type))
        return cast(halide_type(type), value.type().is_float() ? value : to_float(value));
    if (value.type().is_float()) {
        const float largest = type == Number::U8 ? largest_byte : 4 * largest_wide;
        const float least = type == Number::I16 || type == Number::I32 ? -largest : 0;
        const float scale = type == Number::U8 ? largest_byte : largest_wide;
        return cast(halide_type(type), clamp(cast<float>(value) * scale + 0.5f, least, largest));
    }
    if (type == Number::I32) return cast<int32_t>(value);
    return saturating_cast(halide_type(type), value);
}

Expr StepBuilder::number(const Expr &value) const {
    if (!whole()) return to_float(value);
    const bool is_wide = !value.type().is_float() && value.type().bits() > 8;
    return step_.type == Number::U8 && is_wide ? to_int(value) >> 2 : to_int(value);
}

std::vector<Var> StepBuilder::vars(size_t count) const {
    static constexpr const char *names[] = {"x", "y", "c", "n"};
    std::vector<Var> v;
    for (size_t d = 0; d < count; d++) v.emplace_back(names[d]);
    return v;
}

Expr StepBuilder::read(size_t i, const Exprs &at) {
    const Step &s = source(i);
    const Source &f = done_[static_cast<size_t>(step_.sources[i])];
    const bool inside = step_.boundary == Boundary::None || i > 0;
    if (inside) return f.at(at);
    const auto x = static_cast<size_t>(s.first_spatial()), y = x + 1;
    if (step_.boundary == Boundary::Clamped) {
        Exprs clamped = at;
        for (const size_t d : {x, y}) clamped[d] = clamp(at[d], 0, s.extents[d] - 1);
        return f.at(clamped);
    }
    Func &bounded = bounded_[i];
    if (!bounded.defined()) {
        Region region(s.extents.size());
        for (const size_t d : {x, y}) region[d] = Range(0, s.extents[d]);
        if (step_.boundary == Boundary::Repeat)
            bounded = BoundaryConditions::repeat_edge(f.func(), region);
        else if (step_.boundary == Boundary::Mirror)
            bounded = BoundaryConditions::mirror_interior(f.func(), region);
        else
            bounded = BoundaryConditions::constant_exterior(f.func(), cast(halide_type(s.type), 0),
                                                            region);
    }
    return bounded(at);
}

Exprs StepBuilder::moved(const Exprs &at, const Expr &dx, const Expr &dy) const {
    // Without a boundary condition the step begins where the window is whole.
    const int reach = step_.boundary == Boundary::None ? step_.radius * step_.dilation : 0;
    Exprs there = at;
    there[x()] = at[x()] + dx + reach;
    there[y()] = at[y()] + dy + reach;
    return there;
}

std::vector<double> StepBuilder::weights(size_t count) {
    std::vector<double> w(count);
    double sum = 0;
    for (double &v : w) sum += v = 0.1 + dice_.unit();
    for (double &v : w) v /= sum;
    return w;
}

Expr StepBuilder::weighted(const Exprs &values, const std::vector<double> &weights) const {
    Expr sum;
    for (size_t i = 0; i < values.size(); i++) {
        const Expr term = whole() ? values[i] * std::max(1, static_cast<int>(weights[i] * 256))
                                  : values[i] * static_cast<float>(weights[i]);
        sum = sum.defined() ? sum + term : term;
    }
    return whole() ? (sum + 128) >> 8 : sum;
}

Func StepBuilder::build() {
    switch (step_.op) {
        case Operator::Arithmetic: return arithmetic();
        case Operator::Maths: return maths();
        case Operator::Convert: return convert();
        case Operator::Stencil: return stencil();
        case Operator::Separable: return separable();
        case Operator::WindowSum: return window_sum();
        case Operator::WindowOrder: return window_order();
        case Operator::Bilateral: return bilateral();
        case Operator::Downsample: return downsample();
        case Operator::Upsample: return upsample();
        case Operator::Pyramid: return pyramid();
        case Operator::Resample: return resample();
        case Operator::Warp: return warp();
        case Operator::Lookup: return lookup();
        case Operator::Histogram: return histogram();
        case Operator::Splat: return splat();
        case Operator::Scan: return scan();
        case Operator::ColourMatrix: return colour_matrix();
        case Operator::Interleave: return interleave();
        case Operator::Transpose: return transpose();
        case Operator::MatrixProduct: return matrix_product();
        case Operator::Convolution: return convolution();
        case Operator::Depthwise: return depthwise();
        case Operator::Pool: return pool();
        case Operator::Softmax: return softmax();
        case Operator::LayerNorm: return layer_norm();
        case Operator::RowSum: return row_sum();
        case Operator::FullReduction: return full_reduction();
        case Operator::Argmax: return argmax();
        case Operator::Concatenation: return concatenation();
        case Operator::Input: break;
    }
    return {};
}

std::vector<Func> build_recipe(const Recipe &recipe, const std::vector<Source> &inputs) {
    std::vector<Source> done;
    std::vector<Func> outputs;
    size_t next_input = 0;
    for (size_t i = 0; i < recipe.steps.size(); i++) {
        if (recipe.steps[i].op == Operator::Input) {
            done.push_back(inputs[next_input++]);
            continue;
        }
        const Func f = StepBuilder(recipe, static_cast<int>(i), done).build();
        done.push_back({[f](const Exprs &at) -> Expr { return f(at); }, [f] { return f; }});
    }
    for (const int i : recipe.outputs) outputs.push_back(done[static_cast<size_t>(i)].func());
    return outputs;
}

}  // namespace cryolite::apps
