// Steps that read or write where data says, and scans.
#include "apps/random/step_builder.h"

namespace cryolite::apps {

using namespace Halide;  // NOLINT(google-build-using-namespace)

namespace {

// A float around 0 to 1 as an index below `count`.
Expr index_of(const Expr &value, int count) {
    return cast<int32_t>(
        clamp(abs(value) * static_cast<float>(count), 0.0f, static_cast<float>(count - 1)));
}

}  // namespace

Func StepBuilder::warp() {
    const auto v = vars(dims());
    const Exprs at = as_exprs(v);
    const Expr fx = cast<float>(v[0]), fy = cast<float>(v[1]);
    const float a = constant(0.9, 1.1), b = constant(-0.1, 0.1), c = constant(-20, 20);
    const float d = constant(-0.1, 0.1), e = constant(0.9, 1.1), g = constant(-20, 20);
    Expr sx = fx * a + fy * b + c, sy = fx * d + fy * e + g;
    if (step_.choice == 1) sx += sin(fy * 0.02f) * 8.0f;
    const Expr ix = cast<int32_t>(floor(sx)), iy = cast<int32_t>(floor(sy));
    const Expr wx = sx - floor(sx), wy = sy - floor(sy);
    const auto pixel = [&](const Expr &px, const Expr &py) {
        return to_float(read(0, with(with(at, 0, clamp(px, 0, source(0).extents[0] - 1)), 1,
                                     clamp(py, 0, source(0).extents[1] - 1))));
    };
    Func f = func();
    f(v) = result(lerp(lerp(pixel(ix, iy), pixel(ix + 1, iy), wx),
                       lerp(pixel(ix, iy + 1), pixel(ix + 1, iy + 1), wx), wy));
    return f;
}

Func StepBuilder::lookup() {
    const auto v = vars(dims());
    const Expr index = index_of(read_float(0, as_exprs(v)), step_.levels);
    Func f = func();
    if (step_.choice == 0) {
        f(v) = result(number(read(1, {index})));
        return f;
    }
    Func table = func("table");
    Var i("i");
    const float k = constant(0.4, 2.5);
    table(i) = result(pow(cast<float>(i) * (1.0f / static_cast<float>(step_.levels)) + 0.001f, k));
    f(v) = table(index);
    return f;
}

Func StepBuilder::histogram() {
    const auto v = vars(dims());
    const Step &s = source(0);
    std::vector<Range> all;
    for (const int e : s.extents) all.emplace_back(0, e);
    RDom r(all, domain_name("pixels"));
    Exprs at;
    for (int d = 0; d < r.dimensions(); d++) at.push_back(Expr(r[d]));
    Func counts = func("counts"), sums = func("sums"), f = func();
    Var i("i");
    counts(i) = 0;
    counts(index_of(read_float(0, at), step_.levels)) += 1;
    RDom b(1, step_.levels - 1, domain_name("bins"));
    sums(i) = counts(i);
    sums(b) = sums(b - 1) + counts(b);
    const Expr share = cast<float>(sums(index_of(read_float(0, as_exprs(v)), step_.levels))) *
                       (1.0f / static_cast<float>(s.points()));
    f(v) = result(share);
    return f;
}

Func StepBuilder::splat() {
    const auto v = vars(dims());
    const int side = step_.stride, bins = step_.levels;
    Var gx("gx"), gy("gy"), z("z");
    RDom r(0, side, 0, side, domain_name("cell"));
    Exprs at{gx * side + r.x, gy * side + r.y}, here{gx, gy, z};
    std::vector<Var> grid_vars{gx, gy, z};
    // Channels have a grid each, innermost so that vectors have something to hold.
    if (dims() == 3) {
        at.push_back(v[2]);
        here.push_back(v[2]);
        grid_vars.push_back(v[2]);
    }
    Func grid = func("grid"), smooth = func("smooth"), f = func();
    grid(grid_vars) = 0.0f;
    const Expr value = read_float(0, at);
    grid(with(here, 2, index_of(value, bins))) += value * (1.0f / static_cast<float>(side * side));
    const auto near = [&](int dz) { return with(here, 2, clamp(z + dz, 0, bins - 1)); };
    smooth(grid_vars) = grid(near(-1)) * 0.25f + grid(near(0)) * 0.5f + grid(near(1)) * 0.25f;
    Exprs back{v[0] / side, v[1] / side, index_of(read_float(0, as_exprs(v)), bins)};
    if (dims() == 3) back.push_back(v[2]);
    f(v) = result(smooth(back));
    return f;
}

Func StepBuilder::scan() {
    const auto v = vars(dims());
    const Exprs at = as_exprs(v);
    const auto d = static_cast<size_t>(step_.dimension);
    const int n = step_.extents[d];
    Func f = func();
    RDom r(1, n - 1, domain_name("scan"));
    if (step_.choice == 0) {
        // Sums that are scaled so that floats stay around 0 to 1.
        const auto term = [&](const Exprs &where) {
            return whole() ? to_int(read(0, where)) & 255
                           : to_float(read(0, where)) * (1.0f / static_cast<float>(n));
        };
        Func sums = whole() ? func("sums") : f;
        sums(v) = whole() ? term(at) : result(term(at));
        const Exprs now = with(at, d, r), before = with(at, d, r - 1);
        sums(now) = whole() ? sums(before) + term(now) : result(to_float(sums(before)) + term(now));
        if (whole()) f(v) = result(sums(v) >> 4);
        return f;
    }
    const float keep = constant(0.3, 0.9);
    f(v) = to_float(read(0, at));
    const Exprs now = with(at, d, r), before = with(at, d, r - 1);
    f(now) = f(before) * keep + f(now) * (1 - keep);
    if (step_.choice == 2) {
        const Exprs back = with(at, d, n - 1 - r), after = with(at, d, n - r);
        f(back) = f(after) * keep + f(back) * (1 - keep);
    }
    return f;
}

}  // namespace cryolite::apps
