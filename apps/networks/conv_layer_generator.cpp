// conv_layer: one layer of a convolutional network, 3x3 convolution, bias and ReLU, in the
// innermost-channel layout (direct convolution; VGG-like layer of 128 channels, Simonyan and
// Zisserman, ICLR 2015), with the batch of 5 and image of 100 x 80 used in the scheduling
// literature. No padding: the input is two pixels larger than the output.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class ConvLayer : public App<ConvLayer> {
public:
    Input<Buffer<float, 4>> input{"input"};     // input(channel, x, y, n)
    Input<Buffer<float, 4>> filter{"filter"};   // filter(output channel, dx, dy, input channel)
    Input<Buffer<float, 1>> bias{"bias"};       // bias(output channel)
    Output<Buffer<float, 4>> output{"output"};  // output(output channel, x, y, n)

    void generate() {
        taps = RDom(0, input.dim(0).extent(), 0, 3, 0, 3, "taps");
        convolution(c, x, y, n) = bias(c);
        convolution(c, x, y, n) +=
            filter(c, taps.y, taps.z, taps.x) * input(taps.x, x + taps.y, y + taps.z, n);
        output(c, x, y, n) = max(0.0f, convolution(c, x, y, n));
    }

    void estimates() {
        const int batch = 5, channels = 128, width = 100, height = 80;
        input.set_estimates({{0, channels}, {0, width + 2}, {0, height + 2}, {0, batch}});
        filter.set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}});
        bias.set_estimates({{0, channels}});
        output.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
    }

    void manual_cpu() {
        // Accumulators for 2 vectors of channels by as many pixels as registers allow: per step two
        // loads of the filter serve all pixels, and each input value is one broadcast.
        const int vec = natural_vector_size<float>();
        const int block_channels = 2 * vec;
        const int block_pixels = get_target().has_feature(Target::AVX512) ? 10 : 5;
        // Shifted tails keep all reads in bounds: the output must be at least one block large.
        Var ci("ci"), xi("xi"), task("task");
        output.split(c, c, ci, block_channels, TailStrategy::ShiftInwards)
            .split(x, x, xi, block_pixels, TailStrategy::ShiftInwards)
            .reorder(ci, xi, x, y, c, n)
            .vectorize(ci, vec)
            .unroll(ci)
            .unroll(xi)
            .fuse(y, n, task)
            .reorder(ci, xi, x, c, task)
            .parallel(task);
        convolution.compute_at(output, x)
            .bound_extent(c, block_channels)
            .bound_extent(x, block_pixels)
            .vectorize(c, vec)
            .unroll(c)
            .unroll(x);
        convolution.update()
            .reorder(c, x, taps.x, taps.y, taps.z, y, n)
            .vectorize(c, vec)
            .unroll(c)
            .unroll(x)
            .unroll(taps.x, 2, TailStrategy::GuardWithIf);
    }

private:
    Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
    RDom taps;
    Func convolution{"convolution"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ConvLayer, conv_layer)
