// warp_affine: an 8-bit image seen through an affine map, with bilinear interpolation, as in the
// image suite of Baghdadi et al., "Tiramisu" (CGO 2019, section 7): output (x, y) reads the input
// at (a00 x + a01 y + b0, a10 x + a11 y + b1). The image's edge pixels are repeated outwards. Where
// it reads is known at run time only, so nothing can be bounded but the whole image.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class WarpAffine : public App<WarpAffine> {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<float> a00{"a00"}, a01{"a01"}, b0{"b0"};
    Input<float> a10{"a10"}, a11{"a11"}, b1{"b1"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        const Expr u = a00 * x + a01 * y + b0;
        const Expr v = a10 * x + a11 * y + b1;
        const Expr left = floor(u), top = floor(v);
        const Expr part_x = u - left, part_y = v - top;
        const auto pixel = [&](int dx, int dy) {
            return cast<float>(input(clamp(cast<int>(left) + dx, 0, input.width() - 1),
                                     clamp(cast<int>(top) + dy, 0, input.height() - 1)));
        };
        const auto mix = [](const Expr &a, const Expr &b, const Expr &part) {
            return a + part * (b - a);
        };
        const Expr above = mix(pixel(0, 0), pixel(1, 0), part_x);
        const Expr below = mix(pixel(0, 1), pixel(1, 1), part_x);
        output(x, y) = cast<uint8_t>(mix(above, below, part_y) + 0.5f);
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width}, {0, height}});
        a00.set_estimate(0.985f);
        a01.set_estimate(-0.174f);
        b0.set_estimate(306.0f);
        a10.set_estimate(0.174f);
        a11.set_estimate(0.985f);
        b1.set_estimate(-157.0f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        // Bound by the gathers of single bytes, which become scalar loads; long vectors keep many
        // in flight.
        const int vec = natural_vector_size<uint8_t>();
        output.parallel(y, 16, TailStrategy::GuardWithIf)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // The texture-like access is left to the caches; square blocks keep it compact.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 16,
                        TailStrategy::GuardWithIf);
    }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::WarpAffine, warp_affine)
