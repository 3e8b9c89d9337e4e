// Computer vision: flow, edges, corners, votes, gradients in cells, stereo, templates.
#include <array>
#include <cmath>

#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), k("k"), d("d"), strip("strip"), row("row"), xo("xo"), xi("xi"), yo("yo"),
    yi("yi");
constexpr auto guard = TailStrategy::GuardWithIf;

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }
Expr wide(const Expr &e) { return cast<int>(e); }
Expr narrow(const Expr &e) { return cast<int16_t>(e); }

// Seven values around 0 added up.
template <typename F>
Expr seven(const F &value) {
    return value(-3) + value(-2) + value(-1) + value(0) + value(1) + value(2) + value(3);
}

// Lucas and Kanade 1981: in windows of 7x7 the shift that explains the change best.
void lucas_kanade_step(Subject &s) {
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam before = s.sized_input("before", UInt(8), sizes, {0, 255});
    const ImageParam after = s.sized_input("after", UInt(8), sizes, {0, 255});
    const Func a = BoundaryConditions::repeat_edge(before),
               b = BoundaryConditions::repeat_edge(after);
    Func gradient("gradient"), products("products"), columns("columns"), flow("flow");
    const auto both = [&](int dx, int dy) {
        return narrow(a(x + dx, y + dy)) + narrow(b(x + dx, y + dy));
    };
    gradient(x, y) = Tuple(both(1, 0) - both(-1, 0), both(0, 1) - both(0, -1),
                           (narrow(b(x, y)) - narrow(a(x, y))) * narrow(4));
    const Expr gx = wide(gradient(x, y)[0]), gy = wide(gradient(x, y)[1]),
               gt = wide(gradient(x, y)[2]);
    products(x, y) = Tuple(gx * gx, gx * gy, gy * gy, gx * gt, gy * gt);
    std::vector<Expr> down, all;
    for (int i = 0; i < 5; i++) down.push_back(seven([&](int j) { return products(x, y + j)[i]; }));
    columns(x, y) = Tuple(down);
    for (int i = 0; i < 5; i++)
        all.push_back(cast<float>(seven([&](int j) { return columns(x + j, y)[i]; })) / 65536.0f);
    const Expr determinant = all[0] * all[2] - all[1] * all[1] + 1e-3f;
    flow(x, y) = Tuple((all[1] * all[4] - all[2] * all[3]) / determinant,
                       (all[1] * all[3] - all[0] * all[4]) / determinant);
    s.output(flow, sizes, 0.02);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Gradients slide down a strip; their products are made while a row of windows is added up.
        flow.split(y, strip, row, 64, guard).parallel(strip).vectorize(x, vec, guard);
        columns.compute_at(flow, row).vectorize(x, vec);
        gradient.store_at(flow, strip).compute_at(flow, row).vectorize(x, 2 * vec);
    });
}

// Horn and Schunck 1981: sixteen steps towards a smooth flow of two components.
void horn_schunck(Subject &s) {
    constexpr int steps = 16;
    const Sizes sizes{about(640), about(480)};
    const ImageParam before = s.sized_input("before", UInt(8), sizes, {0, 255});
    const ImageParam after = s.sized_input("after", UInt(8), sizes, {0, 255});
    const Func a = BoundaryConditions::repeat_edge(before),
               b = BoundaryConditions::repeat_edge(after);
    Func derivative("derivative"), flow("first");
    const auto sum_of = [&](const Func &f, int dx, int dy) {
        return cast<float>(f(x + dx, y + dy));
    };
    const auto cube = [&](int sx, int sy, int st) {
        Expr value = 0.0f;
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                for (int t = 0; t < 2; t++) {
                    const bool is_negative = (sx && !i) || (sy && !j) || (st && !t);
                    const Expr one = sum_of(t ? b : a, i, j);
                    value = is_negative ? value - one : value + one;
                }
        return value * 0.25f;
    };
    derivative(x, y) = Tuple(cube(1, 0, 0), cube(0, 1, 0), cube(0, 0, 1));
    flow(x, y) = Tuple(0.0f, 0.0f);
    for (int i = 0; i < steps; i++) {
        const auto mean = [&](int which) {
            const auto at = [&](int dx, int dy) { return flow(x + dx, y + dy)[which]; };
            return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 6.0f +
                   (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) / 12.0f;
        };
        const Expr gx = derivative(x, y)[0], gy = derivative(x, y)[1], gt = derivative(x, y)[2];
        const Expr u = mean(0), v = mean(1);
        const Expr share = (gx * u + gy * v + gt) / (gx * gx + gy * gy + 100.0f);
        Func next = numbered("flow", i);
        next(x, y) = Tuple(u - gx * share, v - gy * share);
        flow = next;
    }
    s.output(flow, sizes, 0.02);
}

