// What needs what came before it: recursive filters, eliminations, dynamic programmes, prefix sums.
#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), b("b"), i("i"), j("j"), t("t"), strip("strip"), row("row"), xo("xo"),
    xi("xi");
constexpr auto guard = TailStrategy::GuardWithIf;

Expr wide(const Expr &e) { return cast<int>(e); }

// Two recursive sections of second order one after the other, on 64 channels of sound.
void biquad_channels(Subject &s) {
    constexpr int channels = 64, samples = 16384;
    const Sizes sizes{about(channels), about(samples)};
    const ImageParam in = s.sized_input("in", Float(32), sizes);
    // Of both sections: what came in before, and what went out before. Stable whatever the data.
    const Sizes per_channel{about(channels), exactly(2), exactly(2)};
    const ImageParam ahead = s.sized_input("ahead", Float(32), per_channel, {-60, 60});
    const ImageParam back = s.sized_input("back", Float(32), per_channel, {30, 90});
    const RDom r(0, in.height(), "r");
    const Expr channel = clamp(x, 0, in.width() - 1);
    Func last = BoundaryConditions::constant_exterior(in, 0.0f);
    std::vector<Func> sections;
    for (int section = 0; section < 2; section++) {
        const auto weight = [&](const ImageParam &of, int delay) {
            return of(channel, delay, section) / 128.0f;
        };
        Func out("section" + std::to_string(section));
        out(x, t) = 0.0f;
        out(x, r) = last(x, r) + weight(ahead, 0) * last(x, r - 1) +
                    weight(ahead, 1) * last(x, r - 2) + weight(back, 0) * out(x, r - 1) -
                    weight(back, 1) * out(x, r - 2);
        sections.push_back(out);
        last = out;
    }
    Func out("out");
    out(x, t) = last(x, t) * 0.25f;
    s.output(out, sizes, 0.1);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // Channels are lanes. A section holds one vector per sample, and both sections stay near.
        out.split(x, xo, xi, vec, guard).reorder(xi, t, xo).vectorize(xi).parallel(xo);
        for (Func section : sections) {
            section.compute_at(out, xo).vectorize(x);
            section.update().reorder(x, r).vectorize(x).unroll(r, 2);
        }
    });
}

// 4096 systems of 256 unknowns, each with its two neighbours: eliminated forwards, solved backwards (Thomas).
void tridiagonal_systems(Subject &s) {
    constexpr int unknowns = 256;
    const Sizes sizes{about(4096), exactly(unknowns)};
    const ImageParam below = s.sized_input("below", Float(32), sizes, {-3, 3});
    const ImageParam middle = s.sized_input("middle", Float(32), sizes, {8, 20});
    const ImageParam above = s.sized_input("above", Float(32), sizes, {-3, 3});
    const ImageParam right = s.sized_input("right", Float(32), sizes);
    const RDom r(1, unknowns - 1, "r");
    const Expr system = clamp(b, 0, below.width() - 1), back = unknowns - 1 - r;
    Func forward("forward"), solved("solved"), out("out");
    forward(b, i) =
        Tuple(above(system, i) / middle(system, i), right(system, i) / middle(system, i));
    const Expr scale = 1.0f / (middle(system, r) - below(system, r) * forward(b, r - 1)[0]);
    forward(b, r) = Tuple(above(system, r) * scale,
                          (right(system, r) - below(system, r) * forward(b, r - 1)[1]) * scale);
    solved(b, i) = forward(b, i)[1];
    solved(b, back) -= forward(b, back)[0] * solved(b, back + 1);
    out(b, i) = solved(b, i);
    s.output(out, sizes, 1e-3);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // Systems are lanes: four vectors of them hide the latency of the divisions.
        out.split(b, xo, xi, 4 * vec, guard).reorder(xi, i, xo).vectorize(xi, vec).parallel(xo);
        for (Func f : {forward, solved}) {
            f.compute_at(out, xo).vectorize(b, vec).unroll(b);
            f.update().reorder(b, r).vectorize(b, vec).unroll(b);
        }
    });
}

