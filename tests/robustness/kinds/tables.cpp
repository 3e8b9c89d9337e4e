// Stacks of images that an index chooses from, interpreters, histograms as tables, embeddings.
#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c"), k("k"), z("z"), strip("strip"), row("row"), xo("xo"), xi("xi"),
    u("u");
constexpr auto guard = TailStrategy::GuardWithIf;

Expr wide(const Expr &e) { return cast<int>(e); }
Expr byte(const Expr &e) { return cast<uint8_t>(clamp(e, 0, 255)); }

Expr middle_of_three(const Expr &a, const Expr &b, const Expr &d) {
    return max(min(a, b), min(max(a, b), d));
}

// Of eight exposures at different focus, each pixel takes that which is sharpest around it.
void focus_stack(Subject &s) {
    constexpr int layers = 8;
    const ImageParam stack =
        s.sized_input("stack", UInt(8), {about(1024), about(768), exactly(layers)}, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(
        stack, {{0, stack.width()}, {0, stack.height()}, {Expr(), Expr()}});
    const RDom r(0, layers, "r");
    Func detail("detail"), columns("columns"), sharpest("sharpest"), index("index"), out("out");
    const auto at = [&](int dx, int dy) { return cast<int16_t>(edge(x + dx, y + dy, z)); };
    detail(x, y, z) =
        cast<uint16_t>(abs(at(0, 0) * 4 - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1)));
    const auto five = [](const auto &value) {
        return value(-2) + value(-1) + value(0) + value(1) + value(2);
    };
    columns(x, y, z) = five([&](int d) { return detail(x, y + d, z); });
    const Expr energy = five([&](int d) { return columns(x + d, y, r); });
    sharpest(x, y) = Tuple(cast<uint16_t>(0), cast<uint8_t>(0));
    const Expr is_sharper = energy > sharpest(x, y)[0];
    sharpest(x, y) = Tuple(select(is_sharper, energy, sharpest(x, y)[0]),
                           select(is_sharper, cast<uint8_t>(r), sharpest(x, y)[1]));
    const auto chosen = [&](int dx) { return sharpest(x + dx, y)[1]; };
    index(x, y) = middle_of_three(chosen(-1), chosen(0), chosen(1));
    out(x, y) = edge(x, y, clamp(wide(index(x, y)), 0, layers - 1));
    s.output(out, {about(1024), about(768)});
    s.output(index, {about(1024), about(768)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<uint16_t>();
        // A strip takes layer after layer, whose details slide down it.
        index.compute_root()
            .split(y, strip, row, 32, guard)
            .parallel(strip)
            .vectorize(x, 2 * vec, guard);
        sharpest.compute_at(index, strip).vectorize(x, vec);
        sharpest.update().reorder(x, y, r).vectorize(x, vec);
        columns.compute_at(sharpest, y).vectorize(x, vec);
        detail.store_at(sharpest, r).compute_at(sharpest, y).vectorize(x, vec);
        out.split(y, strip, row, 32, guard).parallel(strip).vectorize(x, vec, guard);
    });
}

// Sixteen instructions on four registers per pixel. Which instruction, and on which registers, is data.
void register_machine(Subject &s) {
    constexpr int registers = 4, steps = 16;
    const Sizes sizes{about(1024), about(768), exactly(3)};
    const ImageParam in = s.input("in", UInt(8), 3, {0, 255});
    const ImageParam program =
        s.sized_input("program", UInt(8), {exactly(4), exactly(steps)}, {0, 31});
    const RDom r(0, steps, "r");
    Func state("state"), out("out");
    const auto narrow = [](const Expr &e) { return cast<int16_t>(e); };
    state(x, y, k) =
        mux(k, {narrow(in(x, y, 0)), narrow(in(x, y, 1)), narrow(in(x, y, 2)), narrow(128)});
    const auto field = [&](int i) { return clamp(wide(program(i, r)) % registers, 0, 3); };
    const Expr a = state(x, y, field(1)), b = state(x, y, field(2));
    // Kept in 13 bits, so that no sum overflows.
    const auto kept = [](const Expr &e) { return clamp(e, -4096, 4095); };
    const Expr product = narrow(kept((wide(a) * b) >> 8));
    state(x, y, field(3)) =
        mux(wide(program(0, r)) % 8,
            {kept(a + b), kept(a - b), product, max(a, b), min(a, b), kept(narrow(abs(a - b))),
             (a + b) >> 1, select(a < b, narrow(255), narrow(0))});
    out(x, y, c) = byte(state(x, y, c));
    s.output(out, sizes);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int16_t>();
        // The registers of a few vectors of pixels stay in the first level while the program runs; an
        // instruction is decoded once for all of them.
        out.bound(c, 0, 3)
            .split(y, strip, row, 16, guard)
            .split(x, xo, xi, 16 * vec, guard)
            .reorder(xi, c, xo, row, strip)
            .vectorize(xi, vec)
            .unroll(c)
            .parallel(strip);
        state.compute_at(out, xo).vectorize(x, vec).unroll(k).bound_extent(k, registers);
        state.update().reorder(x, r).vectorize(x, vec).unroll(x, 2);
    });
}

