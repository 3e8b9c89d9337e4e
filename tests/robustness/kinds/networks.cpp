// Layers of networks at the sizes of real ones. Where nothing else is said, dimension 0 is the channel.
#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var c("c"), x("x"), y("y"), n("n"), co("co"), ci("ci"), xo("xo"), xi("xi"), task("task"),
    strip("strip"), row("row");
constexpr auto guard = TailStrategy::GuardWithIf;

Expr wide(const Expr &e) { return cast<int>(e); }
Expr byte(const Expr &e) { return cast<uint8_t>(clamp(e, 0, 255)); }

// As TensorFlow Lite does it: times a fraction in 31 bits, halves rounded up, shifted.
Expr requantised(const Expr &sum_of, const Expr &multiplier, int shift, int zero) {
    const Expr product = cast<int64_t>(sum_of) * multiplier;
    const Expr high = cast<int>((product + (1 << 30)) >> 31);
    return byte(((high + (1 << (shift - 1))) >> shift) + zero);
}

// 3x3 over 64 channels of bytes; weights are signed bytes. Outside of the image is the zero point.
void quantised_convolution(Subject &s) {
    constexpr int size = 56, channels = 64, zero = 128;
    const ImageParam in =
        s.sized_input("in", UInt(8), {exactly(channels), about(size), about(size)}, {0, 255});
    const ImageParam weights =
        s.sized_input("weights", Int(8),
                      {exactly(channels), exactly(channels), exactly(3), exactly(3)}, {-127, 127});
    const ImageParam bias = s.sized_input("bias", Int(32), {exactly(channels)}, {-9999, 9999});
    const ImageParam multiplier =
        s.sized_input("multiplier", Int(32), {exactly(channels)}, {1 << 29, 1 << 30});
    const RDom r(0, channels, 0, 3, 0, 3, "r");
    Func padded = BoundaryConditions::constant_exterior(
        in, cast<uint8_t>(zero),
        {{Expr(), Expr()}, {0, in.dim(1).extent()}, {0, in.dim(2).extent()}});
    Func centred("centred"), filter("filter"), sums("sums"), out("out");
    centred(c, x, y) = cast<int16_t>(padded(c, x, y)) - cast<int16_t>(zero);
    filter(c, n, x, y) = cast<int16_t>(weights(c, n, x, y));
    sums(c, x, y) = bias(c);
    sums(c, x, y) += wide(centred(r.x, x + r.y - 1, y + r.z - 1)) * wide(filter(c, r.x, r.y, r.z));
    out(c, x, y) = requantised(sums(c, x, y), multiplier(c), 8, zero);
    s.output(out, {exactly(channels), about(size), about(size)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Pairs of input channels are one multiply-add of 16-bit values: the filter is packed in such
        // pairs. Two vectors of channels times four pixels stay in registers.
        RVar pairs("pairs"), pair("pair");
        filter.compute_root()
            .split(n, co, ci, 2)
            .reorder_storage(n, c, x, y)
            .reorder(ci, c, co, x, y);
        filter.unroll(ci).vectorize(c, vec).parallel(y);
        out.bound(c, 0, channels)
            .split(c, co, ci, 2 * vec)
            .split(x, xo, xi, 4, TailStrategy::ShiftInwards)
            .reorder(ci, xi, co, xo, y)
            .vectorize(ci, vec)
            .unroll(ci)
            .unroll(xi)
            .parallel(y);
        centred.compute_at(out, y).vectorize(c, 2 * vec);
        sums.compute_at(out, co).vectorize(c, vec).unroll(c).unroll(x);
        sums.update()
            .split(r.x, pairs, pair, 2)
            .reorder(pair, c, x, pairs, r.y, r.z)
            .atomic()
            .vectorize(c, vec)
            .unroll(c)
            .unroll(x)
            .vectorize(pair);
    });
}

