// Resolutions and transforms: wavelets, fusion, blocks of cosines, Fourier, multigrid.
#include <cmath>

#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c"), k("k"), n("n"), u("u"), v("v"), strip("strip"), row("row"),
    xo("xo"), xi("xi"), yi("yi"), group("group"), part("part");
constexpr auto guard = TailStrategy::GuardWithIf, whole = TailStrategy::RoundUp;
constexpr double pi = 3.14159265358979323846;

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }
Expr byte(const Expr &e) { return cast<uint8_t>(clamp(e, 0, 255)); }

// The reversible wavelet of JPEG 2000 (Le Gall and Tabatabai 1988), lifted, three levels. An output has the
// four bands of a level; the first of them is what the next level takes apart.
void integer_wavelet(Subject &s) {
    constexpr int levels = 3, size = 1024;
    const ImageParam in = s.sized_input("in", UInt(8), {about(size), about(size)}, {0, 255});
    Func image("image");
    image(x, y) = cast<int16_t>(BoundaryConditions::repeat_edge(in)(x, y)) - cast<int16_t>(128);
    std::vector<Func> high_rows, rows, high_columns, bands;
    for (int i = 0; i < levels; i++) {
        const Func edge = BoundaryConditions::repeat_edge(
            image, {{0, max(in.width() >> i, 1)}, {0, max(in.height() >> i, 1)}});
        Func high = numbered("high", i), both = numbered("rows", i), below = numbered("below", i),
             band = numbered("bands", i);
        const Expr two = cast<int16_t>(2);
        high(x, y) = edge(2 * x + 1, y) - ((edge(2 * x, y) + edge(2 * x + 2, y)) >> 1);
        // k: low or high along x
        both(x, y, k) =
            mux(k, {edge(2 * x, y) + ((high(x - 1, y) + high(x, y) + two) >> 2), high(x, y)});
        below(x, y, k) = both(x, 2 * y + 1, k) - ((both(x, 2 * y, k) + both(x, 2 * y + 2, k)) >> 1);
        const auto above = [&](int which) {
            return both(x, 2 * y, which) +
                   ((below(x, y - 1, which) + below(x, y, which) + two) >> 2);
        };
        band(x, y, k) = mux(k, {above(0), above(1), below(x, y, 0), below(x, y, 1)});
        s.output(band, {about(size >> (i + 1)), about(size >> (i + 1)), exactly(4)});
        image = numbered("image", i);
        image(x, y) = band(x, y, 0);
        high_rows.push_back(high);
        rows.push_back(both);
        high_columns.push_back(below);
        bands.push_back(band);
    }
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int16_t>();
        // Each level in strips, down which the rows slide. A level is whole strips and vectors.
        for (size_t i = 0; i < bands.size(); i++) {
            bands[i]
                .compute_root()
                .bound(k, 0, 4)
                .split(y, strip, row, 32, whole)
                .split(x, xo, xi, vec, whole)
                .reorder(xi, k, xo, row, strip)
                .vectorize(xi)
                .unroll(k)
                .parallel(strip);
            high_columns[i].store_at(bands[i], strip).compute_at(bands[i], row);
            high_columns[i].reorder(k, x, y).bound_extent(k, 2).unroll(k).vectorize(x, vec);
            rows[i].store_at(bands[i], strip).compute_at(bands[i], row);
            rows[i].reorder(k, x, y).bound_extent(k, 2).unroll(k).vectorize(x, vec);
            high_rows[i].compute_at(rows[i], y).vectorize(x, vec);
        }
    });
}

// One dimension of the wavelet of Cohen, Daubechies and Feauveau (9/7), lifted in four steps.
class Lifting {
public:
    Lifting(bool is_along_x, int number) : is_along_x_(is_along_x), number_(number) {}

    struct Halves {
        Func low, high;
    };

