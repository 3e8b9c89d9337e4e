// Steps whose result has another resolution than their source, and pyramids of them.
#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

Func StepBuilder::downsample() {
    const auto v = vars(dims());
    const Exprs at = as_exprs(v);
    Func f = func();
    if (step_.choice == 0) {
        Exprs taps;
        for (int dy = 0; dy < 2; dy++)
            for (int dx = 0; dx < 2; dx++)
                taps.push_back(
                    number(read(0, with(with(at, x(), v[x()] * 2 + dx), y(), v[y()] * 2 + dy))));
        f(v) = result(weighted(taps, {0.25, 0.25, 0.25, 0.25}));
        return f;
    }
    const std::vector<double> w{0.125, 0.375, 0.375, 0.125};
    Func across = func("x");
    Exprs taps;
    for (int d = 0; d < 4; d++) taps.push_back(number(read(0, with(at, x(), v[x()] * 2 + d))));
    across(v) = weighted(taps, w);
    taps.clear();
    for (int d = 0; d < 4; d++) taps.push_back(across(with(at, y(), v[y()] * 2 + d)));
    f(v) = result(weighted(taps, w));
    return f;
}

Func StepBuilder::upsample() {
    const auto v = vars(dims());
    const Exprs at = as_exprs(v);
    Func f = func();
    if (step_.choice == 0) {
        f(v) = result(number(read(0, with(with(at, x(), v[x()] / 2), y(), v[y()] / 2))));
        return f;
    }
    const auto between = [&](const Expr &near, const Expr &far) {
        return weighted({near, far}, {0.75, 0.25});
    };
    Func across = func("x");
    across(v) = between(number(read(0, with(at, x(), (v[x()] + 1) / 2))),
                        number(read(0, with(at, x(), v[x()] / 2 + (1 - v[x()] % 2)))));
    f(v) = result(between(across(with(at, y(), (v[y()] + 1) / 2)),
                          across(with(at, y(), v[y()] / 2 + (1 - v[y()] % 2)))));
    return f;
}

Func StepBuilder::pyramid() {
    const auto v = vars(dims());
    const Exprs at = as_exprs(v);
    const auto levels = static_cast<size_t>(step_.levels);
    std::vector<std::pair<int, int>> size{{step_.extents[x()], step_.extents[y()]}};
    std::vector<Func> down(levels + 1);
    down[0] = func("level_0");
    down[0](v) = to_float(read(0, at));
    // A level of another's, whose edge is repeated.
    const auto at_level = [&](const Func &f, size_t l, const Expr &px, const Expr &py) -> Expr {
        return f(with(with(at, x(), clamp(px, 0, size[l].first - 1)), y(),
                      clamp(py, 0, size[l].second - 1)));
    };
    for (size_t l = 1; l <= levels; l++) {
        size.emplace_back((size[l - 1].first + 1) / 2, (size[l - 1].second + 1) / 2);
        down[l] = func("level_" + std::to_string(l));
        Expr sum = 0.0f;
        const int taps = step_.choice == 0 ? 2 : 3;
        for (int dy = 0; dy < taps; dy++)
            for (int dx = 0; dx < taps; dx++) {
                const float w =
                    taps == 2 ? 0.25f : (dx == 1 ? 0.5f : 0.25f) * (dy == 1 ? 0.5f : 0.25f);
                sum += at_level(down[l - 1], l - 1, v[x()] * 2 + dx - (taps - 2),
                                v[y()] * 2 + dy - (taps - 2)) *
                       w;
            }
        down[l](v) = sum;
    }
    const auto doubled = [&](const Func &f, size_t l) -> Expr {
        if (step_.choice == 0) return at_level(f, l, v[x()] / 2, v[y()] / 2);
        const Expr near_x = v[x()] / 2, far_x = near_x + (v[x()] % 2) * 2 - 1;
        const Expr near_y = v[y()] / 2, far_y = near_y + (v[y()] % 2) * 2 - 1;
        return at_level(f, l, near_x, near_y) * 0.5625f + at_level(f, l, far_x, near_y) * 0.1875f +
               at_level(f, l, near_x, far_y) * 0.1875f + at_level(f, l, far_x, far_y) * 0.0625f;
    };
    Func up = down[levels];
    for (size_t l = levels; l-- > 0;) {
        Func finer = l == 0 ? func() : func("up_" + std::to_string(l));
        const Expr detail = down[l](at) - doubled(down[l + 1], l + 1);
        const Expr value = doubled(up, l + 1) + detail * constant(0.4, 1.5);
        finer(v) = l == 0 ? result(value) : value;
        up = finer;
    }
    return up;
}

Func StepBuilder::resample() {
    const auto v = vars(dims());
    const Exprs at = as_exprs(v);
    const int p = step_.numerator, q = step_.denominator;
    const auto between = [&](const Expr &coordinate, const Expr &near, const Expr &far) {
        const Expr part = (coordinate * q) % p;
        return whole() ? (near * (p - part) + far * part) / p
                       : near + (far - near) * cast<float>(part) * (1.0f / static_cast<float>(p));
    };
    const auto place = [&](const Expr &coordinate) { return coordinate * q / p; };
    Func across = func("x"), f = func();
    across(v) = between(v[x()], number(read(0, with(at, x(), place(v[x()])))),
                        number(read(0, with(at, x(), place(v[x()]) + 1))));
    f(v) = result(between(v[y()], across(with(at, y(), place(v[y()]))),
                          across(with(at, y(), place(v[y()]) + 1))));
    return f;
}

}  // namespace cryolite::apps
