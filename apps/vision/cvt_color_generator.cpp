// cvt_color: RGB to grey by the luma weights of ITU-R BT.601 in fixed point with 14 fraction bits,
// the first kernel of the image suite of Baghdadi et al., "Tiramisu: a polyhedral compiler for
// expressing fast and portable code" (CGO 2019, section 7). One stage that reads three bytes and
// writes one: what counts is that memory is kept busy. Planes are apart here, so loads are dense.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class CvtColor : public App<CvtColor> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        const auto channel = [&](int c) { return cast<int32_t>(input(x, y, c)); };
        // The weights add up to 1 << 14.
        const Expr sum = 4899 * channel(0) + 9617 * channel(1) + 1868 * channel(2);
        output(x, y) = cast<uint8_t>((sum + (1 << 13)) >> 14);
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        // Tasks of some rows, for one row is too little work to be handed to a thread.
        const int vec = natural_vector_size<int16_t>();
        output.parallel(y, 16, TailStrategy::GuardWithIf)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // Four pixels per thread, a warp apart: a warp always touches whole runs of 32 bytes.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var run("run"), xi("xi");
        output.split(x, block_x, xi, 128, TailStrategy::GuardWithIf)
            .split(xi, run, thread_x, 32)
            .split(y, block_y, thread_y, 8, TailStrategy::GuardWithIf)
            .reorder(run, thread_x, thread_y, block_x, block_y)
            .unroll(run)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y);
    }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::CvtColor, cvt_color)
