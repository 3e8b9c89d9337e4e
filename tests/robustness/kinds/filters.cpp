// Filters of images: guided filters, ranks, octagons, integral images, diffusion.
#include <array>

#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), k("k"), strip("strip"), row("row"), xo("xo"), xi("xi"), yo("yo"),
    yi("yi");
constexpr auto guard = TailStrategy::GuardWithIf;

Expr wide(const Expr &e) { return cast<int>(e); }
Expr byte(const Expr &e) { return cast<uint8_t>(clamp(e, 0, 255)); }

// The sums of a Tuple's elements over a window, one dimension at a time.
Func window_sums(const std::string &name, const Func &in, const RDom &r, bool is_along_x) {
    Func out(name);
    std::vector<Expr> zeros, sums;
    for (const Type &t : in.types()) zeros.push_back(cast(t, 0));
    out(x, y) = Tuple(zeros);
    for (int i = 0; i < static_cast<int>(zeros.size()); i++)
        sums.push_back(out(x, y)[i] + (is_along_x ? in(x + r, y)[i] : in(x, y + r)[i]));
    out(x, y) = Tuple(sums);
    return out;
}

// He, Sun and Tang 2010, with a grey guide. Windows of 17x17.
void guided_filter(Subject &s) {
    constexpr int radius = 8, side = 2 * radius + 1;
    constexpr float count = side * side, epsilon = 25;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam guide = s.sized_input("guide", UInt(8), sizes, {0, 255});
    const ImageParam matte = s.sized_input("matte", UInt(8), sizes, {0, 255});
    const Func i = BoundaryConditions::repeat_edge(guide),
               p = BoundaryConditions::repeat_edge(matte);
    const RDom r(-radius, side, "r");
    Func products("products"), line("line"), out("out");
    products(x, y) =
        Tuple(wide(i(x, y)), wide(p(x, y)), wide(i(x, y)) * i(x, y), wide(i(x, y)) * p(x, y));
    Func columns = window_sums("columns", products, r, false);
    Func sums = window_sums("sums", columns, r, true);
    const Expr mean_i = sums(x, y)[0] / count, mean_p = sums(x, y)[1] / count;
    const Expr variance = sums(x, y)[2] / count - mean_i * mean_i;
    const Expr slope = (sums(x, y)[3] / count - mean_i * mean_p) / (variance + epsilon);
    line(x, y) = Tuple(slope, mean_p - slope * mean_i);
    Func line_columns = window_sums("line_columns", line, r, false);
    Func line_sums = window_sums("line_sums", line_columns, r, true);
    const Expr value = (line_sums(x, y)[0] * i(x, y) + line_sums(x, y)[1]) / count;
    out(x, y) = byte(wide(floor(value + 0.5f)));
    s.output(out, sizes, 1);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // Down a strip the lines slide in a ring of 17 rows.
        out.split(y, strip, row, 64, guard).parallel(strip).vectorize(x, vec, guard);
        line_sums.compute_at(out, x).vectorize(x, vec);
        line_sums.update().vectorize(x, vec).unroll(r);
        line_columns.compute_at(out, row).vectorize(x, vec);
        line_columns.update().vectorize(x, vec).unroll(r);
        line.store_at(out, strip).compute_at(out, row).vectorize(x, vec);
        sums.compute_at(line, x).vectorize(x, vec);
        sums.update().vectorize(x, vec).unroll(r);
        columns.compute_at(line, y).vectorize(x, vec);
        columns.update().vectorize(x, vec).unroll(r);
    });
}

