// harris: the corner response of Harris and Stephens, "A combined corner and edge detector" (Alvey
// Vision Conference 1988): gradients of the luminance by Sobel's operator, their products summed
// over a window of 3x3 pixels to the structure tensor M, and the response det(M) - k trace(M)^2.
//
// A frame of three pixels is left out (two would do), so that the output has the size used in the
// literature: output(x, y) is the response at input pixel (x + 3, y + 3).
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Harris : public App<Harris> {
public:
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        luminance(x, y) =
            0.299f * input(x, y, 0) + 0.587f * input(x, y, 1) + 0.114f * input(x, y, 2);

        const auto lum = [&](int dx, int dy) { return luminance(x + dx, y + dy); };
        const float scale = 1.0f / 12.0f;
        gradient_x(x, y) = scale * ((lum(1, -1) - lum(-1, -1)) + 2.0f * (lum(1, 0) - lum(-1, 0)) +
                                    (lum(1, 1) - lum(-1, 1)));
        gradient_y(x, y) = scale * ((lum(-1, 1) - lum(-1, -1)) + 2.0f * (lum(0, 1) - lum(0, -1)) +
                                    (lum(1, 1) - lum(1, -1)));
        product_xx(x, y) = gradient_x(x, y) * gradient_x(x, y);
        product_xy(x, y) = gradient_x(x, y) * gradient_y(x, y);
        product_yy(x, y) = gradient_y(x, y) * gradient_y(x, y);

        const auto window_sum = [&](const Func &f) {
            Expr sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++) {
                for (int dx = -1; dx <= 1; dx++) {
                    sum += f(x + dx, y + dy);
                }
            }
            return sum;
        };
        tensor_xx(x, y) = window_sum(product_xx);
        tensor_xy(x, y) = window_sum(product_xy);
        tensor_yy(x, y) = window_sum(product_yy);

        const Expr determinant =
            tensor_xx(x, y) * tensor_yy(x, y) - tensor_xy(x, y) * tensor_xy(x, y);
        const Expr trace = tensor_xx(x, y) + tensor_yy(x, y);
        response(x, y) = determinant - 0.04f * trace * trace;
        output(x, y) = response(x + 3, y + 3);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width - 6}, {0, height - 6}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row"), pair("pair");
        // Two rows at a time share two thirds of the products of their windows in registers.
        output.split(y, strip, row, 64, TailStrategy::GuardWithIf)
            .split(row, pair, row, 2, TailStrategy::GuardWithIf)
            .reorder(row, x, pair, strip)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf)
            .unroll(row);
        // Products and window sums are cheaper to recompute than to store; the gradients are not.
        for (Func gradient : {gradient_x, gradient_y}) {
            gradient.store_at(output, strip)
                .compute_at(output, pair)
                .fold_storage(y, 4)
                .vectorize(x, vec, TailStrategy::GuardWithIf)
                .unroll(y, 2, TailStrategy::GuardWithIf);
        }
        luminance.store_at(output, strip)
            .compute_at(output, pair)
            .fold_storage(y, 8)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // One kernel: a block holds luminance and gradients of its tile and halo in shared memory.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 16,
                        TailStrategy::GuardWithIf);
        for (Func f : {gradient_x, gradient_y, luminance}) {
            f.compute_at(output, block_x)
                .tile(x, y, thread_x, thread_y, 32, 16, TailStrategy::GuardWithIf)
                .gpu_threads(thread_x, thread_y);
        }
    }

private:
    Var x{"x"}, y{"y"};
    Func luminance{"luminance"}, gradient_x{"gradient_x"}, gradient_y{"gradient_y"};
    Func product_xx{"product_xx"}, product_xy{"product_xy"}, product_yy{"product_yy"};
    Func tensor_xx{"tensor_xx"}, tensor_xy{"tensor_xy"}, tensor_yy{"tensor_yy"};
    Func response{"response"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Harris, harris)
