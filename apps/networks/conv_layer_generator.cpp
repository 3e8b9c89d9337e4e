// conv_layer: one layer of a convolutional network, 3x3 convolution, bias and ReLU, in the
// innermost-channel layout (direct convolution; VGG-like layer of 128 channels, Simonyan and
// Zisserman, ICLR 2015), with the batch of 5 and image of 100 x 80 used in the scheduling
// literature. No padding: the input is two pixels larger than the output. Other sizes of the
// literature are other values of the parameters.
#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class ConvLayer : public App<ConvLayer> {
public:
    // The estimates; `channels` also selects the block of the manual schedule.
    GeneratorParam<int> channels{"channels", 128}, width{"width", 100}, height{"height", 80},
        batch{"batch", 5};

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
        input.set_estimates({{0, channels}, {0, width + 2}, {0, height + 2}, {0, batch}});
        filter.set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}});
        bias.set_estimates({{0, channels}});
        output.set_estimates({{0, channels}, {0, width}, {0, height}, {0, batch}});
    }

    void manual_cpu() {
        sum_in_registers(output, convolution, loops(), natural_vector_size<float>(),
                         register_block(get_target(), channels));
        Var task("task");
        output.fuse(y, n, task).parallel(task);
    }

    void manual_gpu() { sum_in_gpu_registers(output, convolution, loops(), y, {n}, channels); }

private:
    ConvolutionLoops loops() const { return {c, x, {taps.x, taps.y, taps.z}}; }

    Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
    RDom taps;
    Func convolution{"convolution"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ConvLayer, conv_layer)
