// blur: a 3x3 box filter on 16-bit pixels, as two passes of three taps, the running example of
// Ragan-Kelley et al., "Halide: a language and compiler for optimizing parallelism, locality, and
// recomputation in image processing pipelines" (PLDI 2013). Two stages and next to no arithmetic:
// what counts is that the first pass never leaves the cache.
//
// Sums wrap in 16 bits, so inputs stay below 65536 / 3. output(x, y) covers input (x..x+2, y..y+2).
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Blur : public App<Blur> {
public:
    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        rows(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
        output(x, y) = (rows(x, y) + rows(x, y + 1) + rows(x, y + 2)) / 3;
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width + 2}, {0, height + 2}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<uint16_t>();
        Var strip("strip"), row("row");
        output.split(y, strip, row, 32, TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        // Slide down the strip: each row of the first pass is computed once and three are live.
        rows.store_at(output, strip)
            .compute_at(output, row)
            .fold_storage(y, 4)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // A thread makes eight rows of a column; the sums along x that they share stay in registers.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var row("row"), yi("yi");
        output.split(x, block_x, thread_x, 64, TailStrategy::GuardWithIf)
            .split(y, block_y, yi, 32, TailStrategy::GuardWithIf)
            .split(yi, thread_y, row, 8)
            .reorder(row, thread_x, thread_y, block_x, block_y)
            .unroll(row)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y);
    }

private:
    Var x{"x"}, y{"y"};
    Func rows{"rows"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Blur, blur)
