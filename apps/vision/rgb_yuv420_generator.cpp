// rgb_yuv420: RGB to the planar YUV of video (ITU-R BT.601 with head and foot room, in 8-bit fixed
// point), colour differences at half the resolution along both axes, as in the image suite of
// Baghdadi et al., "Tiramisu" (CGO 2019, section 7). Colours are averaged over 2x2 pixels. Three
// outputs of two sizes: reading the image once takes fusing them.
//
// The colour planes have half the width and height of the image, rounded down.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class RgbYuv420 : public App<RgbYuv420> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 2>> luma{"luma"};
    Output<Buffer<uint8_t, 2>> chroma_blue{"chroma_blue"};
    Output<Buffer<uint8_t, 2>> chroma_red{"chroma_red"};

    void generate() {
        const auto at = [&](int c) { return cast<uint16_t>(input(x, y, c)); };
        const Expr sum = 66 * at(0) + 129 * at(1) + 25 * at(2);
        luma(x, y) = cast<uint8_t>(((sum + 128) >> 8) + 16);

        const auto wide = [&](int dx, int dy) {
            return cast<uint16_t>(input(2 * x + dx, 2 * y + dy, c));
        };
        mean(x, y, c) = cast<uint8_t>((wide(0, 0) + wide(1, 0) + wide(0, 1) + wide(1, 1) + 2) >> 2);
        const auto mean_of = [&](int channel) { return cast<int16_t>(mean(x, y, channel)); };
        const Expr r = mean_of(0), g = mean_of(1), b = mean_of(2);
        chroma_blue(x, y) = cast<uint8_t>(((112 * b - 38 * r - 74 * g + 128) >> 8) + 128);
        chroma_red(x, y) = cast<uint8_t>(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        luma.set_estimates({{0, width}, {0, height}});
        chroma_blue.set_estimates({{0, width / 2}, {0, height / 2}});
        chroma_red.set_estimates({{0, width / 2}, {0, height / 2}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<uint16_t>();
        Var strip("strip"), pair("pair"), row("row");
        // Two rows of luma, then the row of each colour difference that belongs to them, while
        // those rows of the image are in the first cache level.
        luma.split(y, pair, row, 2, TailStrategy::GuardWithIf)
            .split(pair, strip, pair, 8, TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        for (Func f : {Func(chroma_blue), Func(chroma_red)}) {
            f.rename(y, pair)
                .split(pair, strip, pair, 8, TailStrategy::GuardWithIf)
                .parallel(strip)
                .vectorize(x, vec, TailStrategy::GuardWithIf);
        }
        chroma_blue.compute_with(luma, pair);
        chroma_red.compute_with(chroma_blue, pair);
    }

    void manual_gpu() {
        // One kernel each: compute_with does not reach into blocks.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var run("run"), xi("xi");
        // Four pixels per thread, a warp apart: a warp always touches whole runs of 32 bytes.
        luma.split(x, block_x, xi, 128, TailStrategy::GuardWithIf)
            .split(xi, run, thread_x, 32)
            .split(y, block_y, thread_y, 8, TailStrategy::GuardWithIf)
            .reorder(run, thread_x, thread_y, block_x, block_y)
            .unroll(run)
            .gpu_threads(thread_x, thread_y)
            .gpu_blocks(block_x, block_y);
        for (Func f : {Func(chroma_blue), Func(chroma_red)}) {
            f.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8,
                       TailStrategy::GuardWithIf);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    Func mean{"mean"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::RgbYuv420, rgb_yuv420)