// 3x3 in eight groups of eight channels (ResNeXt), bias and rectifier.
void grouped_convolution(Subject &s) {
    constexpr int size = 56, channels = 64, group = 8, batch = 2;
    const ImageParam in = s.sized_input(
        "in", Float(32), {exactly(channels), about(size), about(size), about(batch)}, {-8, 8});
    const ImageParam weights = s.sized_input(
        "weights", Float(32), {exactly(channels), exactly(group), exactly(3), exactly(3)}, {-2, 2});
    const ImageParam bias = s.sized_input("bias", Float(32), {exactly(channels)}, {-9, 9});
    const RDom r(0, group, 0, 3, 0, 3, "r");
    Func padded = BoundaryConditions::constant_exterior(in, 0.0f,
                                                        {{Expr(), Expr()},
                                                         {0, in.dim(1).extent()},
                                                         {0, in.dim(2).extent()},
                                                         {0, in.dim(3).extent()}});
    Func sums("sums"), out("out");
    const Expr channel = clamp(c / group, 0, channels / group - 1) * group + r.x;
    sums(c, x, y, n) = bias(c);
    sums(c, x, y, n) += padded(channel, x + r.y - 1, y + r.z - 1, n) * weights(c, r.x, r.y, r.z);
    out(c, x, y, n) = max(sums(c, x, y, n), 0.0f);
    s.output(out, {exactly(channels), about(size), about(size), about(batch)}, 1e-2);
    s.by_hand([=](const Target &) mutable {
        // A group is eight channels, a vector of AVX2; seven pixels of it stay in registers.
        out.bound(c, 0, channels)
            .split(c, co, ci, group)
            .split(x, xo, xi, 7, TailStrategy::ShiftInwards)
            .reorder(ci, xi, xo, co, y, n)
            .vectorize(ci)
            .unroll(xi)
            .fuse(y, n, task)
            .parallel(task);
        Func rows = padded.in(sums);
        rows.compute_at(out, task).vectorize(rows.args()[0], group);
        sums.compute_at(out, xo).align_bounds(c, group).vectorize(c).unroll(x);
        sums.update().reorder(c, x, r.x, r.y, r.z).vectorize(c).unroll(x).unroll(r.x, 2);
    });
}

// Three rates of dilation beside each other (Chen et al. 2017), added up and clipped at 6.
void dilated_convolution(Subject &s) {
    constexpr int size = 64, channels = 32;
    const ImageParam in =
        s.sized_input("in", Float(32), {exactly(channels), about(size), about(size)}, {-8, 8});
    const Func padded = BoundaryConditions::constant_exterior(
        in, 0.0f, {{Expr(), Expr()}, {0, in.dim(1).extent()}, {0, in.dim(2).extent()}});
    const RDom r(0, channels, 0, 3, 0, 3, "r");
    Expr all = 0.0f;
    for (const int rate : {1, 2, 4}) {
        const std::string number = std::to_string(rate);
        const ImageParam weights =
            s.sized_input("weights" + number, Float(32),
                          {exactly(channels), exactly(channels), exactly(3), exactly(3)}, {-1, 1});
        Func sums("sums" + number);
        sums(c, x, y) = 0.0f;
        sums(c, x, y) +=
            padded(r.x, x + (r.y - 1) * rate, y + (r.z - 1) * rate) * weights(c, r.x, r.y, r.z);
        all += max(sums(c, x, y), 0.0f);
    }
    Func out("out");
    out(c, x, y) = min(all * 0.0625f, 6.0f);
    s.output(out, {exactly(channels), about(size), about(size)}, 1e-2);
}

// Each channel by itself, 3x3 at every other place.
void quantised_depthwise(Subject &s) {
    constexpr int size = 56, channels = 64, zero = 120;
    const ImageParam in = s.sized_input(
        "in", UInt(8), {exactly(channels), about(2 * size), about(2 * size)}, {0, 255});
    const ImageParam weights =
        s.sized_input("weights", Int(8), {exactly(channels), exactly(3), exactly(3)}, {-127, 127});
    const ImageParam bias = s.sized_input("bias", Int(32), {exactly(channels)}, {-9999, 9999});
    const ImageParam multiplier =
        s.sized_input("multiplier", Int(32), {exactly(channels)}, {1 << 29, 1 << 30});
    const RDom r(0, 3, 0, 3, "r");
    Func padded = BoundaryConditions::constant_exterior(
        in, cast<uint8_t>(zero),
        {{Expr(), Expr()}, {0, in.dim(1).extent()}, {0, in.dim(2).extent()}});
    Func sums("sums"), out("out");
    sums(c, x, y) = bias(c);
    const Expr value = cast<int16_t>(padded(c, 2 * x + r.x, 2 * y + r.y)) - cast<int16_t>(zero);
    sums(c, x, y) += wide(value) * wide(weights(c, r.x, r.y));
    out(c, x, y) = requantised(sums(c, x, y), multiplier(c), 5, zero);
    s.output(out, {exactly(channels), about(size), about(size)});
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<int>();
        // Vectors of channels; the nine taps are unrolled, and two pixels share what they load.
        out.bound(c, 0, channels)
            .split(c, co, ci, 2 * vec)
            .split(x, xo, xi, 2, TailStrategy::ShiftInwards)
            .reorder(ci, xi, co, xo, y)
            .vectorize(ci, vec)
            .unroll(ci)
            .unroll(xi)
            .parallel(y, 4);
        sums.compute_at(out, co).vectorize(c, vec).unroll(c).unroll(x);
        sums.update().reorder(c, x, r.x, r.y).vectorize(c, vec).unroll(c).unroll(x);
        sums.update().unroll(r.x).unroll(r.y);
    });
}

