// What deep-learning compilers emit: elementwise chains over flattened indices, reductions, padded
// convolutions, attention, gradients, sizes down to one.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c"), n("n");

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }

// Nine candidates, each with a test whether it lies inside, its place and a running choice.
void pooling_with_indices(Subject &s) {
    constexpr int width = 54, height = 46, out_width = 27, out_height = 23;
    const ImageParam in = s.input("in", Float(32), 1, {-50, 50});
    Func column("column"), row("row");
    column(x) = x % out_width;
    row(x) = (x / out_width) % out_height;
    const Expr plane = x / (out_width * out_height);  // a Func's values would have no bounds
    Func best("best"), where("where");
    best(x) = -1e30f;
    where(x) = cast<int64_t>(-1);
    int i = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++, i++) {
            Func px = numbered("px", i), py = numbered("py", i), inside = numbered("inside", i),
                 place = numbered("place", i), value = numbered("value", i),
                 better = numbered("better", i), best_now = numbered("best", i),
                 where_now = numbered("where", i);
            px(x) = column(x) * 2 + dx;
            py(x) = row(x) * 2 + dy;
            inside(x) = px(x) >= 0 && px(x) < width && py(x) >= 0 && py(x) < height;
            place(x) = clamp(px(x), 0, width - 1) + clamp(py(x), 0, height - 1) * width;
            value(x) = select(inside(x), in(place(x) + plane * width * height), -1e30f);
            better(x) = value(x) > best(x) || is_nan(value(x));
            best_now(x) = select(better(x), value(x), best(x));
            where_now(x) = select(better(x), cast<int64_t>(place(x)), where(x));
            best = best_now;
            where = where_now;
        }
    }
    Func narrow("narrow");
    narrow(x) = cast<int8_t>(where(x) % 127);
    s.output(best, {about(8 * out_width * out_height)});
    s.output(narrow, {about(8 * out_width * out_height)});
}

void layer_norm_flattened(Subject &s) {
    constexpr int width = 96;
    const ImageParam in = s.input("in", Float(32), 1, {-9, 9});
    const ImageParam gain = s.sized_input("gain", Float(32), {exactly(width)}, {1, 3});
    const RDom r(0, width, "r");
    Func loaded("loaded"), sum_of("sum_of"), mean("mean"), centred("centred"), squared("squared"),
        spread("spread"), inverse("inverse"), scaled("scaled"), out("out");
    loaded(x, y) = in(x + y * width);
    sum_of(y) = 0.0f;
    sum_of(y) += loaded(r, y);
    mean(y) = sum_of(y) / width;
    centred(x, y) = loaded(x, y) - mean(y);
    squared(x, y) = centred(x, y) * centred(x, y);
    spread(y) = 0.0f;
    spread(y) += squared(r, y);
    inverse(y) = 1.0f / sqrt(spread(y) / width + 1e-5f);
    scaled(x, y) = centred(x, y) * inverse(y) * gain(clamp(x, 0, width - 1));
    out(x) = scaled(x % width, x / width);
    s.output(out, {about(64 * width)}, 1e-3);
}

// y = 3x3 convolution of x, zero outside of the image.
Func padded_convolution(Func in, const ImageParam &weights, int size, int channels, int stride,
                        int i) {
    Func padded =
        BoundaryConditions::constant_exterior(in, 0.0f, {{0, size}, {0, size}, {0, channels}});
    const RDom r(0, 3, 0, 3, 0, channels, "r" + std::to_string(i));
    Func out = numbered("convolved", i);
    out(x, y, c) = 0.0f;
    out(x, y, c) +=
        padded(x * stride + r.x - 1, y * stride + r.y - 1, r.z) * weights(r.x, r.y, r.z, c);
    return out;
}

Func rectified(Func in, int i) {
    Func out = numbered("rectified", i);
    out(x, y, c) = max(in(x, y, c) * 0.125f, 0.0f);
    return out;
}

ImageParam weights_for(Subject &s, int channels, int i) {
    return s.sized_input("weights" + std::to_string(i), Float(32),
                         {exactly(3), exactly(3), exactly(channels), exactly(channels)}, {-1, 1});
}

void residual_blocks(Subject &s) {
    constexpr int size = 28, channels = 8, blocks = 2;
    const ImageParam in =
        s.sized_input("in", Float(32), {exactly(size), exactly(size), exactly(channels)}, {-8, 8});
    Func last("first");
    last(x, y, c) = in(clamp(x, 0, size - 1), clamp(y, 0, size - 1), clamp(c, 0, channels - 1));
    for (int i = 0; i < 2 * blocks; i += 2) {
        Func first = rectified(
            padded_convolution(last, weights_for(s, channels, i), size, channels, 1, i), i);
        Func second =
            padded_convolution(first, weights_for(s, channels, i + 1), size, channels, 1, i + 1);
        Func joined = numbered("joined", i);
        joined(x, y, c) = second(x, y, c) + last(x, y, c);
        last = rectified(joined, i + 1);
    }
    s.output(last, {exactly(size), exactly(size), exactly(channels)}, 0.5);
}

