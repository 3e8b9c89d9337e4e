// depthwise_separable_conv: the block of MobileNet (Howard et al., 2017): a 3x3 filter of its own
// for every channel, with zero padding, then a 1x1 convolution across the channels, bias and ReLU.
// Images of 112 x 112, batch 4, 32 channels to 16, as in the scheduling literature (Anderson et
// al., OOPSLA 2021). What differs from MobileNet: one ReLU, at the end, as in that literature.
#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class DepthwiseSeparableConv : public App<DepthwiseSeparableConv> {
public:
    Input<Buffer<float, 4>> input{"input"};                        // input(channel, x, y, n)
    Input<Buffer<float, 3>> depthwise_filter{"depthwise_filter"};  // filter(channel, dx, dy)
    Input<Buffer<float, 2>> pointwise_filter{
        "pointwise_filter"};                    // filter(output channel, channel)
    Input<Buffer<float, 1>> bias{"bias"};       // bias(output channel)
    Output<Buffer<float, 4>> output{"output"};  // output(output channel, x, y, n)

    void generate() {
        padded = BoundaryConditions::constant_exterior(input, 0.0f,
                                                       {{Expr(), Expr()},
                                                        {0, input.dim(1).extent()},
                                                        {0, input.dim(2).extent()},
                                                        {Expr(), Expr()}});
        window = RDom(0, 3, 0, 3, "window");
        depthwise(c, x, y, n) = 0.0f;
        depthwise(c, x, y, n) += depthwise_filter(c, window.x, window.y) *
                                 padded(c, x + window.x - 1, y + window.y - 1, n);
        channels = RDom(0, input.dim(0).extent(), "channels");
        pointwise(c, x, y, n) = bias(c);
        pointwise(c, x, y, n) += pointwise_filter(c, channels) * depthwise(channels, x, y, n);
        output(c, x, y, n) = max(0.0f, pointwise(c, x, y, n));
    }

    void estimates() {
        const int size = 112, batch = 4;
        input.set_estimates({{0, in_channels}, {0, size}, {0, size}, {0, batch}});
        depthwise_filter.set_estimates({{0, in_channels}, {0, 3}, {0, 3}});
        pointwise_filter.set_estimates({{0, out_channels}, {0, in_channels}});
        bias.set_estimates({{0, out_channels}});
        output.set_estimates({{0, out_channels}, {0, size}, {0, size}, {0, batch}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        const RegisterBlock block = register_block(get_target(), out_channels, 8);
        Var task("task"), strip("strip");
        sum_in_registers(output, pointwise, {c, x, {channels.x}}, vec, block);
        output.split(y, strip, y, 8, TailStrategy::GuardWithIf).fuse(strip, n, task).parallel(task);
        // Zeros around the image cost a copy, and save a comparison per value in the loops below.
        const Var padded_c = padded.args()[0], padded_y = padded.args()[2];
        padded.store_at(output, task)
            .compute_at(output, y)
            .fold_storage(padded_y, 4)
            .vectorize(padded_c, vec, TailStrategy::GuardWithIf);
        // The 9 values of a channel's filter stay in registers along the block's pixels.
        depthwise.compute_at(output, x).vectorize(c, vec, TailStrategy::GuardWithIf);
        depthwise.update()
            .reorder(window.x, window.y, x, c)
            .vectorize(c, vec, TailStrategy::GuardWithIf)
            .unroll(window.x)
            .unroll(window.y)
            .unroll(x, 4, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        sum_in_gpu_registers(output, pointwise, {c, x, {channels.x}}, y, {n}, out_channels);
        // Shared by a block of threads: 16 pixels of 4 rows, all channels.
        Var ci("ci"), xi("xi");
        depthwise.compute_at(output, c)
            .split(c, c, ci, 16, TailStrategy::GuardWithIf)
            .split(x, x, xi, 4, TailStrategy::GuardWithIf)
            .reorder(xi, c, ci, x, y)
            .gpu_threads(ci, x, y);
        depthwise.update()
            .split(c, c, ci, 16, TailStrategy::GuardWithIf)
            .split(x, x, xi, 4, TailStrategy::GuardWithIf)
            .reorder(window.x, window.y, xi, c, ci, x, y)
            .unroll(window.x)
            .unroll(window.y)
            .gpu_threads(ci, x, y);
    }

private:
    static constexpr int in_channels = 32, out_channels = 16;

    Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
    RDom window, channels;
    Func padded{"padded"}, depthwise{"depthwise"}, pointwise{"pointwise"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::DepthwiseSeparableConv, depthwise_separable_conv)