// Avidan and Shamir 2007: the cheapest seam from the top to each pixel, and where it came from.
void seam_costs(Subject &s) {
    constexpr int beyond = 1 << 28;
    const Sizes sizes{about(1536), about(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    const RDom r(0, in.width(), 1, in.height() - 1, "r");
    Func energy("energy"), cost("cost"), from("from"), out("out");
    const auto at = [&](int dx, int dy) { return cast<int16_t>(edge(x + dx, y + dy)); };
    energy(x, y) = abs(at(1, 0) - at(-1, 0)) + abs(at(0, 1) - at(0, -1));
    cost(x, y) = select(x < 0 || x >= in.width(), beyond, wide(energy(x, y)));
    const auto before = [&](int dx) { return cost(r.x + dx, r.y - 1); };
    cost(r.x, r.y) += min(before(0), min(before(-1), before(1)));
    const Expr above = cost(x, y - 1), left = cost(x - 1, y - 1), right = cost(x + 1, y - 1);
    from(x, y) = cast<int8_t>(select(above <= left && above <= right, 0, left <= right, -1, 1));
    out(x, y) = cost(x, y);
    s.output(out, sizes);
    s.output(from, {about(1536), about(1023, 1)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Energies in parallel, then a scan whose rows are vectors, then both outputs in parallel. Within a
        // row no element needs another: there is no race.
        cost.compute_root().split(y, strip, row, 32, guard).parallel(strip).vectorize(x, 2 * vec);
        cost.update().allow_race_conditions().vectorize(r.x, vec, guard);
        out.split(y, strip, row, 32, guard).parallel(strip).vectorize(x, vec, guard);
        from.split(y, strip, row, 32, guard).parallel(strip).vectorize(x, vec, guard);
    });
}

// Borgefors 1986: distances to the nearest marked pixel in thirds, by one pass down and one up.
void chamfer_distances(Subject &s) {
    constexpr int far = 30000;
    const Sizes sizes{exactly(1536), exactly(1024)};
    const ImageParam in = s.sized_input("in", UInt(8), sizes, {0, 255});
    const RDom r(0, in.width(), 0, in.height(), "r");
    Func distance("distance"), out("out");
    const Expr is_inside = x >= 0 && y >= 0 && x < in.width() && y < in.height();
    const Expr mark = in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1));
    distance(x, y) = select(is_inside && mark > 253, cast<uint16_t>(0), cast<uint16_t>(far));
    const auto pass = [&](const Expr &px, const Expr &py, int by) {
        const auto at = [&](int dx, int dy, int step) {
            return distance(px + dx * by, py + dy * by) + cast<uint16_t>(step);
        };
        distance(px, py) = min(min(distance(px, py), at(-1, 0, 3)),
                               min(min(at(-1, -1, 4), at(1, -1, 4)), at(0, -1, 3)));
    };
    pass(r.x, r.y, 1);
    pass(in.width() - 1 - r.x, in.height() - 1 - r.y, -1);
    out(x, y) = distance(x, y);
    s.output(out, sizes);
}

// Sakoe and Chiba 1978: the cheapest alignment of 256 pairs of sequences, 128 long.
void time_warping(Subject &s) {
    constexpr int length = 128, far = 1 << 28;
    const Sizes sizes{about(256), exactly(length)};
    const ImageParam first = s.sized_input("first", Int(16), sizes, {-999, 999});
    const ImageParam second = s.sized_input("second", Int(16), sizes, {-999, 999});
    const RDom r(1, length, 1, length, "r");
    const Expr pair = clamp(b, 0, first.width() - 1);
    Func cost("cost"), out("out");
    cost(b, i, j) = select(i == 0 && j == 0, 0, far);
    const Expr step = abs(wide(first(pair, r.x - 1)) - wide(second(pair, r.y - 1)));
    cost(b, r.x, r.y) =
        step + min(cost(b, r.x - 1, r.y - 1), min(cost(b, r.x - 1, r.y), cost(b, r.x, r.y - 1)));
    out(b) = cost(b, length, length);
    s.output(out, {about(256)});
}

// The values above a bound in their order without gaps: a prefix sum says where each goes.
void compacted_stream(Subject &s) {
    constexpr int length = 1 << 20, bound = 200;
    const ImageParam in = s.sized_input("in", Int(32), {exactly(length)}, {-1000, 1000});
    const RDom after(1, length - 1, "after");
    RDom all(0, length, "all");
    Func is_kept("is_kept"), count("count"), packed("packed"), out("out"), total("total");
    is_kept(x) = in(x) > bound;
    count(x) = wide(is_kept(x));
    count(after) += count(after - 1);
    all.where(is_kept(all));
    packed(x) = 0;
    packed(clamp(count(all) - 1, 0, length - 1)) = in(all);
    out(x) = packed(x);
    total() = count(length - 1);
    s.output(out, {exactly(length)});
    s.output(total, {});
}

}  // namespace

std::vector<Entry> kinds_of_scans() {
    return {
        {"biquad_channels", "two recursive filters of 64 channels", biquad_channels},
        {"tridiagonal_systems", "a scan forwards and one backwards", tridiagonal_systems},
        {"seam_costs", "a row from the row above, two outputs", seam_costs},
        {"chamfer_distances", "two serial passes over an image", chamfer_distances},
        {"time_warping", "a table of two dimensions for each of 256 pairs", time_warping},
        {"compacted_stream", "a prefix sum and a scatter", compacted_stream},
    };
}

}  // namespace cryolite::robustness
