// nb: a negative and a brightened copy of one image, two stages each, after the benchmark of this
// name in the image suite of Baghdadi et al., "Tiramisu" (CGO 2019, section 7). Two outputs that
// share nothing but their input: whoever computes both in one loop reads the image once. What the
// four stages compute in detail is ours.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Nb : public App<Nb> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 3>> negative{"negative"};
    Output<Buffer<uint8_t, 3>> brightened{"brightened"};

    void generate() {
        inverted(x, y, c) = 255 - input(x, y, c);
        // Blacks of a negative are never quite black.
        negative(x, y, c) = inverted(x, y, c) - inverted(x, y, c) / 8 + 16;

        raised(x, y, c) = cast<uint16_t>(input(x, y, c)) * 3 / 2;
        brightened(x, y, c) = cast<uint8_t>(min(raised(x, y, c) + 16, 255));
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        negative.set_estimates({{0, width}, {0, height}, {0, 3}});
        brightened.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<uint8_t>();
        Var strip("strip"), row("row"), task("task");
        for (Func f : {Func(negative), Func(brightened)}) {
            f.split(y, strip, row, 16, TailStrategy::GuardWithIf)
                .fuse(strip, c, task)
                .parallel(task)
                .vectorize(x, vec, TailStrategy::GuardWithIf);
        }
        // Row by row: the second copy finds the row in the first cache level.
        brightened.compute_with(negative, row);
    }

    void manual_gpu() {
        // One kernel each: compute_with does not reach into blocks. Four pixels per thread, a warp
        // apart: a warp always touches whole runs of 32 bytes.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var run("run"), xi("xi");
        for (Func f : {Func(negative), Func(brightened)}) {
            f.split(x, block_x, xi, 128, TailStrategy::GuardWithIf)
                .split(xi, run, thread_x, 32)
                .split(y, block_y, thread_y, 8, TailStrategy::GuardWithIf)
                .reorder(run, thread_x, thread_y, block_x, block_y, c)
                .unroll(run)
                .gpu_threads(thread_x, thread_y)
                .gpu_blocks(block_x, block_y, c);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    Func inverted{"inverted"}, raised{"raised"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Nb, nb)