    Halves apart(const Func &in) {
        Func even = named("even"), odd = named("odd");
        even(x, y) = is_along_x_ ? in(2 * x, y) : in(x, 2 * y);
        odd(x, y) = is_along_x_ ? in(2 * x + 1, y) : in(x, 2 * y + 1);
        for (int i = 0; i < 4; i += 2) {
            odd = lifted(odd, even, 0, steps[i]);
            even = lifted(even, odd, -1, steps[i + 1]);
        }
        Func low = named("low"), high = named("high");
        low(x, y) = even(x, y) * scale;
        high(x, y) = odd(x, y) / scale;
        return {low, high};
    }

    Func together(const Halves &halves) {
        Func even = named("even_back"), odd = named("odd_back"), out = named("woven");
        even(x, y) = halves.low(x, y) / scale;
        odd(x, y) = halves.high(x, y) * scale;
        for (int i = 4; i > 0; i -= 2) {
            even = lifted(even, odd, -1, -steps[i - 1]);
            odd = lifted(odd, even, 0, -steps[i - 2]);
        }
        out(x, y) = is_along_x_ ? select(x % 2 == 0, even(x / 2, y), odd(x / 2, y))
                                : select(y % 2 == 0, even(x, y / 2), odd(x, y / 2));
        return out;
    }

private:
    static constexpr float steps[] = {-1.586134342f, -0.05298011854f, 0.8829110762f, 0.4435068522f};
    static constexpr float scale = 1.149604398f;

    Func named(const std::string &name) const { return numbered(name, number_); }

    Func lifted(const Func &f, const Func &other, int first, float weight) {
        Func out = named("lifted");
        out(x, y) =
            f(x, y) + weight * (is_along_x_ ? other(x + first, y) + other(x + first + 1, y)
                                            : other(x, y + first) + other(x, y + first + 1));
        return out;
    }

    bool is_along_x_;
    int number_;
};

Func softened(const Func &in, float threshold, int number) {
    Func out = numbered("softened", number);
    const Expr size = max(abs(in(x, y)) - threshold, 0.0f);
    out(x, y) = select(in(x, y) < 0.0f, -size, size);
    return out;
}

// Taken apart, small coefficients made smaller (Donoho 1995), and put together again.
Func denoised(const Func &in, int level, int levels) {
    if (level == levels) return in;
    Lifting along_x(true, level), along_y(false, level);
    const Lifting::Halves sides = along_x.apart(in);
    Lifting::Halves left = along_y.apart(sides.low), right = along_y.apart(sides.high);
    const float threshold = 12.0f / static_cast<float>(level + 1);
    left.low = denoised(left.low, level + 1, levels);
    left.high = softened(left.high, threshold, level);
    right.low = softened(right.low, threshold, level);
    right.high = softened(right.high, threshold, level);
    return along_x.together({along_y.together(left), along_y.together(right)});
}

