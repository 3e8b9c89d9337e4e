// resnet_bottleneck: the bottleneck block of ResNet-50 (He et al., "Deep residual learning for image
// recognition", CVPR 2016), second stage, without down-sampling: 1x1 convolution from 256 to 64
// channels, 3x3 convolution with zero padding, 1x1 convolution back to 256, ReLU after each, and
// the input added before the last ReLU. For inference: the batch normalisations are folded into the
// filters and biases. Images of 56 x 56 as in the paper, batch 4.
#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class ResnetBottleneck : public App<ResnetBottleneck> {
public:
    Input<Buffer<float, 4>> input{"input"};  // input(channel, x, y, n)
    Input<Buffer<float, 2>> reduce_filter{
        "reduce_filter"};  // filter(output channel, input channel)
    Input<Buffer<float, 1>> reduce_bias{"reduce_bias"};
    Input<Buffer<float, 4>> spatial_filter{"spatial_filter"};  // filter(out, dx, dy, in)
    Input<Buffer<float, 1>> spatial_bias{"spatial_bias"};
    Input<Buffer<float, 2>> expand_filter{"expand_filter"};
    Input<Buffer<float, 1>> expand_bias{"expand_bias"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        channels = RDom(0, input.dim(0).extent(), "channels");
        reduce_sum(c, x, y, n) = reduce_bias(c);
        reduce_sum(c, x, y, n) += reduce_filter(c, channels) * input(channels, x, y, n);
        reduced(c, x, y, n) = max(0.0f, reduce_sum(c, x, y, n));
        padded = BoundaryConditions::constant_exterior(reduced, 0.0f,
                                                       {{Expr(), Expr()},
                                                        {0, input.dim(1).extent()},
                                                        {0, input.dim(2).extent()},
                                                        {Expr(), Expr()}});

        taps = RDom(0, reduce_bias.dim(0).extent(), 0, 3, 0, 3, "taps");
        spatial_sum(c, x, y, n) = spatial_bias(c);
        spatial_sum(c, x, y, n) += spatial_filter(c, taps.y, taps.z, taps.x) *
                                   padded(taps.x, x + taps.y - 1, y + taps.z - 1, n);
        spatial(c, x, y, n) = max(0.0f, spatial_sum(c, x, y, n));

        inner = RDom(0, spatial_bias.dim(0).extent(), "inner");
        expand_sum(c, x, y, n) = expand_bias(c);
        expand_sum(c, x, y, n) += expand_filter(c, inner) * spatial(inner, x, y, n);
        output(c, x, y, n) = max(0.0f, expand_sum(c, x, y, n) + input(c, x, y, n));
    }

    void estimates() {
        const int size = 56, batch = 4;
        input.set_estimates({{0, wide}, {0, size}, {0, size}, {0, batch}});
        reduce_filter.set_estimates({{0, narrow}, {0, wide}});
        reduce_bias.set_estimates({{0, narrow}});
        spatial_filter.set_estimates({{0, narrow}, {0, 3}, {0, 3}, {0, narrow}});
        spatial_bias.set_estimates({{0, narrow}});
        expand_filter.set_estimates({{0, wide}, {0, narrow}});
        expand_bias.set_estimates({{0, wide}});
        output.set_estimates({{0, wide}, {0, size}, {0, size}, {0, batch}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        const RegisterBlock block = register_block(get_target(), narrow, 8);
        Var strip("strip"), task("task"), padded_c = padded.args()[0], padded_y = padded.args()[2];
        sum_in_registers(output, expand_sum, {c, x, {inner.x}}, vec, block);
        output.split(y, strip, y, 14, TailStrategy::GuardWithIf)
            .fuse(strip, n, task)
            .parallel(task);
        // Row by row, so that nothing leaves the second-level cache but the input and the output.
        sum_in_registers(spatial, spatial_sum, {c, x, {taps.x, taps.y, taps.z}}, vec, block);
        spatial.compute_at(output, y);
        padded.store_at(output, task)
            .compute_at(output, y)
            .fold_storage(padded_y, 4)
            .vectorize(padded_c, vec, TailStrategy::GuardWithIf);
        sum_in_registers(reduced, reduce_sum, {c, x, {channels.x}}, vec, block);
        reduced.compute_at(padded, padded_y);
    }

    void manual_gpu() {
        reduced.compute_root();
        sum_in_gpu_registers(reduced, reduce_sum, {c, x, {channels.x}}, y, {n}, narrow);
        spatial.compute_root();
        sum_in_gpu_registers(spatial, spatial_sum, {c, x, {taps.x, taps.y, taps.z}}, y, {n},
                             narrow);
        sum_in_gpu_registers(output, expand_sum, {c, x, {inner.x}}, y, {n}, wide);
    }

private:
    static constexpr int wide = 256, narrow = 64;

    Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
    RDom channels, taps, inner;
    Func reduce_sum{"reduce_sum"}, reduced{"reduced"}, padded{"padded"};
    Func spatial_sum{"spatial_sum"}, spatial{"spatial"}, expand_sum{"expand_sum"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ResnetBottleneck, resnet_bottleneck)