// Vaswani et al. 2017: eight heads of width 64 over 128 positions, which see only what came before.
void causal_attention(Subject &s) {
    constexpr int length = 128, width = 64, heads = 8;
    const Sizes sizes{exactly(width), exactly(length), about(heads)};
    const ImageParam q = s.sized_input("q", Float(32), sizes, {-2, 2});
    const ImageParam k = s.sized_input("k", Float(32), sizes, {-2, 2});
    const ImageParam v = s.sized_input("v", Float(32), sizes, {-5, 5});
    const RDom over_width(0, width, "over_width"), keys(0, length, "keys");
    Func turned("turned"), scores("scores"), masked("masked"), peak("peak"), power("power"),
        total("total"), mixed("mixed"), out("out");
    const Expr head = clamp(n, 0, q.dim(2).extent() - 1);
    turned(x, c, n) = k(c, x, head);
    // x: key, y: query, c: element, n: head
    scores(x, y, n) = 0.0f;
    scores(x, y, n) += q(over_width, y, head) * turned(x, over_width, n);
    masked(x, y, n) = select(x <= y, scores(x, y, n) * 0.125f, -1e9f);
    peak(y, n) = -1e9f;
    peak(y, n) = max(peak(y, n), masked(keys, y, n));
    power(x, y, n) = exp(masked(x, y, n) - peak(y, n));
    total(y, n) = 0.0f;
    total(y, n) += power(keys, y, n);
    mixed(c, y, n) = 0.0f;
    mixed(c, y, n) += power(keys, y, n) * v(c, keys, head);
    out(c, y, n) = mixed(c, y, n) / total(y, n);
    s.output(out, sizes, 1e-3);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // A task is eight queries of a head. Both products keep two vectors of four queries in registers.
        out.split(y, y, row, 8)
            .fuse(y, n, task)
            .split(c, co, ci, 2 * vec)
            .split(row, row, xi, 4)
            .reorder(ci, xi, co, row, task)
            .vectorize(ci, vec)
            .unroll(ci)
            .unroll(xi)
            .parallel(task);
        mixed.compute_at(out, co).vectorize(c, vec).unroll(c).unroll(y);
        mixed.update().reorder(c, y, keys).vectorize(c, vec).unroll(c).unroll(y).unroll(keys, 2);
        total.compute_at(out, task);
        total.update().atomic().vectorize(keys, vec);
        power.compute_at(out, task).vectorize(x, vec);
        peak.compute_at(out, task);
        peak.update().atomic().vectorize(keys, vec);
        masked.compute_at(out, task).split(x, xo, xi, 2 * vec).split(y, y, row, 4);
        masked.reorder(xi, row, xo, y).vectorize(xi, vec).unroll(xi).unroll(row);
        scores.compute_at(masked, xo).vectorize(x, vec).unroll(x).unroll(y);
        scores.update().reorder(x, y, over_width).vectorize(x, vec).unroll(x).unroll(y);
        turned.compute_root().parallel(n).split(x, xo, xi, vec).split(c, co, ci, vec);
        turned.reorder(xi, ci, xo, co, n).vectorize(xi).unroll(ci);
    });
}

