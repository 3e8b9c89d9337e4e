// Colour: tables in three dimensions, mosaics of sensors, dithering, palettes.
#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c"), k("k"), z("z"), strip("strip"), row("row"), xo("xo"), xi("xi"),
    yo("yo"), yi("yi");
constexpr auto guard = TailStrategy::GuardWithIf, whole = TailStrategy::RoundUp;

Expr wide(const Expr &e) { return cast<int>(e); }
Expr narrow(const Expr &e) { return cast<int16_t>(e); }

// Kasson, Plouffe and Nin 1993: six tetrahedra in a cell of a table of 17x17x17 colours. Which one a colour
// lies in is the order of its remainders.
void tetrahedral_colour_table(Subject &s) {
    constexpr int nodes = 17, step = 16;
    const Sizes sizes{about(1280), about(960), exactly(3)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const ImageParam table = s.sized_input(
        "table", Int(16), {exactly(3), exactly(nodes), exactly(nodes), exactly(nodes)}, {0, 4080});
    Func place("place"), out("out");
    const auto pixel = [&](int channel) {
        return wide(in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1), channel));
    };
    const Expr red = pixel(0), green = pixel(1), blue = pixel(2);
    const Expr r = red % step, g = green % step, b = blue % step;
    const Expr most = max(r, max(g, b)), least = min(r, min(g, b));
    // The axis of the greatest remainder, and that of the least. Where two are equal the point between
    // them has no weight.
    const Expr first = select(r == most, 0, g == most, 1, 2);
    const Expr last = select(b == least, 2, g == least, 1, 0);
    place(x, y) = Tuple(red / step, green / step, blue / step, most, r + g + b - most - least,
                        least, first, last);
    const auto at = [&](const Expr &dr, const Expr &dg, const Expr &db) {
        const auto node = [](const Expr &e) { return clamp(e, 0, nodes - 1); };
        return wide(table(clamp(c, 0, 2), node(place(x, y)[0] + dr), node(place(x, y)[1] + dg),
                          node(place(x, y)[2] + db)));
    };
    const auto one_if = [](const Expr &e) { return select(e, 1, 0); };
    const Expr high = place(x, y)[3], middle = place(x, y)[4], low = place(x, y)[5];
    const Expr axis = place(x, y)[6], other = place(x, y)[7];
    const Expr sum_of =
        at(0, 0, 0) * (step - high) +
        at(one_if(axis == 0), one_if(axis == 1), one_if(axis == 2)) * (high - middle) +
        at(one_if(other != 0), one_if(other != 1), one_if(other != 2)) * (middle - low) +
        at(1, 1, 1) * low;
    out(x, y, c) = cast<uint8_t>(clamp((sum_of + 128) >> 8, 0, 255));
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Bound by gathers. Where a colour lies is found once for its three channels.
        out.bound(c, 0, 3)
            .split(y, strip, row, 16, guard)
            .split(x, xo, xi, vec, guard)
            .reorder(xi, c, xo, row, strip)
            .vectorize(xi)
            .unroll(c)
            .parallel(strip);
        place.compute_at(out, xo).vectorize(x, vec);
    });
}

// Gharbi et al. 2017: a grid of affine maps of colours, sliced by trilinear interpolation at a pixel's place and
// guide.
void slices_of_an_affine_grid(Subject &s) {
    constexpr int columns = 24, rows = 18, depth = 8, coefficients = 12;
    const Sizes sizes{about(1280), about(960), exactly(3)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const ImageParam grid = s.sized_input(
        "grid", Float(32), {exactly(coefficients), exactly(columns), exactly(depth), exactly(rows)},
        {-1, 2});
    Func pixel("pixel"), guide("guide"), row_of_grid("row_of_grid"), sliced("sliced"), out("out");
    pixel(x, y, c) =
        cast<float>(in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1), c)) / 255.0f;
    const Expr luma = 0.25f * pixel(x, y, 0) + 0.5f * pixel(x, y, 1) + 0.25f * pixel(x, y, 2);
    guide(x, y) = clamp(luma * luma * (3.0f - 2.0f * luma), 0.0f, 1.0f) * (depth - 1);
    const auto cell = [](const Expr &at, int count) {
        return clamp(cast<int>(floor(at)), 0, count - 2);
    };
    // k: coefficient, x: column of cells, z: depth, y: row of pixels
    const Expr v = (cast<float>(y) + 0.5f) * (float(rows - 1) / 960);
    const Expr above = cell(v, rows), share_y = clamp(v - cast<float>(above), 0.0f, 1.0f);
    const Expr column = clamp(x, 0, columns - 1);
    row_of_grid(k, x, z, y) =
        lerp(grid(k, column, z, above), grid(k, column, z, above + 1), share_y);
    const Expr u = (cast<float>(x) + 0.5f) * (float(columns - 1) / 1280);
    const Expr left = cell(u, columns), share_x = clamp(u - cast<float>(left), 0.0f, 1.0f);
    const Expr below = cell(guide(x, y), depth);
    const Expr share_z = clamp(guide(x, y) - cast<float>(below), 0.0f, 1.0f);
    const auto at = [&](const Expr &dz) {
        return lerp(row_of_grid(k, left, below + dz, y), row_of_grid(k, left + 1, below + dz, y),
                    share_x);
    };
    sliced(k, x, y) = lerp(at(0), at(1), share_z);
    const Expr mapped = sliced(4 * c, x, y) * pixel(x, y, 0) +
                        sliced(4 * c + 1, x, y) * pixel(x, y, 1) +
                        sliced(4 * c + 2, x, y) * pixel(x, y, 2) + sliced(4 * c + 3, x, y);
    out(x, y, c) = cast<uint8_t>(clamp(mapped, 0.0f, 1.0f) * 255.0f + 0.5f);
    s.output(out, sizes, 1);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // The grid is interpolated along y once for a row of pixels; the twelve coefficients of a pixel lie
        // side by side and are one and a half vectors.
        out.bound(c, 0, 3)
            .split(y, strip, row, 16, guard)
            .split(x, xo, xi, vec, guard)
            .reorder(xi, c, xo, row, strip)
            .vectorize(xi)
            .unroll(c)
            .parallel(strip);
        row_of_grid.compute_at(out, row).bound_extent(k, coefficients).vectorize(k, 4).unroll(k);
        guide.compute_at(out, xo).vectorize(x, vec);
        pixel.compute_at(out, xo).vectorize(x, vec).unroll(c);
        sliced.compute_at(out, xo).bound_extent(k, coefficients).vectorize(k, 4).unroll(k);
    });
}