struct Gradients {
    Func across, down;
};

// Sobel's, of what is smoothed before in fixed point.
Gradients sobel(const Func &f) {
    Gradients g{Func("across"), Func("down")};
    const auto at = [&](int dx, int dy) { return narrow(f(x + dx, y + dy)); };
    g.across(x, y) = at(1, -1) + at(1, 0) * 2 + at(1, 1) - at(-1, -1) - at(-1, 0) * 2 - at(-1, 1);
    g.down(x, y) = at(-1, 1) + at(0, 1) * 2 + at(1, 1) - at(-1, -1) - at(0, -1) * 2 - at(1, -1);
    return g;
}

// Canny 1986: what is greatest across its edge, and three rounds in which the strong take on the weak.
void canny_edges(Subject &s) {
    constexpr int weak = 120, strong = 260, rounds = 3;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func columns("columns"), smooth("smooth"), size("size"), thin("thin"), out("out");
    const auto binomial = [](const auto &value) {
        return value(-2) + value(2) + (value(-1) + value(1)) * 4 + value(0) * 6;
    };
    columns(x, y) = binomial([&](int j) { return cast<uint16_t>(edge(x, y + j)); });
    const Expr sum_of = binomial([&](int i) { return columns(x + i, y); });  // at most 255 * 256
    smooth(x, y) = cast<uint8_t>((sum_of + cast<uint16_t>(128)) >> 8);
    const Gradients g = sobel(smooth);
    size(x, y) = abs(g.across(x, y)) + abs(g.down(x, y));
    const Expr across = wide(abs(g.across(x, y))), down = wide(abs(g.down(x, y)));
    // The tangent of 22.5 degrees is 53 / 128.
    const Expr is_flat = down * 128 < across * 53, is_steep = across * 128 < down * 53;
    const Expr is_rising = (g.across(x, y) > 0) == (g.down(x, y) > 0);
    const auto pair = [&](int dx, int dy) {
        return max(size(x + dx, y + dy), size(x - dx, y - dy));
    };
    const Expr rival =
        select(is_flat, pair(1, 0), is_steep, pair(0, 1), is_rising, pair(1, 1), pair(1, -1));
    const Expr is_peak = size(x, y) >= rival;
    thin(x, y) = select(is_peak && size(x, y) > strong, cast<uint8_t>(2),
                        is_peak && size(x, y) > weak, cast<uint8_t>(1), cast<uint8_t>(0));
    Func last = thin;
    for (int i = 0; i < rounds; i++) {
        Func most = numbered("most", i), next = numbered("kept", i);
        most(x, y) = max(last(x - 1, y), max(last(x, y), last(x + 1, y)));
        const Expr around = max(most(x, y - 1), max(most(x, y), most(x, y + 1)));
        next(x, y) = select(last(x, y) == 1 && around == 2, cast<uint8_t>(2), last(x, y));
        last = next;
    }
    out(x, y) = select(last(x, y) == 2, cast<uint8_t>(255), cast<uint8_t>(0));
    s.output(out, sizes);
}

