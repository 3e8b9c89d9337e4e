// Steps that compute a point of points: arithmetic, and what moves or mixes channels and pixels.
#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

Func StepBuilder::arithmetic() {
    const auto v = vars(dims());
    Exprs a;
    for (size_t i = 0; i < step_.sources.size(); i++) a.push_back(number(read(i, as_exprs(v))));
    // One source is combined with a constant; whole numbers stay below 2^16.
    const Expr one = whole() ? Expr(dice_.between(3, 100)) : Expr(constant(0.1, 0.9));
    const Expr b = a.size() > 1 ? a[1] : one, c = a.size() > 2 ? a[2] : one;
    const auto half = [&](const Expr &e) { return whole() ? e >> 1 : e * 0.5f; };
    Expr value;
    switch (step_.choice) {
        case 0: {
            Exprs all = a;
            if (all.size() == 1) all.push_back(one);
            value = weighted(all, weights(all.size()));
            break;
        }
        case 1: value = abs(a[0] - b) + half(c); break;
        case 2: value = max(min(a[0], b), half(c)); break;
        case 3: value = whole() ? (a[0] * (b & 255) >> 8) + half(c) : a[0] * b + half(c); break;
        case 4: value = select(a[0] > b, half(a[0] + c), half(b)); break;
        case 5: value = half(a[0]) + half(half(b) - half(c)) + half(one); break;
        case 6: value = clamp(a[0] + half(b) - half(c), min(b, c), max(a[0], c)); break;
        default: value = whole() ? (a[0] + b * 3 + 2) >> 2 : (a[0] + b * 3.0f + c) * 0.2f; break;
    }
    // A threshold beyond all values would leave a constant.
    if (a.size() == 1) value = half(value) + half(a[0]);
    Func f = func();
    f(v) = result(value);
    return f;
}

Func StepBuilder::maths() {
    const auto v = vars(dims());
    Expr value = read_float(0, as_exprs(v));
    const Expr other = step_.sources.size() > 1 ? read_float(1, as_exprs(v)) : value;
    for (int i = 0; i < step_.levels; i++) {
        const float k = constant(0.3, 2);
        switch ((step_.choice + i * 3) % 8) {
            case 0: value = exp(-value * value * k); break;
            case 1: value = sqrt(abs(value) * k + 0.01f); break;
            case 2: value = pow(abs(value) + 0.02f, k); break;
            case 3: value = value / (abs(other) + 0.3f + k); break;
            case 4: value = log(abs(value) + 1.0f) * k; break;
            case 5: value = 1.0f / (1.0f + exp(-value * k)); break;
            case 6: value = tanh(value * k); break;
            default: value = 0.5f + 0.5f * sin(value * k * 3.0f + other); break;
        }
    }
    Func f = func();
    f(v) = result(value);
    return f;
}

Func StepBuilder::convert() {
    const auto v = vars(dims());
    const Expr value = read(0, as_exprs(v));
    Func f = func();
    // Between whole numbers by shifts, as cameras' pipelines do.
    const Number from = source(0).type;
    if (is_whole(from) && whole()) {
        const bool narrows = step_.type == Number::U8, widens = from == Number::U8;
        const Expr wide = to_int(value);
        f(v) = result(narrows ? wide >> 2 : widens ? wide << 2 : wide);
    } else {
        f(v) = result(number(value));
    }
    return f;
}

Func StepBuilder::colour_matrix() {
    const auto v = vars(dims());
    Func f = func();
    if (step_.choice == 2) {  // colours of a grey image
        const Expr grey = number(read(0, {v[0], v[1]}));
        Exprs colours;
        for (int c = 0; c < 3; c++) {
            const auto w = weights(2);
            const Expr one =
                whole() ? Expr(60 * c + 20) : Expr(0.2f + 0.3f * static_cast<float>(c));
            colours.push_back(result(weighted({grey, one}, w)));
        }
        f(v) = mux(v[2], colours);
        return f;
    }
    Exprs channels;
    for (int c = 0; c < 3; c++) channels.push_back(number(read(0, {v[0], v[1], c})));
    if (step_.choice == 1) {
        f(v) = result(weighted(channels, weights(3)));
        return f;
    }
    Exprs mixed;
    for (int c = 0; c < 3; c++) mixed.push_back(result(weighted(channels, weights(3))));
    f(v) = mux(v[2], mixed);
    return f;
}

Func StepBuilder::interleave() {
    const auto v = vars(dims());
    Exprs at = as_exprs(v);
    Func f = func();
    if (step_.choice == 0) {
        at[0] = v[0] / 2;
        f(v) = result(number(select(v[0] % 2 == 0, to_float(read(0, at)), to_float(read(1, at)))));
        return f;
    }
    // A mosaic: one colour of four at each pixel, of its neighbours.
    Exprs colours;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            Exprs there = at;
            there[0] = v[0] / 2 * 2 + dx;
            there[1] = v[1] / 2 * 2 + dy;
            colours.push_back(number(read(0, there)));
        }
    const std::vector<double> w = weights(2);
    Exprs pairs;
    for (size_t i = 0; i < 4; i++)
        pairs.push_back(result(weighted({colours[i], colours[3 - i]}, w)));
    f(v) = mux(v[0] % 2 + 2 * (v[1] % 2), pairs);
    return f;
}

Func StepBuilder::transpose() {
    const auto v = vars(dims());
    Exprs at = as_exprs(v);
    const auto d = static_cast<size_t>(step_.dimension);
    std::swap(at[d], at[d + 1]);
    Func f = func();
    f(v) = result(number(read(0, at)));
    return f;
}

Func StepBuilder::concatenation() {
    const auto v = vars(dims());
    const size_t c = step_.layout == Layout::Network ? 0 : 2;
    const int first = source(0).extents[c], second = source(1).extents[c];
    const Exprs at = as_exprs(v);
    const Expr a = number(read(0, with(at, c, clamp(v[c], 0, first - 1))));
    const Expr b = number(read(1, with(at, c, clamp(v[c] - first, 0, second - 1))));
    Func f = func();
    f(v) = result(select(v[c] < first, a, b));
    return f;
}

}  // namespace cryolite::apps