// Malvar, He and Cutler 2004: linear kernels of 5x5, by the site of a mosaic of 2x2 (green, red over blue,
// green). The four sites are planes of their own.
void linear_demosaic(Subject &s) {
    const Sizes sizes{about(1280), about(1024), exactly(3)};
    const ImageParam raw = s.sized_input("raw", UInt(16), {about(1280), about(1024)}, {0, 1023});
    const Func edge = BoundaryConditions::mirror_interior(raw);
    Func site("site"), green("green"), same_row("same_row"), same_column("same_column"),
        diagonal("diagonal"), out("out");
    site(x, y) = narrow(edge(x, y));
    const auto at = [&](int dx, int dy) { return site(x + dx, y + dy); };
    const Expr cross = at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1);
    const Expr far_row = at(-2, 0) + at(2, 0), far_column = at(0, -2) + at(0, 2);
    const Expr corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1);
    const auto eighth = [](const Expr &e) { return clamp((e + 8) >> 4, 0, 1023); };
    green(x, y) = eighth(at(0, 0) * 8 + cross * 4 - (far_row + far_column) * 2);
    same_row(x, y) =
        eighth(at(0, 0) * 10 + (at(-1, 0) + at(1, 0)) * 8 - corners * 2 - far_row * 2 + far_column);
    same_column(x, y) =
        eighth(at(0, 0) * 10 + (at(0, -1) + at(0, 1)) * 8 - corners * 2 - far_column * 2 + far_row);
    diagonal(x, y) = eighth(at(0, 0) * 12 + corners * 4 - (far_row + far_column) * 3);
    const Expr even_row = y % 2 == 0, even_column = x % 2 == 0;
    const auto by_site = [&](const Expr &a, const Expr &b, const Expr &d, const Expr &e) {
        return select(even_row, select(even_column, a, b), select(even_column, d, e));
    };
    const Expr own = site(x, y), rows_mean = same_row(x, y), columns_mean = same_column(x, y);
    const Expr red = by_site(rows_mean, own, diagonal(x, y), columns_mean);
    const Expr middle = by_site(own, green(x, y), green(x, y), own);
    const Expr blue = by_site(columns_mean, diagonal(x, y), own, rows_mean);
    out(x, y, c) = cast<uint16_t>(mux(c, {red, middle, blue}));
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int16_t>();
        // Rows of sites slide. The two parities of rows are unrolled, and those of columns are two
        // vectors, woven when they are stored. A sensor's size is whole strips and vectors.
        out.bound(c, 0, 3)
            .align_bounds(x, 2)
            .align_bounds(y, 2)
            .split(y, strip, row, 32, whole)
            .split(row, yo, yi, 2)
            .split(x, xo, xi, 2 * vec, whole)
            .reorder(xi, c, yi, xo, yo, strip)
            .vectorize(xi)
            .unroll(c)
            .unroll(yi)
            .parallel(strip);
        site.store_at(out, strip).compute_at(out, yo).vectorize(x, vec);
    });
}

