// resize: an 8-bit image enlarged by a fixed ratio of small integers (3 : 2) with the cubic
// convolution of Keys, "Cubic convolution interpolation for digital image processing" (1981, with
// a = -1/2), after the resize of the image suite of Baghdadi et al., "Tiramisu" (CGO 2019, section
// 7). Separable: along x first, then along y.
//
// The ratio is a parameter of the generator, so that all positions are integer expressions and the
// weights, in fixed point with 6 fractional bits, repeat after `numerator` pixels: the result is
// exact. Pixel centres are aligned; the image's edge pixels are repeated outwards.
#include <cmath>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Resize : public App<Resize> {
public:
    GeneratorParam<int> numerator{"numerator", 3, 1, 16};
    GeneratorParam<int> denominator{"denominator", 2, 1, 16};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        clamped(x, y) = BoundaryConditions::repeat_edge(input)(x, y);
        Expr sum_x = cast<int16_t>(0), sum_y = 0;
        for (int tap = 0; tap < 4; tap++) {
            sum_x += weight(x, tap) * cast<int16_t>(clamped(first_tap(x) + tap, y));
        }
        across(x, y) = sum_x;
        for (int tap = 0; tap < 4; tap++) {
            sum_y += cast<int32_t>(weight(y, tap)) * cast<int32_t>(across(x, first_tap(y) + tap));
        }
        output(x, y) = cast<uint8_t>(clamp((sum_y + (1 << 11)) >> 12, 0, 255));
    }

    void estimates() {
        const int width = 2112, height = 3520;
        const int n = numerator, d = denominator;
        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width * n / d}, {0, height * n / d}});
    }

    void manual_cpu() {
        // Rows enlarged along x slide down a strip, each computed once. One vector per position in
        // the period: its loads are at a fixed stride and its weights are constants; the vectors
        // are woven into each other when they are stored.
        const int vec = natural_vector_size<int16_t>();
        Var strip("strip"), row("row"), phase("phase");
        output.split(y, strip, row, 16 * numerator, TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        across.store_at(output, strip)
            .compute_at(output, row)
            .fold_storage(y, 8)
            .align_bounds(x, numerator)
            .split(x, x, phase, numerator)
            .vectorize(x, vec, TailStrategy::GuardWithIf)
            .unroll(phase);
    }

    void manual_gpu() {
        // A block enlarges the rows that it needs along x into shared memory.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var row("row"), yi("yi");
        output.split(x, block_x, thread_x, 64, TailStrategy::GuardWithIf)
            .split(y, block_y, yi, 16, TailStrategy::GuardWithIf)
            .split(yi, thread_y, row, 4)
            .reorder(row, thread_x, thread_y, block_x, block_y)
            .unroll(row)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y);
        across.compute_at(output, block_x)
            .split(y, y, thread_y, 4, TailStrategy::GuardWithIf)
            .reorder(x, thread_y, y)
            .gpu_threads(x, thread_y);
    }

private:
    // Twice the position in the source, in units of 1 / (2 * numerator) of a source pixel.
    Expr position(const Var &v) { return (2 * v + 1) * int(denominator) - int(numerator); }

    Expr first_tap(const Var &v) { return position(v) / (2 * int(numerator)) - 1; }

    // The weight of a tap at an output pixel: one of `numerator` constants.
    Expr weight(const Var &v, int tap) {
        std::vector<Expr> weights;
        for (int phase = 0; phase < numerator; phase++) {
            weights.push_back(cast<int16_t>(tap_weight(phase, tap)));
        }
        return weights.size() == 1 ? weights[0] : mux(v % int(numerator), weights);
    }

    int tap_weight(int phase, int tap) {
        const int n = numerator, d = denominator;
        const int parts = (((2 * phase + 1) * d - n) % (2 * n) + 2 * n) % (2 * n);
        const double offset = double(parts) / double(2 * n);
        const auto rounded = [&](int t) {
            const double distance = std::abs(double(t - 1) - offset);
            const double cubic = distance <= 1.0
                                     ? (1.5 * distance - 2.5) * distance * distance + 1.0
                                     : ((-0.5 * distance + 2.5) * distance - 4.0) * distance + 2.0;
            return int(std::lround(64.0 * cubic));
        };
        // The nearer of the inner taps takes what rounding lost: flat areas stay as they are.
        const int largest = offset < 0.5 ? 1 : 2;
        return tap == largest
                   ? rounded(tap) + 64 - rounded(0) - rounded(1) - rounded(2) - rounded(3)
                   : rounded(tap);
    }

    Var x{"x"}, y{"y"};
    Func clamped{"clamped"}, across{"across"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Resize, resize)
