// Changes of resolution and geometry: polyphase filters, lenses, polar maps, turns, chroma.
#include <cmath>

#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c"), k("k"), n("n"), strip("strip"), row("row"), xo("xo"), xi("xi"),
    yo("yo"), yi("yi"), u("u");
constexpr auto guard = TailStrategy::GuardWithIf, whole = TailStrategy::RoundUp;

Expr wide(const Expr &e) { return cast<int>(e); }
Expr byte(const Expr &e) { return cast<uint8_t>(clamp(e, 0, 255)); }

// Duchon 1979.
double lanczos(double t, double radius) {
    constexpr double pi = 3.14159265358979323846;
    if (std::abs(t) < 1e-9) return 1;
    if (std::abs(t) >= radius) return 0;
    return radius * std::sin(pi * t) * std::sin(pi * t / radius) / (pi * pi * t * t);
}

// Taps in 1/4096 by (tap, phase), whose sums are 4096. Phase p lies at p * up / down of an input sample.
Buffer<int16_t> polyphase_taps(int taps, int phases, int step) {
    constexpr int one = 4096;
    Buffer<int16_t> table(taps, phases);
    for (int p = 0; p < phases; p++) {
        const double at = double(p * step % phases) / phases;
        double all = 0;
        for (int t = 0; t < taps; t++) all += lanczos(t - taps / 2 + 1 - at, taps / 2.0);
        int left = one;
        for (int t = 0; t < taps; t++) {
            const double share = lanczos(t - taps / 2 + 1 - at, taps / 2.0) / all;
            table(t, p) = static_cast<int16_t>(std::lround(share * one));
            left -= table(t, p);
        }
        table(taps / 2 - 1, p) = static_cast<int16_t>(table(taps / 2 - 1, p) + left);
    }
    return table;
}

// Enlarged 8:5 both ways by Lanczos' kernel of six taps, in fixed point.
void polyphase_image(Subject &s) {
    constexpr int taps = 6, up = 8, down = 5;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), {about(960), about(640)}, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    const Buffer<int16_t> weights = polyphase_taps(taps, up, down);
    Func tap("tap"), rows("rows"), out("out");
    const RDom r(0, taps, "r");
    tap(k, n) = weights(clamp(k, 0, taps - 1), clamp(n, 0, up - 1));
    rows(x, y) = 0;
    rows(x, y) += wide(edge(x * down / up + r - (taps / 2 - 1), y)) * tap(r, x % up);
    Func narrow_rows("narrow_rows"), columns("columns");
    narrow_rows(x, y) = cast<int16_t>((rows(x, y) + 128) >> 8);  // sixteenths
    columns(x, y) = 0;
    columns(x, y) += wide(narrow_rows(x, y * down / up + r - (taps / 2 - 1))) * tap(r, y % up);
    out(x, y) = byte((columns(x, y) + (1 << 15)) >> 16);
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Rows of the input are widened once each and slide. A row has eight phases, of which each is a
        // vector with taps of its own, woven when stored.
        tap.compute_root();
        out.split(y, strip, row, 64, guard).parallel(strip).vectorize(x, 2 * vec, guard);
        columns.compute_at(out, x).vectorize(x, vec).unroll(x);
        columns.update().reorder(x, r).vectorize(x, vec).unroll(x).unroll(r);
        narrow_rows.store_at(out, strip)
            .compute_at(out, row)
            .align_bounds(x, up)
            .split(x, xo, xi, up)
            .reorder(xi, xo)
            .unroll(xi)
            .vectorize(xo, vec);
        rows.compute_at(narrow_rows, xo).bound_extent(x, up * vec);
        rows.split(x, xo, xi, up).reorder(xi, xo).unroll(xi).vectorize(xo);
        rows.update().split(x, xo, xi, up).reorder(xo, r, xi).unroll(xi).unroll(r).vectorize(xo);
    });
}