// A sensor whose 6x6 mosaic is a table. Each colour is the weighted mean of the sites in 5x5 that have it.
void mosaic_of_six_by_six(Subject &s) {
    const Sizes sizes{about(1280), about(1024), exactly(3)};
    const ImageParam raw = s.sized_input("raw", UInt(16), {about(1280), about(1024)}, {0, 4095});
    const ImageParam mosaic = s.sized_input("mosaic", UInt(8), {exactly(6), exactly(6)}, {0, 2});
    const Func edge = BoundaryConditions::mirror_interior(raw);
    const RDom r(-2, 5, -2, 5, "r");
    Func weight("weight"), sums("sums"), out("out");
    weight(x, y) = cast<int>(6 - x * x - y * y / 2);
    const Expr colour = mosaic((x + r.x) % 6, (y + r.y) % 6);
    const Expr share = select(colour == cast<uint8_t>(c), max(weight(r.x, r.y), 1), 0);
    sums(x, y, c) = Tuple(0, 0);
    sums(x, y, c) =
        Tuple(sums(x, y, c)[0] + share * wide(edge(x + r.x, y + r.y)), sums(x, y, c)[1] + share);
    out(x, y, c) = cast<uint16_t>(sums(x, y, c)[0] / max(sums(x, y, c)[1], 1));
    s.output(out, sizes);
}

// Floyd and Steinberg 1976: what a pixel leaves is spread over its neighbours, here gathered by them.
void error_diffusion(Subject &s) {
    const Sizes sizes{exactly(1024), exactly(768), exactly(3)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const RDom r(0, in.width(), 0, in.height(), "r");
    Func left("left"), out("out");
    left(x, y, c) = Tuple(narrow(0), cast<uint8_t>(0));
    const auto error = [&](int dx, int dy) { return left(r.x + dx, r.y + dy, c)[0]; };
    const Expr wanted =
        narrow(in(r.x, r.y, c)) +
        ((error(-1, 0) * 7 + error(1, -1) * 3 + error(0, -1) * 5 + error(-1, -1) + narrow(8)) >> 4);
    const Expr is_lit = wanted > 127;
    left(r.x, r.y, c) = Tuple(select(is_lit, wanted - narrow(255), wanted),
                              select(is_lit, cast<uint8_t>(255), cast<uint8_t>(0)));
    out(x, y, c) = left(x, y, c)[1];
    s.output(out, sizes);
}

// The nearest of 32 colours, after an ordered dither of 4x4 (Bayer 1973).
void nearest_of_a_palette(Subject &s) {
    constexpr int colours = 32;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in =
        s.sized_input("in", UInt(8), {about(1536), about(1024), exactly(3)}, {0, 255});
    const ImageParam palette =
        s.sized_input("palette", UInt(8), {exactly(colours), exactly(3)}, {0, 255});
    const ImageParam pattern =
        s.sized_input("pattern", Int(8), {exactly(4), exactly(4)}, {-12, 12});
    const RDom r(0, colours, "r");
    Func dithered("dithered"), nearest("nearest"), index("index"), distance("distance");
    dithered(x, y, c) = narrow(in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1), c)) +
                        narrow(pattern(x % 4, y % 4));
    Expr squares = 0;
    for (int channel = 0; channel < 3; channel++) {
        const Expr d = dithered(x, y, channel) - narrow(palette(r, channel));
        squares += wide(d) * d;
    }
    nearest(x, y) = Tuple(1 << 30, cast<uint8_t>(0));
    const Expr is_nearer = squares < nearest(x, y)[0];
    nearest(x, y) = Tuple(select(is_nearer, squares, nearest(x, y)[0]),
                          select(is_nearer, cast<uint8_t>(r), nearest(x, y)[1]));
    index(x, y) = nearest(x, y)[1];
    distance(x, y) = cast<uint16_t>(min(nearest(x, y)[0] / 4, 65535));
    s.output(index, sizes);
    s.output(distance, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Both outputs in one loop; the best so far stays in registers while the palette goes by.
        distance.split(y, strip, row, 16, guard)
            .split(x, xo, xi, 2 * vec, guard)
            .vectorize(xi)
            .parallel(strip);
        index.split(y, strip, row, 16, guard)
            .split(x, xo, xi, 2 * vec, guard)
            .vectorize(xi)
            .parallel(strip)
            .compute_with(distance, xo);
        nearest.compute_at(distance, xo).vectorize(x, 2 * vec);
        nearest.update().split(x, x, xi, 2 * vec).reorder(xi, r, x).vectorize(xi).unroll(r, 4);
        dithered.compute_at(distance, xo).bound_extent(c, 3).vectorize(x, 2 * vec).unroll(c);
    });
}

}  // namespace

std::vector<Entry> kinds_of_colour() {
    return {
        {"tetrahedral_colour_table", "four gathers from a table of 17x17x17 colours",
         tetrahedral_colour_table},
        {"slices_of_an_affine_grid", "a matrix per pixel, interpolated in three dimensions",
         slices_of_an_affine_grid},
        {"linear_demosaic", "four kernels of 5x5, by the parity of x and y", linear_demosaic},
        {"mosaic_of_six_by_six", "weighted means under a periodic table", mosaic_of_six_by_six},
        {"error_diffusion", "a serial scan over an image, two values at once", error_diffusion},
        {"nearest_of_a_palette", "an argument of the least over 32, two outputs",
         nearest_of_a_palette},
    };
}

}  // namespace cryolite::robustness