// Resolution falls and channels stay; the last stage averages each channel to one number.
void strided_network(Subject &s) {
    constexpr int channels = 8;
    int size = 64;
    const ImageParam in =
        s.sized_input("in", Float(32), {exactly(size), exactly(size), exactly(channels)}, {-8, 8});
    Func last("first");
    last(x, y, c) = in(clamp(x, 0, size - 1), clamp(y, 0, size - 1), clamp(c, 0, channels - 1));
    for (int i = 0; i < 4; i++) {
        Func convolved =
            padded_convolution(last, weights_for(s, channels, i), size, channels, 2, i);
        size /= 2;
        last = rectified(convolved, i);
    }
    const RDom r(0, size, 0, size, "all");
    Func total("total"), mean("mean");
    total(c) = 0.0f;
    total(c) += last(r.x, r.y, c);
    mean(c) = total(c) / (size * size);
    s.output(mean, {exactly(channels)}, 0.05);
}

void attention(Subject &s) {
    constexpr int length = 80, width = 48;
    const ImageParam q = s.input("q", Float(32), 2, {-2, 2});
    const ImageParam k = s.sized_input("k", Float(32), {exactly(width), exactly(length)}, {-2, 2});
    const ImageParam v = s.sized_input("v", Float(32), {exactly(width), exactly(length)}, {-5, 5});
    const RDom over_width(0, width, "over_width"), over_keys(0, length, "over_keys");
    Func scores("scores"), peak("peak"), power("power"), total("total"), weights("weights"),
        out("out");
    // x: key, y: query, c: channel
    scores(x, y) = 0.0f;
    scores(x, y) += q(over_width, y) * k(over_width, clamp(x, 0, length - 1));
    peak(y) = -1e30f;
    peak(y) = max(peak(y), scores(over_keys, y));
    power(x, y) = exp((scores(x, y) - peak(y)) * 0.176f);
    total(y) = 0.0f;
    total(y) += power(over_keys, y);
    weights(x, y) = power(x, y) / total(y);
    out(c, y) = 0.0f;
    out(c, y) += weights(over_keys, y) * v(clamp(c, 0, width - 1), over_keys);
    s.output(out, {exactly(width), about(length)}, 1e-3);
}

// Batch normalisation and a smooth rectifier, a Func per operation as a compiler writes it.
void pointwise_operations_one_by_one(Subject &s) {
    const ImageParam in = s.input("in", Float(32), 4, {-4, 4});
    const ImageParam mean = s.sized_input("mean", Float(32), {exactly(24)}, {-1, 1});
    const ImageParam variance = s.sized_input("variance", Float(32), {exactly(24)}, {1, 4});
    int count = 0;
    auto stage = [&](const Expr &value) {
        Func f = numbered("op", count++);
        f(x, y, c, n) = value;
        return f(x, y, c, n);
    };
    const Expr channel = clamp(c, 0, 23);
    Expr e = stage(in(x, y, c, n));
    e = stage(e - stage(mean(channel)));
    e = stage(e * stage(1.0f / stage(sqrt(stage(stage(variance(channel)) + 1e-5f)))));
    const Expr normal = e;
    e = stage(e * e);
    e = stage(e * normal);
    e = stage(e * 0.044715f);
    e = stage(e + normal);
    e = stage(e * 0.797885f);
    e = stage(tanh(e));
    e = stage(e + 1.0f);
    e = stage(e * 0.5f);
    e = stage(e * normal);
    e = stage(select(stage(e < -0.1f), stage(e * 0.01f), e));
    Func out("out");
    out(x, y, c, n) = stage(clamp(e, -100.0f, 100.0f));
    s.output(out, {about(14), about(14), about(24), about(4)}, 1e-3);
}

// Loads by quotients and remainders of one index, as after fusing the dimensions of a permutation.
void permutation_flattened(Subject &s) {
    constexpr int inner = 32, middle = 20, outer = 12, all = inner * middle * outer;
    const ImageParam in = s.sized_input("in", Float(32), {exactly(all)});
    Func loaded("loaded"), out("out");
    const Expr a = x % middle, b = (x / middle) % inner, d = x / (middle * inner);
    loaded(x) = in(clamp(b + a * inner + d * (inner * middle), 0, all - 1));
    out(x) = max(loaded(x), 0.0f) + cast<float>(a);
    s.output(out, {about(all)});
}

