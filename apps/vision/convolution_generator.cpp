// convolution: a filter of 3x3 taps that is given at run time and need not be separable, on the
// colour planes of an 8-bit image, as in the image suite of Baghdadi et al., "Tiramisu" (CGO 2019,
// section 7). Written as a reduction over the taps in float. No boundary condition: output(x, y)
// covers input (x..x+2, y..y+2).
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Convolution : public App<Convolution> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<Buffer<float, 2>> kernel{"kernel"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        taps = RDom(0, 3, 0, 3, "taps");
        sum(x, y, c) = 0.5f;  // what rounds to nearest in the end
        sum(x, y, c) += kernel(taps.x, taps.y) * cast<float>(input(x + taps.x, y + taps.y, c));
        output(x, y, c) = cast<uint8_t>(clamp(sum(x, y, c), 0.0f, 255.0f));
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width + 2}, {0, height + 2}, {0, 3}});
        kernel.set_estimates({{0, 3}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // Four rows at a time share the conversions of their pixels; the sums stay in registers.
        // Shifted tails keep them there: the output must be at least one tile large.
        const int vec = natural_vector_size<float>();
        const int tile_rows = 4;
        Var strip("strip"), row("row"), tile("tile"), task("task"), lane("lane");
        output.split(y, tile, row, tile_rows, TailStrategy::ShiftInwards)
            .split(x, x, lane, 2 * vec, TailStrategy::ShiftInwards)
            .split(tile, strip, tile, 16, TailStrategy::GuardWithIf)
            .reorder(lane, row, x, tile, strip, c)
            .fuse(strip, c, task)
            .parallel(task)
            .vectorize(lane)
            .unroll(row);
        sum.compute_at(output, x).vectorize(x, vec).unroll(x).unroll(y);
        sum.update()
            .reorder(taps.x, x, y, taps.y)
            .vectorize(x, vec)
            .unroll(x)
            .unroll(y)
            .unroll(taps.x)
            .unroll(taps.y);
    }

    void manual_gpu() {
        // The block's window of the image is staged in shared memory; a thread makes four pixels of
        // a column and keeps their sums in registers.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var row("row"), yi("yi");
        output.split(x, block_x, thread_x, 32, TailStrategy::GuardWithIf)
            .split(y, block_y, yi, 32, TailStrategy::GuardWithIf)
            .split(yi, thread_y, row, 4)
            .reorder(row, thread_x, thread_y, block_x, block_y, c)
            .unroll(row)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y, c);
        input.in()
            .compute_at(output, block_x)
            .tile(_0, _1, thread_x, thread_y, 32, 8, TailStrategy::GuardWithIf)
            .gpu_threads(thread_x, thread_y);
        sum.compute_at(output, row);
        sum.update().unroll(taps.x).unroll(taps.y);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    RDom taps;
    Func sum{"sum"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Convolution, convolution)
