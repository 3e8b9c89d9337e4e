// gaussian: a separable filter of 5x5 taps, given as two kernels at run time, on the colour planes
// of an 8-bit image, as in the image suite of Baghdadi et al., "Tiramisu" (CGO 2019, section 7).
// Sums are floats. No boundary condition: output(x, y) covers input (x..x+4, y..y+4).
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Gaussian : public App<Gaussian> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<Buffer<float, 1>> kernel_x{"kernel_x"};
    Input<Buffer<float, 1>> kernel_y{"kernel_y"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        Expr row_sum = 0.0f, sum = 0.0f;
        for (int i = 0; i < taps; i++) {
            row_sum += kernel_x(i) * cast<float>(input(x + i, y, c));
        }
        rows(x, y, c) = row_sum;
        for (int i = 0; i < taps; i++) {
            sum += kernel_y(i) * rows(x, y + i, c);
        }
        output(x, y, c) = cast<uint8_t>(clamp(sum + 0.5f, 0.0f, 255.0f));
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width + taps - 1}, {0, height + taps - 1}, {0, 3}});
        kernel_x.set_estimates({{0, taps}});
        kernel_y.set_estimates({{0, taps}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // Rows slide down a strip: each is filtered along x once, and five are live. Two rows at a
        // time share four of their five loads.
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row"), pair("pair"), task("task");
        output.split(y, strip, row, 64, TailStrategy::GuardWithIf)
            .split(row, pair, row, 2, TailStrategy::GuardWithIf)
            .reorder(row, x, pair, strip, c)
            .fuse(strip, c, task)
            .parallel(task)
            .vectorize(x, 2 * vec, TailStrategy::GuardWithIf)
            .unroll(row);
        rows.store_at(output, task)
            .compute_at(output, pair)
            .fold_storage(y, 8)
            .vectorize(x, 2 * vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // A block filters its 16 rows and four more along x into shared memory; a thread then makes
        // four rows and keeps what they share in registers.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var row("row"), yi("yi");
        output.split(x, block_x, thread_x, 64, TailStrategy::GuardWithIf)
            .split(y, block_y, yi, 16, TailStrategy::GuardWithIf)
            .split(yi, thread_y, row, 4)
            .reorder(row, thread_x, thread_y, block_x, block_y, c)
            .unroll(row)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y, c);
        rows.compute_at(output, block_x)
            .split(y, y, thread_y, 4, TailStrategy::GuardWithIf)
            .reorder(x, thread_y, y)
            .gpu_threads(x, thread_y);
    }

private:
    static constexpr int taps = 5;

    Var x{"x"}, y{"y"}, c{"c"};
    Func rows{"rows"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Gaussian, gaussian)