// 44.1 kHz to 48 kHz, two channels: 160 phases of 32 taps, an input of the pipeline.
void polyphase_audio(Subject &s) {
    constexpr int taps = 32, up = 160, down = 147;
    const ImageParam in =
        s.sized_input("in", Float(32), {about(441000), exactly(2)}, {-1000, 1000});
    const ImageParam weights =
        s.sized_input("weights", Float(32), {exactly(taps), exactly(up)}, {-8, 8});
    Func padded = BoundaryConditions::constant_exterior(in, 0.0f);
    const RDom r(0, taps, "r");
    Func sums("sums"), out("out");
    sums(n, c) = 0.0f;
    sums(n, c) += padded(n * down / up + r - (taps / 2 - 1), c) * weights(r, n % up);
    out(n, c) = sums(n, c) * 0.125f;
    s.output(out, {about(480000), exactly(2)}, 0.5);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // A sum along the taps by vectors. The padding is copied out once for a block of samples.
        RVar ro("ro"), ri("ri");
        Func partial = sums.update().split(r, ro, ri, vec).rfactor(ri, u);
        Func block = padded.in(partial);
        out.split(n, xo, xi, 16 * up, guard).parallel(xo).vectorize(xi, vec, guard);
        sums.compute_at(out, xo);
        sums.update().atomic().vectorize(ri);
        partial.compute_at(sums, n).vectorize(u);
        partial.update().vectorize(u).unroll(ro);
        block.compute_at(out, xo).vectorize(block.args()[0], vec);
    });
}

// Brown's radial distortion undone, by Keys' bicubic kernel over 4x4.
void lens_correction(Subject &s) {
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func place("place"), columns("columns"), out("out");
    const Expr dx = (cast<float>(x) - 767.5f) / 768.0f, dy = (cast<float>(y) - 511.5f) / 768.0f;
    const Expr squared = dx * dx + dy * dy;
    const Expr scale = 1.0f - 0.12f * squared + 0.03f * squared * squared;
    place(x, y) = Tuple(dx * scale * 768.0f + 767.5f, dy * scale * 768.0f + 511.5f);
    const Expr left = cast<int>(floor(place(x, y)[0])), top = cast<int>(floor(place(x, y)[1]));
    const auto keys = [](const Expr &t) {
        return std::vector<Expr>{((-0.5f * t + 1.0f) * t - 0.5f) * t,
                                 (1.5f * t - 2.5f) * t * t + 1.0f,
                                 ((-1.5f * t + 2.0f) * t + 0.5f) * t, (0.5f * t - 0.5f) * t * t};
    };
    const std::vector<Expr> across = keys(place(x, y)[0] - cast<float>(left)),
                            down = keys(place(x, y)[1] - cast<float>(top));
    Expr sum_of = 0.5f;
    for (int j = 0; j < 4; j++) {
        Expr line = 0.0f;
        for (int i = 0; i < 4; i++)
            line += across[static_cast<size_t>(i)] *
                    cast<float>(edge(clamp(left + i - 1, 0, in.width() - 1),
                                     clamp(top + j - 1, 0, in.height() - 1)));
        sum_of += line * down[static_cast<size_t>(j)];
    }
    out(x, y) = byte(cast<int>(floor(sum_of)));
    s.output(out, sizes, 1);
}

// Angles by logarithms of radii around the centre, bilinear. What a turn or a zoom does becomes a shift.
void log_polar(Subject &s) {
    constexpr int angles = 1024, radii = 512, size = 1024;
    const ImageParam in = s.sized_input("in", UInt(16), {exactly(size), exactly(size)}, {0, 60000});
    Func direction("direction"), radius("radius"), out("out");
    direction(x) = Tuple(cos(cast<float>(x) * float(6.283185307 / angles)),
                         sin(cast<float>(x) * float(6.283185307 / angles)));
    radius(y) = exp(cast<float>(y) * float(std::log(size / 2.0) / radii));
    const Expr px = size / 2 + radius(y) * direction(x)[0],
               py = size / 2 + radius(y) * direction(x)[1];
    const Expr left = clamp(cast<int>(floor(px)), 0, size - 2),
               top = clamp(cast<int>(floor(py)), 0, size - 2);
    const Expr dx = clamp(px - cast<float>(left), 0.0f, 1.0f),
               dy = clamp(py - cast<float>(top), 0.0f, 1.0f);
    const auto at = [&](int i, int j) { return cast<float>(in(left + i, top + j)); };
    const Expr value = lerp(lerp(at(0, 0), at(1, 0), dx), lerp(at(0, 1), at(1, 1), dx), dy);
    out(x, y) = cast<uint16_t>(value + 0.5f);
    s.output(out, {about(angles), about(radii)}, 16);
}