// Rosten and Drummond 2006: nine of sixteen pixels on a circle brighter or darker by more than t. The score
// is the greatest such t; what is not greatest in 3x3 is dropped.
void fast_corners(Subject &s) {
    constexpr size_t circle = 16;
    constexpr int threshold = 20;
    constexpr std::array<std::array<int, 2>, circle> at = {{{0, -3},
                                                            {1, -3},
                                                            {2, -2},
                                                            {3, -1},
                                                            {3, 0},
                                                            {3, 1},
                                                            {2, 2},
                                                            {1, 3},
                                                            {0, 3},
                                                            {-1, 3},
                                                            {-2, 2},
                                                            {-3, 1},
                                                            {-3, 0},
                                                            {-3, -1},
                                                            {-2, -2},
                                                            {-1, -3}}};
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func score("score"), out("out");
    std::vector<Expr> brighter, darker;  // by how much, from none
    const Expr centre = edge(x, y);
    for (const auto &[dx, dy] : at) {
        const Expr other = edge(x + dx, y + dy);
        brighter.push_back(max(other, centre) - centre);
        darker.push_back(centre - min(other, centre));
    }
    // The least of nine in a row, by doubling; the greatest of these.
    const auto best_arc = [&](std::vector<Expr> least) {
        const std::vector<Expr> single = least;
        for (size_t reach = 1; reach < 8; reach *= 2) {
            const std::vector<Expr> half = least;
            for (size_t i = 0; i < circle; i++) least[i] = min(half[i], half[(i + reach) % circle]);
        }
        Expr best = cast<uint8_t>(0);
        for (size_t i = 0; i < circle; i++)
            best = max(best, min(least[i], single[(i + 8) % circle]));
        return best;
    };
    score(x, y) = max(best_arc(brighter), best_arc(darker));
    Expr around = cast<uint8_t>(0);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) around = max(around, score(x + dx, y + dy));
    out(x, y) =
        select(score(x, y) > threshold && score(x, y) >= around, score(x, y), cast<uint8_t>(0));
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<uint8_t>();
        // Bytes throughout; scores slide in a ring of rows.
        out.split(y, strip, row, 64, guard).parallel(strip).vectorize(x, vec, guard);
        score.store_at(out, strip).compute_at(out, row).vectorize(x, vec);
    });
}

// Duda and Hart 1972: every edge pixel votes for 180 lines; peaks of the votes are kept.
void hough_votes(Subject &s) {
    constexpr int width = 512, height = 384, angles = 180, distances = 1280, one = 1 << 14;
    const ImageParam edges =
        s.sized_input("edges", UInt(8), {exactly(width), exactly(height)}, {0, 255});
    Buffer<int> cosines(angles), sines(angles);
    for (int i = 0; i < angles; i++) {
        const double angle = i * 3.14159265358979323846 / angles;
        cosines(i) = static_cast<int>(std::lround(one * std::cos(angle)));
        sines(i) = static_cast<int>(std::lround(one * std::sin(angle)));
    }
    RDom r(0, width, 0, height, "r");
    r.where(edges(r.x, r.y) > 230);
    Func turn("turn"), votes("votes"), out("out");
    turn(y) = Tuple(cosines(clamp(y, 0, angles - 1)), sines(clamp(y, 0, angles - 1)));
    // x: distance of a line from the origin, y: angle
    const Expr distance = ((r.x * turn(y)[0] + r.y * turn(y)[1]) >> 14) + distances / 2;
    votes(x, y) = 0;
    votes(clamp(distance, 0, distances - 1), y) += 1;
    const auto at = [&](int dx, int dy) { return votes(x + dx, clamp(y + dy, 0, angles - 1)); };
    Expr around = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) around = max(around, at(dx, dy));
    out(x, y) = select(at(0, 0) > around, at(0, 0), 0);
    s.output(out, {exactly(distances - 2, 1), exactly(angles)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Angles have rows of their own to vote in. A task's 48 angles take a pixel at once, their places by
        // vectors, so that it is looked at few times and the votes stay in the second level.
        turn.compute_root();
        votes.compute_root().parallel(y, 4).vectorize(x, vec);
        votes.update()
            .split(y, yo, yi, 48, guard)
            .split(yi, yi, xi, vec, guard)
            .reorder(xi, yi, r.x, r.y, yo)
            .vectorize(xi)
            .parallel(yo);
        out.split(y, yo, yi, 12, guard).parallel(yo).vectorize(x, vec, guard);
    });
}