// The same with a guide in colour: every window solves a system of three by three.
void colour_guided_filter(Subject &s) {
    constexpr int radius = 4, side = 2 * radius + 1, moments = 13;
    constexpr float count = side * side, epsilon = 100;
    const ImageParam guide =
        s.sized_input("guide", UInt(8), {about(1024), about(768), exactly(3)}, {0, 255});
    const ImageParam matte = s.sized_input("matte", UInt(8), {about(1024), about(768)}, {0, 255});
    const Func p = BoundaryConditions::repeat_edge(matte);
    const Func i = BoundaryConditions::repeat_edge(
        guide, {{0, guide.width()}, {0, guide.height()}, {Expr(), Expr()}});
    const RDom r(-radius, side, "r");
    Func products("products"), columns("columns"), sums("sums"), line("line"), out("out");
    const Expr red = wide(i(x, y, 0)), green = wide(i(x, y, 1)), blue = wide(i(x, y, 2)),
               value = wide(p(x, y));
    products(x, y, k) =
        mux(k, {red, green, blue, value, red * value, green * value, blue * value, red * red,
                red * green, red * blue, green * green, green * blue, blue * blue});
    columns(x, y, k) = 0;
    columns(x, y, k) += products(x, y + r, k);
    sums(x, y, k) = 0;
    sums(x, y, k) += columns(x + r, y, k);
    const auto mean = [&](int m) { return sums(x, y, m) / count; };
    const auto covariance = [&](int m, int a, int b) { return mean(m) - mean(a) * mean(b); };
    const Expr a = covariance(7, 0, 0) + epsilon, b = covariance(8, 0, 1), c = covariance(9, 0, 2),
               d = covariance(10, 1, 1) + epsilon, e = covariance(11, 1, 2),
               f = covariance(12, 2, 2) + epsilon;
    const Expr right[] = {covariance(4, 0, 3), covariance(5, 1, 3), covariance(6, 2, 3)};
    const Expr aa = d * f - e * e, ab = c * e - b * f, ac = b * e - c * d, bb = a * f - c * c,
               bc = b * c - a * e, cc = a * d - b * b;
    const Expr scale = 1.0f / (a * aa + b * ab + c * ac);
    const Expr slope[] = {(aa * right[0] + ab * right[1] + ac * right[2]) * scale,
                          (ab * right[0] + bb * right[1] + bc * right[2]) * scale,
                          (ac * right[0] + bc * right[1] + cc * right[2]) * scale};
    line(x, y) = Tuple(slope[0], slope[1], slope[2],
                       mean(3) - slope[0] * mean(0) - slope[1] * mean(1) - slope[2] * mean(2));
    Func line_columns = window_sums("line_columns", line, r, false);
    Func line_sums = window_sums("line_sums", line_columns, r, true);
    const Expr smooth = (line_sums(x, y)[0] * red + line_sums(x, y)[1] * green +
                         line_sums(x, y)[2] * blue + line_sums(x, y)[3]) /
                        count;
    out(x, y) = byte(wide(floor(smooth + 0.5f)));
    s.output(out, {about(1024), about(768)}, 1);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        out.split(y, strip, row, 64, guard).parallel(strip).vectorize(x, vec, guard);
        line_sums.compute_at(out, x).vectorize(x, vec);
        line_sums.update().vectorize(x, vec).unroll(r);
        line_columns.compute_at(out, row).vectorize(x, vec);
        line_columns.update().vectorize(x, vec).unroll(r);
        line.store_at(out, strip).compute_at(out, row).vectorize(x, vec);
        sums.compute_at(line, x).bound_extent(k, moments).vectorize(x, vec).unroll(k);
        sums.update().reorder(r, x, k, y).vectorize(x, vec).unroll(r).unroll(k);
        columns.compute_at(line, y).bound_extent(k, moments).reorder(k, x, y).vectorize(x, vec);
        columns.unroll(k).update().reorder(k, r, x, y).vectorize(x, vec).unroll(k);
    });
}

void exchange(Expr &low, Expr &high) {
    const Expr lower = min(low, high);
    high = max(low, high);
    low = lower;
}

using Five = std::array<Expr, 5>;

// The nine exchanges of the least network for five values.
void sort_five(Five &v) {
    constexpr size_t pairs[][2] = {{0, 3}, {1, 4}, {0, 2}, {1, 3}, {0, 1},
                                   {2, 4}, {1, 2}, {3, 4}, {2, 3}};
    for (const auto &[low, high] : pairs) exchange(v[low], v[high]);
}