void quarter_turn(Subject &s) {
    constexpr int width = 1536, height = 2048;
    ImageParam in = s.input("in", UInt(16), 2, {0, 60000});
    Func out("out");
    out(x, y) = in(y, width - 1 - x);
    s.output(out, {about(width), about(height)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<uint16_t>();
        // Squares of vectors are turned on their way through the first level: read by rows, stored turned. A
        // task's tiles use up the lines of cache of both sides.
        Func square = in.in(out);
        const Var across = square.args()[0], down = square.args()[1];
        out.tile(x, y, xo, yo, xi, yi, vec, vec, TailStrategy::ShiftInwards)
            .split(xo, u, xo, 4, guard)
            .split(yo, strip, yo, 8, guard)
            .reorder(xi, yi, xo, yo, u, strip)
            .vectorize(xi)
            .unroll(yi)
            .parallel(strip);
        square.compute_at(out, xo)
            .reorder_storage(down, across)
            .vectorize(across, vec)
            .unroll(down);
    });
}

// Planar luma and chroma at half of its resolution to interleaved-by-plane colours; BT.601, 13 bits.
void chroma_upsampled(Subject &s) {
    const Sizes half{about(640), about(480)};
    const ImageParam luma = s.sized_input("luma", UInt(8), {about(1280), about(960)}, {16, 235});
    const ImageParam blue = s.sized_input("blue", UInt(8), half, {16, 240});
    const ImageParam red = s.sized_input("red", UInt(8), half, {16, 240});
    const Func edge = BoundaryConditions::repeat_edge(luma);
    Func chroma("chroma"), columns("columns"), full("full"), out("out");
    const Func b = BoundaryConditions::repeat_edge(blue), r = BoundaryConditions::repeat_edge(red);
    chroma(x, y, k) = cast<int16_t>(mux(k, {b(x, y), r(x, y)}));
    const auto beside = [](const Var &v) { return v / 2 - 1 + 2 * (v % 2); };
    columns(x, y, k) = chroma(x, y / 2, k) * 3 + chroma(x, beside(y), k);
    full(x, y, k) = (columns(x / 2, y, k) * 3 + columns(beside(x), y, k) + 8) >> 4;
    const Expr l = (wide(edge(x, y)) - 16) * 9539, cb = wide(full(x, y, 0)) - 128,
               cr = wide(full(x, y, 1)) - 128;
    const auto scaled = [](const Expr &e) { return byte((e + 4096) >> 13); };
    out(x, y, c) =
        mux(c, {scaled(l + cr * 13075), scaled(l - cr * 6660 - cb * 3209), scaled(l + cb * 16525)});
    s.output(out, {about(1280), about(960), exactly(3)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int16_t>();
        // Chroma is made for a row at a time, its parities by vectors, and used by three colours. A frame is
        // whole strips and vectors.
        out.bound(c, 0, 3)
            .align_bounds(y, 2)
            .split(y, strip, row, 32, whole)
            .split(row, yo, yi, 2)
            .split(x, xo, xi, vec, whole)
            .reorder(xi, c, xo, yi, yo, strip)
            .vectorize(xi)
            .unroll(c)
            .unroll(yi)
            .parallel(strip);
        full.compute_at(out, yi)
            .bound_extent(k, 2)
            .align_bounds(x, 2)
            .reorder(x, k, y)
            .unroll(k)
            .vectorize(x, 2 * vec);
        columns.compute_at(full, y).unroll(k).vectorize(x, vec);
    });
}

}  // namespace

std::vector<Entry> kinds_of_resampling() {
    return {
        {"polyphase_image", "8:5 both ways, eight phases of six taps", polyphase_image},
        {"polyphase_audio", "160:147 in one dimension, 32 taps", polyphase_audio},
        {"lens_correction", "sixteen fetches at computed places", lens_correction},
        {"log_polar", "four fetches around a centre", log_polar},
        {"quarter_turn", "nothing but a change of order", quarter_turn},
        {"chroma_upsampled", "three planes of two sizes to colours", chroma_upsampled},
    };
}

}  // namespace cryolite::robustness