// Zuiderveld 1994: the histograms of 8x8 tiles, clipped, are curves, between which pixels interpolate.
void tiles_equalised(Subject &s) {
    constexpr int tiles = 8, width = 192, height = 128, bins = 256, most = 105;
    const ImageParam in =
        s.sized_input("in", UInt(8), {exactly(tiles * width), exactly(tiles * height)}, {0, 255});
    const RDom r(0, width, 0, height, "r"), b(0, bins, "b"), after(1, bins - 1, "after");
    Func histogram("histogram"), excess("excess"), cumulative("cumulative"), curve("curve"),
        between("between"), out("out");
    // k: bin, x, y: tile
    histogram(k, x, y) = 0;
    const Expr pixel =
        in(clamp(x, 0, tiles - 1) * width + r.x, clamp(y, 0, tiles - 1) * height + r.y);
    histogram(wide(pixel), x, y) += 1;
    excess(x, y) = 0;
    excess(x, y) += max(histogram(b, x, y) - most, 0);
    cumulative(k, x, y) = min(histogram(k, x, y), most) + excess(x, y) / bins;
    cumulative(after, x, y) += cumulative(after - 1, x, y);
    curve(k, x, y) = byte(cumulative(k, x, y) * 255 / (width * height));
    const Expr u0 = x - width / 2, v0 = y - height / 2;
    const Expr i = u0 / width, j = v0 / height, du = u0 % width, dv = v0 % height;
    // k: bin, x: tile, y: row of pixels
    const auto tile = [](const Expr &e) { return clamp(e, 0, tiles - 1); };
    between(k, x, y) = wide(curve(k, tile(x), tile(j))) * (height - dv) +
                       wide(curve(k, tile(x), tile(j + 1))) * dv;
    const Expr bin = wide(in(x, y));
    const Expr value = between(bin, tile(i), y) * (width - du) + between(bin, tile(i + 1), y) * du;
    out(x, y) = byte(value / (width * height));
    s.output(out, {exactly(tiles * width), exactly(tiles * height)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Neighbouring pixels count in four tables, so that no count waits for another.
        RVar group("group"), neighbour("neighbour");
        histogram.update().split(r.x, group, neighbour, 4);
        Func partial = histogram.update().rfactor(neighbour, u);
        partial.compute_at(histogram, x).vectorize(k, vec);
        partial.update().reorder(u, group, r.y, x, y).unroll(u);
        histogram.compute_root().parallel(y).vectorize(k, vec);
        histogram.update()
            .reorder(k, neighbour, x, y)
            .parallel(y)
            .vectorize(k, vec)
            .unroll(neighbour);
        curve.compute_root().parallel(y).vectorize(k, vec);
        cumulative.compute_at(curve, x).vectorize(k, vec);
        cumulative.update().unscheduled();  // a serial scan of 256 values
        excess.compute_at(curve, x);
        excess.update().atomic().vectorize(b, vec);
        // Curves are interpolated along y once for a row of pixels, which fetches two words of them.
        out.split(y, strip, row, 16, guard).parallel(strip).vectorize(x, vec, guard);
        between.compute_at(out, row).vectorize(k, vec);
    });
}