// Dalal and Triggs 2005: gradients vote by their size for one of nine directions in cells of 8x8; blocks of
// 2x2 cells are normalised.
void oriented_gradients(Subject &s) {
    constexpr int directions = 9, side = 8;
    const ImageParam in = s.sized_input("in", UInt(8), {about(640), about(480)}, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    const RDom r(0, side, 0, side, "r"), bins(0, directions, "bins");
    Func gradient("gradient"), cell("cell"), energy("energy"), out("out");
    const Expr gx = narrow(edge(x + 1, y)) - narrow(edge(x - 1, y)),
               gy = narrow(edge(x, y + 1)) - narrow(edge(x, y - 1));
    // Upwards; the direction is the count of bounds, at 20 degrees each, that it lies beyond.
    const Expr is_down = gy < 0 || (gy == 0 && gx < 0);
    const Expr up_x = wide(select(is_down, -gx, gx)), up_y = wide(select(is_down, -gy, gy));
    Expr direction = cast<uint8_t>(0);
    for (int i = 1; i < directions; i++) {
        const double angle = i * 3.14159265358979323846 / directions;
        const int c = static_cast<int>(std::lround(4096 * std::cos(angle))),
                  t = static_cast<int>(std::lround(4096 * std::sin(angle)));
        direction += cast<uint8_t>(up_y * c >= up_x * t);
    }
    gradient(x, y) = Tuple(abs(gx) + abs(gy), direction);
    const auto element = [&](int which) { return gradient(x * side + r.x, y * side + r.y)[which]; };
    cell(k, x, y) = 0;
    cell(clamp(wide(element(1)), 0, directions - 1), x, y) += wide(element(0));
    energy(x, y) = 0.0f;
    const Expr votes = cast<float>(cell(bins, x, y));
    energy(x, y) += votes * votes;
    const Expr length =
        sqrt(energy(x, y) + energy(x + 1, y) + energy(x, y + 1) + energy(x + 1, y + 1) + 1.0f);
    const Expr which = k / directions, bin = k % directions;
    const Expr value = cast<float>(cell(bin, x + which % 2, y + which / 2)) / length;
    out(k, x, y) = min(value, 0.2f);
    s.output(out, {exactly(4 * directions), about(79), about(59)}, 1e-4);
}

// Along each scanline both ways the cheapest sequence of disparities, after census transforms (Zabih and
// Woodfill 1994) of 5x5.
void scanline_stereo(Subject &s) {
    constexpr int width = 448, height = 320, disparities = 48, penalty = 3;
    const Sizes sizes{exactly(width), exactly(height)};
    const ImageParam left = s.sized_input("left", UInt(8), sizes, {0, 255});
    const ImageParam right = s.sized_input("right", UInt(8), sizes, {0, 255});
    const auto census = [](const ImageParam &in, const std::string &name) {
        const Func edge = BoundaryConditions::repeat_edge(in);
        Expr bits = cast<uint32_t>(0);
        int next = 0;
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++)
                if (dx != 0 || dy != 0)
                    bits += select(edge(x + dx, y + dy) < edge(x, y), cast<uint32_t>(1 << next++),
                                   cast<uint32_t>(0));
        Func out(name);
        out(x, y) = bits;
        return out;
    };
    const Func a = census(left, "census_left"), b = census(right, "census_right");
    Func cost("cost"), forward("forward"), backward("backward"), best("best"), out("out");
    cost(d, x, y) = cast<uint16_t>(popcount(a(x, y) ^ b(max(x - d, 0), y)));
    const RDom r(0, disparities, 1, width - 1, "r"), all(0, disparities, "all");
    const auto step = [&](Func path, const Expr &at, const Expr &from) {
        const auto one_off = [&](int by) {
            return path(clamp(r.x + by, 0, disparities - 1), from, y) + cast<uint16_t>(penalty);
        };
        path(d, x, y) = cost(d, x, y);
        path(r.x, at, y) += min(path(r.x, from, y), min(one_off(-1), one_off(1)));
    };
    step(forward, r.y, r.y - 1);
    step(backward, width - 1 - r.y, width - r.y);
    best(x, y) = Tuple(cast<uint16_t>(65535), cast<uint8_t>(0));
    const Expr sum_of = forward(all, x, y) + backward(all, x, y) - cost(all, x, y);
    const Expr is_better = sum_of < best(x, y)[0];
    best(x, y) = Tuple(select(is_better, sum_of, best(x, y)[0]),
                       select(is_better, cast<uint8_t>(all), best(x, y)[1]));
    out(x, y) = best(x, y)[1];
    s.output(out, sizes);
}