void wavelet_denoising(Subject &s) {
    const Sizes sizes{about(1024), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    Func image("image"), out("out");
    image(x, y) = cast<float>(BoundaryConditions::repeat_edge(in)(x, y));
    out(x, y) = byte(cast<int>(floor(denoised(image, 0, 2)(x, y) + 0.5f)));
    s.output(out, sizes, 1);
}

Func halved(const Func &in, const std::string &name) {
    Func across(name + "_across"), out(name);
    across(x, y, _) = (in(2 * x - 1, y, _) + 3.0f * (in(2 * x, y, _) + in(2 * x + 1, y, _)) +
                       in(2 * x + 2, y, _)) /
                      8.0f;
    out(x, y, _) =
        (across(x, 2 * y - 1, _) + 3.0f * (across(x, 2 * y, _) + across(x, 2 * y + 1, _)) +
         across(x, 2 * y + 2, _)) /
        8.0f;
    return out;
}

Func doubled(const Func &in, const std::string &name) {
    Func across(name + "_across"), out(name);
    across(x, y, _) = 0.75f * in(x / 2, y, _) + 0.25f * in(x / 2 - 1 + 2 * (x % 2), y, _);
    out(x, y, _) = 0.75f * across(x, y / 2, _) + 0.25f * across(x, y / 2 - 1 + 2 * (y % 2), _);
    return out;
}

// Mertens, Kautz and Van Reeth 2007: three exposures blended in their Laplacian pyramids by the pyramids of
// their weights.
void exposure_fusion(Subject &s) {
    constexpr int levels = 5, exposures = 3;
    const ImageParam in = s.sized_input(
        "in", UInt(8), {about(768), about(512), exactly(3), exactly(exposures)}, {0, 255});
    Func image("image"), grey("grey"), weight("weight"), share("share"), out("out");
    image(x, y, c, n) = cast<float>(in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1),
                                       clamp(c, 0, 2), clamp(n, 0, exposures - 1))) /
                        255.0f;
    const Expr r = image(x, y, 0, n), g = image(x, y, 1, n), b = image(x, y, 2, n);
    grey(x, y, n) = (r + g + b) / 3.0f;
    const Expr contrast = abs(4.0f * grey(x, y, n) - grey(x - 1, y, n) - grey(x + 1, y, n) -
                              grey(x, y - 1, n) - grey(x, y + 1, n));
    const auto square = [](const Expr &e) { return e * e; };
    const Expr mean = grey(x, y, n);
    const Expr saturation = sqrt((square(r - mean) + square(g - mean) + square(b - mean)) / 3.0f);
    const Expr off_middle = square(r - 0.5f) + square(g - 0.5f) + square(b - 0.5f);
    weight(x, y, n) = contrast * saturation * exp(off_middle * -12.5f) + 1e-5f;
    share(x, y, n) = weight(x, y, n) / (weight(x, y, 0) + weight(x, y, 1) + weight(x, y, 2));
    std::vector<Func> images = {image}, shares = {share};
    for (int i = 1; i < levels; i++) {
        images.push_back(halved(images.back(), "image" + std::to_string(i)));
        shares.push_back(halved(shares.back(), "share" + std::to_string(i)));
    }
    Func last;
    for (int i = levels - 1; i >= 0; i--) {
        const Func here = images[static_cast<size_t>(i)], w = shares[static_cast<size_t>(i)];
        Func detail = numbered("detail", i), blend = numbered("blend", i),
             sharp = numbered("sharp", i);
        if (i == levels - 1)
            detail(x, y, c, n) = here(x, y, c, n);
        else
            detail(x, y, c, n) = here(x, y, c, n) - doubled(images[static_cast<size_t>(i) + 1],
                                                            "wide" + std::to_string(i))(x, y, c, n);
        const auto of = [&](int exposure) { return w(x, y, exposure) * detail(x, y, c, exposure); };
        blend(x, y, c) = of(0) + of(1) + of(2);
        if (last.defined()) {
            sharp(x, y, c) = blend(x, y, c) + doubled(last, "up" + std::to_string(i))(x, y, c);
            last = sharp;
        } else {
            last = blend;
        }
    }
    out(x, y, c) = cast<uint8_t>(clamp(last(x, y, c), 0.0f, 1.0f) * 255.0f + 0.5f);
    s.output(out, {about(768), about(512), exactly(3)}, 1);
}