// Trilinear texture fetches (Williams 1983): a detail image says between which two of five levels.
void mip_mapped_warp(Subject &s) {
    constexpr int size = 1024, levels = 5;
    const Sizes sizes{about(1280), about(960)};
    const ImageParam texture =
        s.sized_input("texture", UInt(8), {exactly(size), exactly(size)}, {0, 255});
    const ImageParam coarseness = s.input("coarseness", UInt(8), 2, {0, 63});
    std::vector<Func> means = {Func("level0")};
    means[0](x, y) = texture(clamp(x, 0, size - 1), clamp(y, 0, size - 1));
    for (int i = 1; i < levels; i++) {
        const Func before = means.back();
        const auto at = [&](int dx, int dy) {
            return cast<uint16_t>(before(2 * x + dx, 2 * y + dy));
        };
        Func next("level" + std::to_string(i));
        next(x, y) = cast<uint8_t>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4);
        means.push_back(next);
    }
    Func stack("stack"), place("place"), out("out");
    std::vector<Expr> at_level;
    for (int i = 0; i < levels; i++) {
        const int last = (size >> i) - 1;
        at_level.push_back(means[static_cast<size_t>(i)](clamp(x, 0, last), clamp(y, 0, last)));
    }
    stack(x, y, z) = mux(z, at_level);
    // In sixteenths of a texel: a bilinear map that wraps.
    const Expr scale = size * 16;
    place(x, y) =
        Tuple((x * 13 + y * 5 + ((x * y) >> 6)) % scale, (y * 11 - x * 3 - ((x * y) >> 7)) % scale);
    const auto sample = [&](const Expr &level) {
        const Expr tu = place(x, y)[0] >> level, tv = place(x, y)[1] >> level;
        const auto texel = [&](int dx, int dy) {
            return wide(stack(clamp((tu >> 4) + dx, 0, size - 1),
                              clamp((tv >> 4) + dy, 0, size - 1), clamp(level, 0, levels - 1)));
        };
        const Expr du = tu & 15, dv = tv & 15;
        return (texel(0, 0) * (16 - du) + texel(1, 0) * du) * (16 - dv) +
               (texel(0, 1) * (16 - du) + texel(1, 1) * du) * dv;
    };
    const Expr level = wide(coarseness(x, y)) >> 4, share = wide(coarseness(x, y)) & 15;
    out(x, y) = byte((sample(level) * (16 - share) + sample(level + 1) * share + 2048) >> 12);
    s.output(out, sizes);
}

// Weighted means of 32 rows of a table each, as of recommender models.
void embedding_bags(Subject &s) {
    constexpr int width = 64, rows = 20000, length = 32;
    const ImageParam table =
        s.sized_input("table", Float(32), {exactly(width), exactly(rows)}, {-9, 9});
    const ImageParam index =
        s.sized_input("index", Int(32), {exactly(length), about(1024)}, {0, rows - 1});
    const ImageParam weight =
        s.sized_input("weight", Float(32), {exactly(length), about(1024)}, {1, 5});
    const RDom r(0, length, "r");
    Func sums("sums"), total("total"), out("out");
    const Expr bag = clamp(y, 0, index.height() - 1);
    sums(c, y) = 0.0f;
    sums(c, y) += table(clamp(c, 0, width - 1), clamp(index(r, bag), 0, rows - 1)) * weight(r, bag);
    total(y) = 0.0f;
    total(y) += weight(r, bag);
    out(c, y) = sums(c, y) / total(y);
    s.output(out, {exactly(width), about(1024)}, 1e-3);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // The sums of a bag fill eight registers.
        out.bound(c, 0, width).split(y, strip, row, 16, guard).parallel(strip);
        out.vectorize(c, vec).unroll(c);
        sums.compute_at(out, row).vectorize(c, vec).unroll(c);
        sums.update().reorder(c, r).vectorize(c, vec).unroll(c);
        total.compute_at(out, row);
        total.update().atomic().vectorize(r, vec);
    });
}

// Viola and Wells 1997: how much one image says of another, from their joint histogram.
void mutual_information(Subject &s) {
    constexpr int width = 1536, height = 1024, bins = 32;
    const Sizes sizes{exactly(width), exactly(height)};
    const ImageParam a = s.sized_input("a", UInt(8), sizes, {0, 255});
    const ImageParam b = s.sized_input("b", UInt(8), sizes, {0, 255});
    const RDom r(0, width, 0, height, "r"), bin(0, bins, "bin"), pair(0, bins, 0, bins, "pair");
    Func joint("joint"), of_a("of_a"), of_b("of_b"), term("term"), out("out");
    joint(x, y) = 0;
    joint(clamp(wide(a(r.x, r.y)) / 8, 0, bins - 1), clamp(wide(b(r.x, r.y)) / 8, 0, bins - 1)) +=
        1;
    of_a(x) = 0;
    of_a(x) += joint(x, bin);
    of_b(y) = 0;
    of_b(y) += joint(bin, y);
    const auto share = [](const Expr &count) { return cast<float>(count) / (width * height); };
    const Expr both = share(joint(x, y));
    term(x, y) =
        select(joint(x, y) == 0, 0.0f, both * log(both / (share(of_a(x)) * share(of_b(y)))));
    out() = 0.0f;
    out() += term(pair.x, pair.y);
    s.output(out, {}, 1e-4);
}

}  // namespace

std::vector<Entry> kinds_of_tables() {
    return {
        {"focus_stack", "an index of a stack of eight, found and used", focus_stack},
        {"register_machine", "sixteen instructions on four registers per pixel", register_machine},
        {"tiles_equalised", "64 histograms as tables, interpolated", tiles_equalised},
        {"mip_mapped_warp", "eight fetches from a stack of five levels", mip_mapped_warp},
        {"embedding_bags", "sums of gathered rows", embedding_bags},
        {"mutual_information", "a joint histogram to a number", mutual_information},
    };
}

}  // namespace cryolite::robustness