// Columns are sorted, then rows. An element is then at least all above and left of it and at most all below
// and right of it. Thirteen can have the rank in the middle, and their median is that of all. It is found by
// forgetting the least and the greatest of just so many that these cannot be the median.
void median_of_twenty_five(Subject &s) {
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func sorted("sorted"), out("out");
    Five column;
    for (int j = 0; j < 5; j++) column[static_cast<size_t>(j)] = edge(x, y + j - 2);
    sort_five(column);
    sorted(x, y) = Tuple(std::vector<Expr>(column.begin(), column.end()));
    std::vector<Expr> candidates;
    for (int i = 0; i < 5; i++) {
        Five ranks;
        for (int j = 0; j < 5; j++) ranks[static_cast<size_t>(j)] = sorted(x + j - 2, y)[i];
        sort_five(ranks);
        for (int j = 0; j < 5; j++)
            if ((i + 1) * (j + 1) <= 13 && (5 - i) * (5 - j) <= 13)
                candidates.push_back(ranks[static_cast<size_t>(j)]);
    }
    std::vector<Expr> kept(candidates.begin(), candidates.begin() + 8);
    for (size_t next = 8;; next++) {
        for (size_t i = 1; i < kept.size(); i++) exchange(kept[0], kept[i]);
        for (size_t i = 1; i + 1 < kept.size(); i++) exchange(kept[i], kept.back());
        kept.erase(kept.begin());
        kept.pop_back();
        if (next == candidates.size()) break;
        kept.push_back(candidates[next]);
    }
    out(x, y) = kept[0];
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<uint8_t>();
        // Two rows of sorted columns at a time stay in the first level.
        out.split(y, strip, row, 32, guard)
            .split(row, yo, yi, 2, guard)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::ShiftInwards);
        sorted.store_at(out, strip).compute_at(out, yo).vectorize(x, vec);
    });
}

// The least or greatest of `length` pixels in a row along a direction, by doubling.
Func line_rank(const Func &in, int dx, int dy, int length, bool is_least, int number) {
    const auto choose = [&](const Expr &a, const Expr &b) {
        return is_least ? min(a, b) : max(a, b);
    };
    Func span = in;
    int reached = 1;
    for (int step = 0; reached < length; step++) {
        const int shift = std::min(reached, length - reached);
        const int centre = step == 0 ? -(length / 2) : 0;
        Func next("line" + std::to_string(number) + "_" + std::to_string(step));
        next(x, y) = choose(span(x + centre * dx, y + centre * dy),
                            span(x + (centre + shift) * dx, y + (centre + shift) * dy));
        span = next;
        reached += shift;
    }
    return span;
}

// Morphological opening: eroded, then dilated, each by four lines that make an octagon.
void opening_by_an_octagon(Subject &s) {
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    Func last = BoundaryConditions::repeat_edge(in);
    int number = 0;
    for (const bool is_least : {true, false}) {
        last = line_rank(last, 1, 0, 9, is_least, number++);
        last = line_rank(last, 0, 1, 9, is_least, number++);
        last = line_rank(last, 1, 1, 7, is_least, number++);
        last = line_rank(last, 1, -1, 7, is_least, number++);
    }
    s.output(last, sizes);
}

