// Steps that compute a point of a window around it.
#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

Func StepBuilder::stencil() {
    const auto v = vars(dims());
    Exprs taps;
    for (int dy = -step_.radius; dy <= step_.radius; dy++)
        for (int dx = -step_.radius; dx <= step_.radius; dx++) {
            const bool taken =
                step_.choice == 0 ||
                (step_.choice == 1 ? dx == 0 || dy == 0 : std::abs(dx) == std::abs(dy));
            if (taken)
                taps.push_back(
                    number(read_moved(as_exprs(v), dx * step_.dilation, dy * step_.dilation)));
        }
    Func f = func();
    f(v) = result(weighted(taps, weights(taps.size())));
    return f;
}

Func StepBuilder::separable() {
    const auto v = vars(dims());
    const std::vector<double> w = weights(static_cast<size_t>(2 * step_.radius + 1));
    const Number between = whole() ? Number::I32 : Number::F32;
    const int reach = step_.boundary == Boundary::None ? step_.radius : 0;
    Func across = func("x"), down = func();
    Exprs taps;
    // The first pass keeps the rows of its source.
    for (int d = -step_.radius; d <= step_.radius; d++)
        taps.push_back(number(read_moved(as_exprs(v), d, -reach)));
    across(v) = to_type(weighted(taps, w), between);
    taps.clear();
    for (int d = -step_.radius; d <= step_.radius; d++)
        taps.push_back(across(with(as_exprs(v), y(), v[y()] + d + reach)));
    down(v) = result(weighted(taps, w));
    return down;
}

Func StepBuilder::window_sum() {
    const auto v = vars(dims());
    const int side = 2 * step_.radius + 1;
    RDom r(0, side, 0, side, domain_name("window"));
    const Expr tap = to_float(read_moved(as_exprs(v), r.x - step_.radius, r.y - step_.radius));
    const float scale = 1.0f / static_cast<float>(side * side);
    Func sums = func("sums"), f = func();
    sums(v) = 0.0f;
    if (step_.choice == 0) {
        sums(v) += tap * to_float(read(1, {r.x, r.y})) * scale;
    } else if (step_.choice == 1) {
        const Expr far = cast<float>((r.x - step_.radius) * (r.x - step_.radius) +
                                     (r.y - step_.radius) * (r.y - step_.radius));
        sums(v) += tap * exp(far * -0.2f) * scale;
    } else {
        sums(v) += tap * scale;
    }
    f(v) = result(sums(v));
    return f;
}

Func StepBuilder::window_order() {
    const auto v = vars(dims());
    const int reach = step_.boundary == Boundary::None ? step_.radius : 0;
    const auto ordered = [&](const Exprs &all) {
        if (step_.choice == 2) return max(min(all[0], all[1]), min(max(all[0], all[1]), all[2]));
        Expr e = all[0];
        for (size_t i = 1; i < all.size(); i++)
            e = step_.choice == 0 ? min(e, all[i]) : max(e, all[i]);
        return e;
    };
    Func across = func("x"), down = func();
    Exprs taps;
    for (int d = -step_.radius; d <= step_.radius; d++)
        taps.push_back(read_moved(as_exprs(v), d, -reach));
    across(v) = ordered(taps);
    taps.clear();
    for (int d = -step_.radius; d <= step_.radius; d++)
        taps.push_back(across(with(as_exprs(v), y(), v[y()] + d + reach)));
    down(v) = result(number(ordered(taps)));
    return down;
}

Func StepBuilder::bilateral() {
    const auto v = vars(dims());
    const Expr centre = to_float(read_moved(as_exprs(v), 0, 0));
    const float sharpness = constant(4, 30);
    Expr sum = 0.0f, whole_weight = 0.0f;
    for (int dy = -step_.radius; dy <= step_.radius; dy++)
        for (int dx = -step_.radius; dx <= step_.radius; dx++) {
            const Expr tap =
                to_float(read_moved(as_exprs(v), dx * step_.dilation, dy * step_.dilation));
            const Expr apart = tap - centre;
            const Expr w =
                exp(apart * apart * -sharpness) * static_cast<float>(1.0 / (1 + dx * dx + dy * dy));
            sum += tap * w;
            whole_weight += w;
        }
    Func f = func();
    f(v) = result(sum / whole_weight);
    return f;
}

}  // namespace cryolite::apps
