// unsharp: unsharp masking, the photographic technique (Gonzalez and Woods, "Digital Image
// Processing", high-boost filtering): the luminance is blurred by a separable Gaussian of seven
// taps, the difference from the blur is added back, and every colour channel is scaled by the ratio
// of sharpened to original luminance, which keeps hues.
//
// The image's edge pixels are repeated outwards. A small floor keeps the ratio finite on black.
#include <cmath>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Unsharp : public App<Unsharp> {
public:
    GeneratorParam<float> sigma{"sigma", 1.5f};  // of the Gaussian, in pixels
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        const Func clamped = BoundaryConditions::repeat_edge(input);
        luminance(x, y) =
            0.299f * clamped(x, y, 0) + 0.587f * clamped(x, y, 1) + 0.114f * clamped(x, y, 2);

        float tap[4], sum = 0.0f;
        for (int i = 0; i < 4; i++) {
            const float s = sigma;
            tap[i] = std::exp(-float(i * i) / (2.0f * s * s));
            sum += i == 0 ? tap[i] : 2.0f * tap[i];
        }
        for (float &t : tap) {
            t /= sum;
        }
        const auto seven_taps = [&](auto at) {
            return tap[0] * at(0) + tap[1] * (at(-1) + at(1)) + tap[2] * (at(-2) + at(2)) +
                   tap[3] * (at(-3) + at(3));
        };
        columns(x, y) = seven_taps([&](int d) { return luminance(x, y + d); });
        const Expr blurred = seven_taps([&](int d) { return columns(x + d, y); });
        const Expr sharpened = 2.0f * luminance(x, y) - blurred;
        ratio(x, y) = sharpened / max(luminance(x, y), 1e-4f);
        output(x, y, c) = ratio(x, y) * input(x, y, c);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row");
        // One pass over memory: within a strip, seven rows of luminance slide in a ring of eight.
        output.reorder(x, c, y)
            .bound(c, 0, 3)
            .unroll(c)
            .split(y, strip, row, 64, TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        ratio.compute_at(output, row).vectorize(x, vec);
        columns.compute_at(output, row).vectorize(x, vec);
        luminance.store_at(output, strip)
            .compute_at(output, row)
            .fold_storage(y, 8)
            .vectorize(x, vec);
    }

    void manual_gpu() {
        // One kernel: a block holds the luminance of its tile and halo, and the same filtered along
        // y, in shared memory; a thread scales the three colours of a pixel by its ratio.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        output.reorder(c, x, y).bound(c, 0, 3).unroll(c).gpu_tile(
            x, y, block_x, block_y, thread_x, thread_y, 32, 16, TailStrategy::GuardWithIf);
        ratio.compute_at(output, thread_x);
        for (Func f : {columns, luminance}) {
            f.compute_at(output, block_x)
                .tile(x, y, thread_x, thread_y, 32, 16, TailStrategy::GuardWithIf)
                .gpu_threads(thread_x, thread_y);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    Func luminance{"luminance"}, columns{"columns"}, ratio{"ratio"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Unsharp, unsharp)