// The sum of absolute differences of a template of 16x16 at every place, and the least of neighbours.
void template_correlation(Subject &s) {
    constexpr int side = 16;
    const ImageParam in = s.sized_input("in", UInt(8), {about(640), about(480)}, {0, 255});
    const ImageParam pattern =
        s.sized_input("pattern", UInt(8), {exactly(side), exactly(side)}, {0, 255});
    const RDom r(0, side, 0, side, "r");
    Func edge = BoundaryConditions::repeat_edge(in);
    Func difference("difference"), out("out");
    difference(x, y) = cast<uint16_t>(0);
    difference(x, y) +=
        cast<uint16_t>(absd(edge(x + r.x - side / 2, y + r.y - side / 2), pattern(r.x, r.y)));
    const auto at = [&](int dx, int dy) { return difference(x + dx, y + dy); };
    const Expr least = min(min(at(-1, 0), at(1, 0)), min(at(0, -1), at(0, 1)));
    out(x, y) = select(at(0, 0) <= least, at(0, 0), cast<uint16_t>(65535));
    s.output(out, {about(640), about(480)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<uint16_t>();
        // Four rows of two vectors of sums stay in registers while the template goes by. The padded rows
        // are copied once per strip.
        out.split(y, strip, row, 32, guard).parallel(strip).vectorize(x, vec, guard);
        Func padded = edge.in(difference);
        padded.compute_at(out, strip).vectorize(padded.args()[0], 2 * vec);
        difference.compute_at(out, strip)
            .tile(x, y, xi, yi, 2 * vec, 4)
            .vectorize(xi, vec)
            .unroll(xi)
            .unroll(yi);
        difference.update()
            .tile(x, y, xo, yo, xi, yi, 2 * vec, 4)
            .reorder(xi, yi, r.x, r.y, xo, yo)
            .vectorize(xi, vec)
            .unroll(xi)
            .unroll(yi);
    });
}

}  // namespace

std::vector<Entry> kinds_of_vision() {
    return {
        {"lucas_kanade_step", "five window sums and a solve of two by two", lucas_kanade_step},
        {"horn_schunck", "sixteen steps of two components", horn_schunck},
        {"canny_edges", "suppression by direction, three rounds of hysteresis", canny_edges},
        {"fast_corners", "a segment test on bytes, then suppression", fast_corners},
        {"hough_votes", "180 scattered votes per edge pixel", hough_votes},
        {"oriented_gradients", "weighted votes in cells of 8x8", oriented_gradients},
        {"scanline_stereo", "two scans over a volume of costs", scanline_stereo},
        {"template_correlation", "sums over 16x16 at every place", template_correlation},
    };
}

}  // namespace cryolite::robustness