// Niblack's threshold over 31x31 by integral images of the values and their squares. Sums wrap: what a window
// takes of them is right modulo 2^32.
void adaptive_threshold(Subject &s) {
    constexpr int radius = 15;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const RDom down(1, in.height() - 1, "down"), right(1, in.width() - 1, "right");
    Func columns("columns"), integral("integral"), out("out");
    const Expr value = cast<uint32_t>(in(x, y));
    columns(x, y) = Tuple(value, value * value);
    columns(x, down) = Tuple(columns(x, down)[0] + columns(x, down - 1)[0],
                             columns(x, down)[1] + columns(x, down - 1)[1]);
    integral(x, y) = Tuple(columns(x, y)[0], columns(x, y)[1]);
    integral(right, y) = Tuple(integral(right, y)[0] + integral(right - 1, y)[0],
                               integral(right, y)[1] + integral(right - 1, y)[1]);
    const Expr last_x = in.width() - 1, last_y = in.height() - 1;
    const Expr x0 = clamp(x - radius - 1, -1, last_x), x1 = clamp(x + radius, 0, last_x),
               y0 = clamp(y - radius - 1, -1, last_y), y1 = clamp(y + radius, 0, last_y);
    const auto corner = [&](const Expr &i, const Expr &j, int which) {
        return select(i < 0 || j < 0, cast<uint32_t>(0), integral(max(i, 0), max(j, 0))[which]);
    };
    const auto window = [&](int which) {
        return corner(x1, y1, which) - corner(x0, y1, which) - corner(x1, y0, which) +
               corner(x0, y0, which);
    };
    const Expr count = cast<int64_t>((x1 - x0) * (y1 - y0));
    const Expr sum_of = cast<int64_t>(window(0)), squares = cast<int64_t>(window(1));
    const Expr pixel = BoundaryConditions::repeat_edge(in)(x, y);
    const Expr over = cast<int64_t>(pixel) * count - sum_of;  // the mean, times count
    const Expr spread = squares * count - sum_of * sum_of;    // the variance, times count^2
    // Brighter than the mean less a fifth of the deviation.
    out(x, y) =
        select(over >= 0 || over * over * 25 < spread, cast<uint8_t>(255), cast<uint8_t>(0));
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<uint32_t>();
        // Sums down run by vectors in bands of columns. Sums to the right are four chains at once.
        columns.compute_root().split(y, strip, row, 64, guard).parallel(strip).vectorize(x, vec);
        columns.update()
            .split(x, xo, xi, 16 * vec, guard)
            .reorder(xi, down, xo)
            .vectorize(xi, vec)
            .parallel(xo);
        integral.compute_root().split(y, strip, row, 64, guard).parallel(strip).vectorize(x, vec);
        integral.update()
            .split(y, strip, row, 64, guard)
            .split(row, yo, yi, 4, guard)
            .reorder(yi, right, yo, strip)
            .unroll(yi)
            .parallel(strip);
        out.split(y, strip, row, 32, guard).parallel(strip).vectorize(x, 2 * vec, guard);
    });
}

// Perona and Malik 1990: eight steps, the conductance of a difference from a table.
void edge_preserving_diffusion(Subject &s) {
    constexpr int steps = 8, entries = 256;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const ImageParam table = s.sized_input("conductance", Int(16), {exactly(entries)}, {0, 255});
    Func last("first"), out("out");
    last(x, y) = cast<int16_t>(BoundaryConditions::repeat_edge(in)(x, y)) << 4;
    for (int i = 0; i < steps; i++) {
        const auto flow = [&](int dx, int dy) {
            const Expr difference = wide(last(x + dx, y + dy)) - last(x, y);
            return difference * table(clamp(wide(abs(difference)) >> 4, 0, entries - 1));
        };
        Func next("step" + std::to_string(i));
        const Expr all = flow(-1, 0) + flow(1, 0) + flow(0, -1) + flow(0, 1);
        next(x, y) = last(x, y) + cast<int16_t>(all >> 10);
        last = next;
    }
    out(x, y) = byte((wide(last(x, y)) + 8) >> 4);
    s.output(out, sizes);
}

}  // namespace

std::vector<Entry> kinds_of_filters() {
    return {
        {"guided_filter", "four box sums, a line per pixel, two box sums", guided_filter},
        {"colour_guided_filter", "thirteen box sums, a solve per pixel", colour_guided_filter},
        {"median_of_twenty_five", "a network on shared sorted columns", median_of_twenty_five},
        {"opening_by_an_octagon", "spans in four directions by doubling", opening_by_an_octagon},
        {"adaptive_threshold", "integral images by scans both ways", adaptive_threshold},
        {"edge_preserving_diffusion", "eight steps that look up a table",
         edge_preserving_diffusion},
    };
}

}  // namespace cryolite::robustness