// Cosine transforms of blocks of 8x8 (Ahmed, Natarajan and Rao 1974), quantised as in JPEG.
void cosine_blocks(Subject &s) {
    constexpr int side = 8, scale = 2048;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    // 4096 over what a coefficient is divided by.
    const ImageParam inverse =
        s.sized_input("inverse", Int(16), {exactly(side), exactly(side)}, {40, 400});
    Buffer<int16_t> cosines(side, side);
    for (int f = 0; f < side; f++)
        for (int i = 0; i < side; i++)
            cosines(f, i) = static_cast<int16_t>(std::lround(
                scale / 2 * (f == 0 ? std::sqrt(0.5) : 1) * std::cos((2 * i + 1) * f * pi / 16)));
    const Func edge = BoundaryConditions::repeat_edge(in);
    const RDom r(0, side, "r");
    Func basis("basis"), rows("rows"), narrow_rows("narrow_rows"), block("block"), out("out");
    basis(u, k) = cosines(clamp(u, 0, side - 1), clamp(k, 0, side - 1));
    // u, v: frequencies, k: row of a block, x, y: block
    rows(u, k, x, y) = 0;
    rows(u, k, x, y) +=
        (cast<int>(edge(side * x + r, side * y + k)) - 128) * cast<int>(basis(u, r));
    narrow_rows(u, k, x, y) = cast<int16_t>((rows(u, k, x, y) + 128) >> 8);
    block(u, v, x, y) = 0;
    block(u, v, x, y) += cast<int>(narrow_rows(u, r, x, y)) * cast<int>(basis(v, r));
    const Expr coefficient = block(x % side, y % side, x / side, y / side) >> 8;
    out(x, y) = cast<int16_t>((coefficient * inverse(x % side, y % side) + (1 << 17)) >> 18);
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // A row of eight frequencies is what one vector holds with AVX2. A block at a time, all of it
        // unrolled, stays in registers and the first level.
        basis.compute_root();
        out.align_bounds(x, side)
            .align_bounds(y, side)
            .tile(x, y, x, y, xi, yi, side, side, TailStrategy::RoundUp)
            .vectorize(xi)
            .unroll(yi)
            .parallel(y);
        block.compute_at(out, x).bound_extent(u, side).bound_extent(v, side);
        block.vectorize(u, std::min(vec, side)).unroll(v);
        block.update().reorder(u, r, v).vectorize(u, std::min(vec, side)).unroll(r).unroll(v);
        narrow_rows.compute_at(out, x).bound_extent(u, side).bound_extent(k, side);
        narrow_rows.vectorize(u, std::min(vec, side)).unroll(k);
        rows.compute_at(narrow_rows, k).vectorize(u, std::min(vec, side));
        rows.update().reorder(u, r, k).vectorize(u, std::min(vec, side)).unroll(r);
    });
}

// Cooley and Tukey 1965, radix 2: 1024 signals of 256 points side by side.
void fourier_batch(Subject &s) {
    constexpr int points = 256, bits = 8;
    const Sizes sizes{about(1024), exactly(points)};
    const ImageParam real = s.sized_input("real", Float(32), sizes);
    const ImageParam imaginary = s.sized_input("imaginary", Float(32), sizes);
    Buffer<float> cosines(points), sines(points);
    for (int i = 0; i < points; i++) {
        cosines(i) = static_cast<float>(std::cos(2 * pi * i / points));
        sines(i) = static_cast<float>(-std::sin(2 * pi * i / points));
    }
    Expr reversed = 0;
    for (int bit = 0; bit < bits; bit++) reversed += ((k >> bit) & 1) << (bits - 1 - bit);
    Func turn("turn"), last("first");
    turn(k) = Tuple(cosines(clamp(k, 0, points - 1)), sines(clamp(k, 0, points - 1)));
    const Expr signal = clamp(x, 0, real.width() - 1);
    last(x, k) = Tuple(real(signal, clamp(reversed, 0, points - 1)),
                       imaginary(signal, clamp(reversed, 0, points - 1)));
    std::vector<Func> stages;
    for (int half = 1; half < points; half *= 2) {
        Func next = numbered("stage", half);
        const Expr even = k / (2 * half) * (2 * half) + k % half, odd = even + half;
        const Expr angle = (k % half) * (points / (2 * half)), is_upper = (k / half) % 2 == 1;
        const Expr c = turn(angle)[0], d = turn(angle)[1];
        const Expr a = last(x, odd)[0], b = last(x, odd)[1];
        const Expr turned[] = {a * c - b * d, a * d + b * c};
        const auto joined = [&](int part) {
            const Expr one = last(x, even)[part];
            return select(is_upper, one - turned[part], one + turned[part]);
        };
        next(x, k) = Tuple(joined(0), joined(1));
        last = next;
        stages.push_back(next);
    }
    s.output(last, sizes, 0.5);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // A vector of signals goes through all stages in the first level. Both results of a butterfly are
        // made at once, of one product.
        turn.compute_root();
        Func out = stages.back();
        out.bound(k, 0, points).split(x, xo, xi, vec, guard).vectorize(xi).parallel(xo);
        int half = 1;
        for (Func stage : stages) {
            const bool is_last = 2 * half == points;
            if (!is_last) stage.compute_at(out, xo).vectorize(x).bound_extent(k, points);
            const Var lane = is_last ? xi : x;
            stage.split(k, group, k, 2 * half).split(k, part, k, half);
            stage.unroll(part);
            if (is_last)
                stage.reorder(lane, part, k, group, xo);
            else
                stage.reorder(lane, part, k, group);
            half *= 2;
        }
    });
}