void bilinear_upsampling_flattened(Subject &s) {
    constexpr int size = 40, big = 96;
    const ImageParam in = s.sized_input("in", Float(32), {exactly(size * size)}, {0, 100});
    Func place("place"), low("low"), high("high"), fraction("fraction"), out("out");
    place(x) = clamp((cast<float>(x) + 0.5f) * (float(size) / big) - 0.5f, 0.0f, float(size - 1));
    low(x) = clamp(cast<int>(place(x)), 0, size - 1);
    high(x) = min(low(x) + 1, size - 1);
    fraction(x) = place(x) - cast<float>(low(x));
    const Expr column = x % big, row = clamp(x / big, 0, big - 1);
    auto at = [&](const Expr &i, const Expr &j) {
        return in(clamp(i + j * size, 0, size * size - 1));
    };
    const Expr top = at(low(column), low(row)) * (1.0f - fraction(column)) +
                     at(high(column), low(row)) * fraction(column);
    const Expr bottom = at(low(column), high(row)) * (1.0f - fraction(column)) +
                        at(high(column), high(row)) * fraction(column);
    out(x) = top * (1.0f - fraction(row)) + bottom * fraction(row);
    s.output(out, {about(big * big)}, 1e-2);
}

// Every extent is one: what is left of a kernel for a batch of one with one feature.
void kernel_of_ones(Subject &s) {
    const ImageParam in = s.input("in", Float(32), 3);
    const RDom r(0, 1, 0, 1, "r");
    Func scaled("scaled"), mean("mean"), spread("spread"), out("out");
    scaled(x, y, c) = in(x, y, c) * 0.5f;
    mean(c) = 0.0f;
    mean(c) += scaled(r.x, r.y, c);
    spread(c) = 0.0f;
    spread(c) += (scaled(r.x, r.y, c) - mean(c)) * (scaled(r.x, r.y, c) - mean(c));
    out(x, y, c) = (scaled(x, y, c) - mean(c)) / sqrt(spread(c) + 1.0f);
    s.output(out, {exactly(1), exactly(1), about(1)}, 1e-4);
}

// The derivative of a loss by the weights of a small network, made by Halide itself.
void gradient_of_a_loss(Subject &s) {
    constexpr int size = 20, taps = 5;
    const ImageParam in = s.sized_input("in", Float(32), {exactly(size), exactly(size)}, {-3, 3});
    const ImageParam weights = s.sized_input("weights", Float(32), {exactly(taps)}, {-2, 2});
    const ImageParam wanted =
        s.sized_input("wanted", Float(32), {exactly(size), exactly(size)}, {-3, 3});
    const RDom r(0, taps, "r"), all(0, size - taps, 0, size, "all");
    Func kernel("kernel"), filtered("filtered"), active("active"), loss("loss");
    kernel(x) = weights(clamp(x, 0, taps - 1));
    filtered(x, y) = 0.0f;
    filtered(x, y) += in(clamp(x + r, 0, size - 1), clamp(y, 0, size - 1)) * kernel(r);
    active(x, y) = select(filtered(x, y) > 0.0f, filtered(x, y), filtered(x, y) * 0.25f);
    loss() = 0.0f;
    loss() += (active(all.x, all.y) - wanted(all.x, all.y)) *
              (active(all.x, all.y) - wanted(all.x, all.y));
    const Derivative derivative = propagate_adjoints(loss);
    Func gradient("gradient");
    gradient(x) = derivative(kernel)(x) * 0.001f;
    s.output(gradient, {exactly(taps)}, 0.5);
}

}  // namespace

std::vector<Entry> networks() {
    return {
        {"pooling_with_indices", "75 elementwise Funcs, two outputs; 8429", pooling_with_indices},
        {"layer_norm_flattened", "rows of a flattened array", layer_norm_flattened},
        {"residual_blocks", "twice two padded convolutions with a residual; 8577", residual_blocks},
        {"strided_network", "four strided convolutions to an average", strided_network},
        {"attention", "two products around a softmax", attention},
        {"pointwise_operations_one_by_one", "a Func per operation; 7670",
         pointwise_operations_one_by_one},
        {"permutation_flattened", "quotients and remainders of one index; 8278",
         permutation_flattened},
        {"bilinear_upsampling_flattened", "interpolation by computed places; 8261",
         bilinear_upsampling_flattened},
        {"kernel_of_ones", "extents of one everywhere; 8246", kernel_of_ones},
        {"gradient_of_a_loss", "a derivative made by Halide; 4323", gradient_of_a_loss},
    };
}

}  // namespace cryolite::robustness
