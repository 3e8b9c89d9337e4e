// conv_conv: two chained 3x3 convolutions of 16 channels, each with bias and ReLU, on images of
// 512 x 512: the pair of layers whose fusion Tiramisu measures (Baghdadi et al., CGO 2019). What
// differs: the channels are innermost, the batch is 4 instead of 32 (so that all buffers fit), and
// there is no padding: the input is four pixels larger than the output.
#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class ConvConv : public App<ConvConv> {
public:
    Input<Buffer<float, 4>> input{"input"};      // input(channel, x, y, n)
    Input<Buffer<float, 4>> filter1{"filter1"};  // filter(output channel, dx, dy, input channel)
    Input<Buffer<float, 1>> bias1{"bias1"};
    Input<Buffer<float, 4>> filter2{"filter2"};
    Input<Buffer<float, 1>> bias2{"bias2"};
    Output<Buffer<float, 4>> output{"output"};

    void generate() {
        const auto convolve = [&](Func &sum, RDom &taps, const auto &source, const auto &filter,
                                  const auto &bias) {
            taps = RDom(0, filter.dim(3).extent(), 0, 3, 0, 3);
            sum(c, x, y, n) = bias(c);
            sum(c, x, y, n) +=
                filter(c, taps.y, taps.z, taps.x) * source(taps.x, x + taps.y, y + taps.z, n);
        };
        convolve(sum1, taps1, input, filter1, bias1);
        layer1(c, x, y, n) = max(0.0f, sum1(c, x, y, n));
        convolve(sum2, taps2, layer1, filter2, bias2);
        output(c, x, y, n) = max(0.0f, sum2(c, x, y, n));
    }

    void estimates() {
        const int batch = 4, size = 512;
        input.set_estimates({{0, channels}, {0, size + 4}, {0, size + 4}, {0, batch}});
        for (auto *filter : {&filter1, &filter2}) {
            filter->set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}});
        }
        for (auto *bias : {&bias1, &bias2}) {
            bias->set_estimates({{0, channels}});
        }
        output.set_estimates({{0, channels}, {0, size}, {0, size}, {0, batch}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        const RegisterBlock block = register_block(get_target(), channels);
        Var strip("strip"), task("task");
        sum_in_registers(output, sum2, {c, x, {taps2.x, taps2.y, taps2.z}}, vec, block);
        output.split(y, strip, y, 32, TailStrategy::GuardWithIf)
            .fuse(strip, n, task)
            .parallel(task);
        // The first layer slides down the strip: of its rows only the last ones are ever stored.
        sum_in_registers(layer1, sum1, {c, x, {taps1.x, taps1.y, taps1.z}}, vec, block);
        layer1.store_at(output, task).compute_at(output, y).fold_storage(y, 4);
    }

    void manual_gpu() {
        layer1.compute_root();
        sum_in_gpu_registers(layer1, sum1, {c, x, {taps1.x, taps1.y, taps1.z}}, y, {n}, channels);
        sum_in_gpu_registers(output, sum2, {c, x, {taps2.x, taps2.y, taps2.z}}, y, {n}, channels);
    }

private:
    static constexpr int channels = 16;

    Var c{"c"}, x{"x"}, y{"y"}, n{"n"};
    RDom taps1, taps2;
    Func sum1{"sum1"}, layer1{"layer1"}, sum2{"sum2"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ConvConv, conv_conv)