// The shares of 1000 classes, and the entropy that is left of each sample.
void softmax_of_classes(Subject &s) {
    constexpr int classes = 1000;
    const Sizes sizes{exactly(classes), exactly(512)};
    const ImageParam in = s.sized_input("in", Float(32), sizes, {-8, 8});
    const RDom r(0, classes, "r");
    const Expr sample = clamp(n, 0, in.height() - 1);
    Func peak("peak"), power("power"), total("total"), shares("shares"), term("term"),
        entropy("entropy");
    peak(n) = -1e30f;
    peak(n) = max(peak(n), in(r, sample));
    power(c, n) = exp(in(clamp(c, 0, classes - 1), sample) - peak(n));
    total(n) = 0.0f;
    total(n) += power(r, n);
    shares(c, n) = power(c, n) / total(n);
    term(c, n) = -shares(c, n) * log(shares(c, n) + 1e-20f);
    entropy(n) = 0.0f;
    entropy(n) += term(r, n);
    s.output(shares, sizes, 1e-4);
    s.output(entropy, {exactly(512)}, 1e-2);
    s.by_hand([=](const Target &target) mutable {
        const int vec = target.natural_vector_size<float>();
        // Row by row in the first level. Each sum is forty partial ones, which divide a thousand.
        constexpr int lanes = 8, partials = 5 * lanes;
        const Var u("u");
        RVar ro("ro"), ri("ri");
        shares.split(n, strip, row, 8, guard).parallel(strip).vectorize(c, vec, guard);
        entropy.split(n, strip, row, 8, guard).parallel(strip);
        entropy.update().split(n, strip, row, 8, guard).parallel(strip);
        for (Func f : {peak, total, entropy}) {
            Func partial = f.update().split(r, ro, ri, partials).rfactor(ri, u);
            f.update().atomic().vectorize(ri, lanes);
            if (f.name() != entropy.name()) f.compute_at(shares, row);
            partial.compute_at(f.name() == entropy.name() ? entropy : shares, row)
                .vectorize(u, lanes)
                .unroll(u);
            partial.update().reorder(u, ro).vectorize(u, lanes).unroll(u);
        }
        power.compute_at(shares, row).vectorize(c, vec);
    });
}

// A block of an inception: the greatest and the mean of 3x3 at every other place, side by side, and the mean
// of each channel over all.
void pooled_branches(Subject &s) {
    constexpr int size = 56, channels = 96;
    const ImageParam in = s.sized_input(
        "in", UInt(8), {exactly(channels), exactly(2 * size), exactly(2 * size)}, {0, 255});
    const RDom r(0, 3, 0, 3, "r"), all(0, size, 0, size, "all");
    const Expr channel = c % channels, from_x = 2 * x + r.x, from_y = 2 * y + r.y;
    const Expr is_inside = from_x < in.dim(1).extent() && from_y < in.dim(2).extent();
    const Expr value = in(channel, clamp(from_x, 0, in.dim(1).extent() - 1),
                          clamp(from_y, 0, in.dim(2).extent() - 1));
    Func most("most"), sums("sums"), joined("joined"), totals("totals"), means("means");
    most(c, x, y) = cast<uint8_t>(0);
    most(c, x, y) = max(most(c, x, y), select(is_inside, value, cast<uint8_t>(0)));
    sums(c, x, y) = Tuple(cast<uint16_t>(0), cast<uint16_t>(0));
    sums(c, x, y) =
        Tuple(sums(c, x, y)[0] + select(is_inside, cast<uint16_t>(value), cast<uint16_t>(0)),
              sums(c, x, y)[1] + select(is_inside, cast<uint16_t>(1), cast<uint16_t>(0)));
    const Expr mean = cast<uint8_t>(sums(c, x, y)[0] / max(sums(c, x, y)[1], cast<uint16_t>(1)));
    joined(c, x, y) = select(c < channels, most(c, x, y), mean);
    totals(c) = 0;
    totals(c) += wide(joined(c, all.x, all.y));
    means(c) = byte(totals(c) / (size * size));
    s.output(joined, {exactly(2 * channels), exactly(size), exactly(size)});
    s.output(means, {exactly(2 * channels)});
}

