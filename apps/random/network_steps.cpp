// Steps of linear algebra and of networks' layers.
#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

Func StepBuilder::matrix_product() {
    const auto v = vars(dims());
    const int k = source(0).extents[0];
    RDom r(0, k, domain_name("k"));
    Exprs left{r, v[1]}, right{v[0], r};
    if (step_.choice == 1) std::swap(right[0], right[1]);
    if (dims() == 3) left.push_back(v[2]);
    if (source(1).extents.size() == 3) right.push_back(v[2]);
    Func f = func();
    const auto operand = [&](size_t i, const Exprs &at) {
        // Of whole numbers the lowest bits, so that no sum overflows.
        const Expr value = number(read(i, at));
        return whole() ? cast<int32_t>(cast<int16_t>(value & 127)) : value;
    };
    if (whole()) {
        Func sums = func("sums");
        sums(v) = 0;
        sums(v) += operand(0, left) * operand(1, right);
        f(v) = result((sums(v) / k) >> 3);
        return f;
    }
    Func sums = func("sums");
    sums(v) = 0.0f;
    sums(v) += operand(0, left) * operand(1, right);
    f(v) = result(sums(v) * (2.0f / static_cast<float>(k)));
    return f;
}

// Bias, scale and ReLU after the sums of a layer.
Func StepBuilder::finished_layer(const Func &sums) {
    const auto v = vars(dims());
    Expr value = sums(v);
    if (whole()) {
        int terms = 1;
        for (size_t d = 1; d < source(1).extents.size(); d++) terms *= source(1).extents[d];
        value = (value / terms) >> 2;
    }
    if (step_.choice & 2)
        value = whole() ? value + (v[0] % 7) * 100 : value + cast<float>(v[0] % 7) * 0.05f;
    if (step_.choice & 1) value = whole() ? max(value, 0) : max(value, 0.0f);
    Func f = func();
    f(v) = result(value);
    return f;
}

Func StepBuilder::convolution() {
    const auto v = vars(dims());
    const int side = 2 * step_.radius + 1, c = source(1).extents[1];
    RDom r(0, c, 0, side, 0, side, domain_name("window"));
    const Expr group = step_.groups > 1 ? v[0] / (step_.extents[0] / step_.groups) * c : Expr(0);
    // Without a boundary condition the step begins where the window is whole.
    const int reach = step_.boundary == Boundary::None ? 0 : step_.radius;
    Exprs at = as_exprs(v);
    at[0] = group + r[0];
    at[1] = v[1] * step_.stride + r[1] - reach;
    at[2] = v[2] * step_.stride + r[2] - reach;
    const Exprs weight{v[0], r[0], r[1], r[2]};
    Func sums = func("sums");
    if (whole()) {
        sums(v) = 0;
        sums(v) += (number(read(0, at)) & 127) * (number(read(1, weight)) & 63);
    } else {
        sums(v) = 0.0f;
        sums(v) += read_float(0, at) * (read_float(1, weight) - 0.4f) *
                   (4.0f / static_cast<float>(c * side * side));
    }
    return finished_layer(sums);
}

Func StepBuilder::depthwise() {
    const auto v = vars(dims());
    const int side = 2 * step_.radius + 1;
    RDom r(0, side, 0, side, domain_name("window"));
    const int reach = step_.boundary == Boundary::None ? 0 : step_.radius;
    Exprs at = as_exprs(v);
    at[1] = v[1] * step_.stride + r.x - reach;
    at[2] = v[2] * step_.stride + r.y - reach;
    const Exprs weight{v[0], r.x, r.y};
    Func sums = func("sums");
    if (whole()) {
        sums(v) = 0;
        sums(v) += (number(read(0, at)) & 127) * (number(read(1, weight)) & 63);
    } else {
        sums(v) = 0.0f;
        sums(v) += read_float(0, at) * (read_float(1, weight) - 0.4f) *
                   (4.0f / static_cast<float>(side * side));
    }
    return finished_layer(sums);
}

Func StepBuilder::pool() {
    const auto v = vars(dims());
    RDom r(0, step_.radius, 0, step_.radius, domain_name("window"));
    Exprs at = as_exprs(v);
    at[1] = v[1] * step_.stride + r.x;
    at[2] = v[2] * step_.stride + r.y;
    Func sums = func("window"), f = func();
    if (step_.choice == 0) {
        const Expr value = read(0, at);
        sums(v) = value.type().min();
        sums(v) = max(sums(v), value);
        f(v) = result(number(sums(v)));
        return f;
    }
    sums(v) = 0.0f;
    sums(v) += to_float(read(0, at));
    f(v) = result(sums(v) * (1.0f / static_cast<float>(step_.radius * step_.radius)));
    return f;
}

Func StepBuilder::softmax() {
    const auto v = vars(dims());
    const std::vector<Var> rest(v.begin() + 1, v.end());
    const int n = step_.extents[0];
    RDom r(0, n, domain_name("row"));
    Func largest = func("largest"), e = func("exp"), sum = func("sum"), f = func();
    const Exprs row = with(as_exprs(v), 0, r);
    largest(rest) = -1e10f;
    largest(rest) = max(largest(rest), read_float(0, row));
    e(v) = exp((read_float(0, as_exprs(v)) - largest(rest)) * 3.0f);
    sum(rest) = 0.0f;
    sum(rest) += e(row);
    // Scaled by the length, so that shares stay around 1.
    f(v) = result(e(v) * (static_cast<float>(n) * 0.5f) / sum(rest));
    return f;
}

Func StepBuilder::layer_norm() {
    const auto v = vars(dims());
    const std::vector<Var> rest(v.begin() + 1, v.end());
    const int n = step_.extents[0];
    RDom r(0, n, domain_name("row"));
    const Expr value = read_float(0, with(as_exprs(v), 0, r));
    const float scale = 1.0f / static_cast<float>(n);
    Func mean = func("mean"), squares = func("squares"), f = func();
    mean(rest) = 0.0f;
    mean(rest) += value * scale;
    squares(rest) = 0.0f;
    squares(rest) += (value - mean(rest)) * (value - mean(rest)) * scale;
    f(v) = result((read_float(0, as_exprs(v)) - mean(rest)) / sqrt(squares(rest) + 0.01f) * 0.25f +
                  0.5f);
    return f;
}

}  // namespace cryolite::apps