// Zero outside of an image of the level.
Func inside(const Func &f, const ImageParam &image, int level) {
    return BoundaryConditions::constant_exterior(
        f, 0.0f, {{0, max(image.width() >> level, 1)}, {0, max(image.height() >> level, 1)}});
}

Expr neighbours(const Func &f) { return f(x - 1, y) + f(x + 1, y) + f(x, y - 1) + f(x, y + 1); }

// A cycle of multigrid (Brandt 1977) for the Poisson equation with a rim of zeros: smoothed twice by a damped
// Jacobi step, the residual solved at half of the resolution, corrected, smoothed twice.
Func cycle(const Func &right_side, const ImageParam &image, int level, int levels) {
    constexpr float damping = 0.8f;
    const auto smoothed = [&](const Func &f) {
        const Func zero_outside = inside(f, image, level);
        Func out = numbered("smooth", level);
        out(x, y) = (1.0f - damping) * f(x, y) +
                    damping / 4 * (neighbours(zero_outside) + right_side(x, y));
        return out;
    };
    Func start = numbered("start", level);
    start(x, y) = damping / 4 * right_side(x, y);
    Func guess = smoothed(start);
    if (level + 1 < levels) {
        Func residual = numbered("residual", level), coarse = numbered("coarse", level),
             corrected = numbered("corrected", level);
        residual(x, y) =
            right_side(x, y) - 4.0f * guess(x, y) + neighbours(inside(guess, image, level));
        const Func r = inside(residual, image, level);
        coarse(x, y) =
            r(2 * x, 2 * y) + r(2 * x + 1, 2 * y) + r(2 * x, 2 * y + 1) + r(2 * x + 1, 2 * y + 1);
        const Func solved = inside(cycle(coarse, image, level + 1, levels), image, level + 1);
        corrected(x, y) = guess(x, y) + doubled(solved, "finer" + std::to_string(level))(x, y);
        guess = corrected;
    }
    return smoothed(smoothed(guess));
}

void multigrid_cycle(Subject &s) {
    const Sizes sizes{about(1024), about(1024)};
    const ImageParam in = s.sized_input("in", Float(32), sizes, {-10, 10});
    Func right_side("right_side");
    right_side(x, y) = in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1));
    s.output(cycle(right_side, in, 0, 4), sizes, 1e-2);
}

}  // namespace

std::vector<Entry> kinds_of_pyramids() {
    return {
        {"integer_wavelet", "three levels of four bands, each an output", integer_wavelet},
        {"wavelet_denoising", "two levels apart and together, lifted", wavelet_denoising},
        {"exposure_fusion", "pyramids of three images and of their weights", exposure_fusion},
        {"cosine_blocks", "two small products per block of 8x8", cosine_blocks},
        {"fourier_batch", "eight stages of butterflies on complex values", fourier_batch},
        {"multigrid_cycle", "down and up four resolutions with smoothing", multigrid_cycle},
    };
}

}  // namespace cryolite::robustness