// 4x4 at half steps, as in decoders: an output takes the four taps that fall on inputs.
void transposed_convolution(Subject &s) {
    constexpr int size = 32, from = 64, to = 32;
    const ImageParam in =
        s.sized_input("in", Float(32), {exactly(from), about(size), about(size)}, {-4, 4});
    const ImageParam weights = s.sized_input(
        "weights", Float(32), {exactly(to), exactly(from), exactly(4), exactly(4)}, {-2, 2});
    const Func padded = BoundaryConditions::constant_exterior(
        in, 0.0f, {{Expr(), Expr()}, {0, in.dim(1).extent()}, {0, in.dim(2).extent()}});
    const RDom r(0, from, 0, 2, 0, 2, "r");
    Func sums("sums"), out("out");
    const Expr tap_x = (x + 1) % 2 + 2 * r.y, tap_y = (y + 1) % 2 + 2 * r.z;
    sums(c, x, y) = 0.0f;
    sums(c, x, y) += padded(r.x, (x + 1) / 2 - r.y, (y + 1) / 2 - r.z) *
                     weights(c, r.x, clamp(tap_x, 0, 3), clamp(tap_y, 0, 3));
    out(c, x, y) = select(sums(c, x, y) > 0.0f, sums(c, x, y), sums(c, x, y) * 0.2f);
    s.output(out, {exactly(to), about(2 * size), about(2 * size)}, 1e-2);
}

// Elman 1990: 32 steps of 64 cells, eight sequences. The state of a step is the tangent of its sum, which
// needs all states of the step before.
void recurrent_cell(Subject &s) {
    constexpr int cells = 64, steps = 32, batch = 8;
    const ImageParam in =
        s.sized_input("in", Float(32), {exactly(cells), about(batch), exactly(steps)}, {-2, 2});
    const ImageParam weights =
        s.sized_input("weights", Float(32), {exactly(cells), exactly(cells)}, {-2, 2});
    const RDom r(0, cells, 0, cells, 1, steps - 1, "r");
    Func sums("sums"), out("out");
    // c: cell, x: sequence, y: step
    sums(c, x, y) = in(c, clamp(x, 0, in.dim(1).extent() - 1), y);
    sums(r.x, x, r.z) += tanh(sums(r.y, x, r.z - 1)) * weights(r.x, r.y) * 0.0625f;
    out(c, x, y) = tanh(sums(c, x, y));
    s.output(out, {exactly(cells), about(batch), exactly(steps)}, 1e-3);
}

// Hu, Shen and Sun 2018: channels are scaled by what two small layers make of the channels' means.
void squeeze_and_excite(Subject &s) {
    constexpr int size = 56, channels = 64, few = 16;
    const Sizes sizes{exactly(channels), exactly(size), exactly(size), about(4)};
    const ImageParam in = s.sized_input("in", Float(32), sizes, {-8, 8});
    const ImageParam down =
        s.sized_input("down", Float(32), {exactly(few), exactly(channels)}, {-2, 2});
    const ImageParam up =
        s.sized_input("up", Float(32), {exactly(channels), exactly(few)}, {-2, 2});
    const RDom all(0, size, 0, size, "all"), wide_one(0, channels, "wide"),
        narrow_one(0, few, "narrow");
    const Expr sample = clamp(n, 0, in.dim(3).extent() - 1);
    Func totals("totals"), squeezed("squeezed"), excited("excited"), gate("gate"), out("out");
    totals(c, n) = 0.0f;
    totals(c, n) += in(c, all.x, all.y, sample);
    squeezed(c, n) = 0.0f;
    squeezed(c, n) += totals(wide_one, n) / (size * size) * down(c, wide_one);
    excited(c, n) = 0.0f;
    excited(c, n) += max(squeezed(narrow_one, n), 0.0f) * up(c, narrow_one);
    gate(c, n) = 1.0f / (1.0f + exp(-excited(c, n)));
    out(c, x, y, n) = in(c, x, y, sample) * gate(c, n);
    s.output(out, sizes, 1e-3);
}

}  // namespace

std::vector<Entry> kinds_of_networks() {
    return {
        {"quantised_convolution", "bytes to bytes, 3x3 over 64 channels", quantised_convolution},
        {"grouped_convolution", "eight groups of eight channels", grouped_convolution},
        {"dilated_convolution", "three rates beside each other", dilated_convolution},
        {"quantised_depthwise", "bytes to bytes, 3x3 per channel, every other place",
         quantised_depthwise},
        {"causal_attention", "two products around a masked softmax", causal_attention},
        {"softmax_of_classes", "1000 wide, with the entropy of each row", softmax_of_classes},
        {"pooled_branches", "two poolings joined, and means over all", pooled_branches},
        {"transposed_convolution", "taps by the parity of the place", transposed_convolution},
        {"recurrent_cell", "32 steps, each of a product with the last", recurrent_cell},
        {"squeeze_and_excite", "means over all that scale what they are of", squeeze_and_excite},
    };
}

}  // namespace cryolite::robustness
