// edge_detector: a ring blur (the mean of the eight neighbours), then the cross of Roberts, as in
// the image suite of Baghdadi et al., "Tiramisu" (CGO 2019, section 7). There the edges overwrite
// the image that the blur reads, a cyclic data flow that Halide cannot express; here they go to an
// output of their own, which computes the same from an image that is not needed any more.
//
// No boundary condition: output(x, y) covers input (x..x+3, y..y+3).
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class EdgeDetector : public App<EdgeDetector> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        Expr sum = cast<uint16_t>(0);
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                if (dx != 1 || dy != 1) {
                    sum += cast<uint16_t>(input(x + dx, y + dy, c));
                }
            }
        }
        ring(x, y, c) = cast<uint8_t>(sum >> 3);
        const Expr falling = absd(ring(x, y, c), ring(x + 1, y + 1, c));
        const Expr rising = absd(ring(x + 1, y, c), ring(x, y + 1, c));
        // Together they reach 256 at most, with the means rounded down.
        output(x, y, c) = saturating_add(falling, rising);
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width + 3}, {0, height + 3}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // Blurred rows slide down a strip: each is computed once, two are live.
        const int vec = natural_vector_size<uint8_t>();
        Var strip("strip"), row("row"), task("task");
        output.split(y, strip, row, 64, TailStrategy::GuardWithIf)
            .fuse(strip, c, task)
            .parallel(task)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        ring.store_at(output, task)
            .compute_at(output, row)
            .fold_storage(y, 2)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // A block blurs its 16 rows and one more, and as many columns, into shared memory.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var row("row"), yi("yi");
        output.split(x, block_x, thread_x, 64, TailStrategy::GuardWithIf)
            .split(y, block_y, yi, 16, TailStrategy::GuardWithIf)
            .split(yi, thread_y, row, 4)
            .reorder(row, thread_x, thread_y, block_x, block_y, c)
            .unroll(row)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y, c);
        ring.compute_at(output, block_x)
            .tile(x, y, thread_x, thread_y, 64, 4, TailStrategy::GuardWithIf)
            .gpu_threads(thread_x, thread_y);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    Func ring{"ring"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::EdgeDetector, edge_detector)
