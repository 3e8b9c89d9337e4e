// vdsr: super-resolution by a very deep network (Kim, Lee and Lee, "Accurate image super-resolution
// using very deep convolutional networks", CVPR 2016): 20 layers of 3x3 convolutions with zero
// padding, 64 channels between them and ReLU after all but the last, whose result is added to the
// image, an already enlarged luminance. 256 x 256 pixels: 87 GFLOP, so that a run ends in a second.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class Vdsr : public App<Vdsr> {
public:
    GeneratorParam<int> layers{"layers", 20};

    Input<Buffer<float, 2>> input{"input"};                // input(x, y)
    Input<Buffer<float, 3>> first_filter{"first_filter"};  // first_filter(output channel, dx, dy)
    Input<Buffer<float, 5>> filters{"filters"};            // filters(out, dx, dy, in, layer)
    Input<Buffer<float, 2>> biases{"biases"};              // biases(channel, layer), the first too
    Input<Buffer<float, 3>> last_filter{"last_filter"};    // last_filter(input channel, dx, dy)
    Input<float> last_bias{"last_bias"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        const Expr width = input.dim(0).extent(), height = input.dim(1).extent();
        padded_input = BoundaryConditions::constant_exterior(input, 0.0f);
        window = RDom(0, 3, 0, 3, "window");
        taps = RDom(0, biases.dim(0).extent(), 0, 3, 0, 3, "taps");
        for (int i = 0; i < layers - 1; i++) {
            const std::string number = std::to_string(i);
            Func sum("sum_" + number), layer("layer_" + number);
            sum(c, x, y) = biases(c, i);
            if (i == 0) {
                sum(c, x, y) += first_filter(c, window.x, window.y) *
                                padded_input(x + window.x - 1, y + window.y - 1);
            } else {
                sum(c, x, y) += filters(c, taps.y, taps.z, taps.x, i - 1) *
                                padded.back()(taps.x, x + taps.y - 1, y + taps.z - 1);
            }
            layer(c, x, y) = max(0.0f, sum(c, x, y));
            sums.push_back(sum);
            layer_outputs.push_back(layer);
            padded.push_back(BoundaryConditions::constant_exterior(
                layer, 0.0f, {{Expr(), Expr()}, {0, width}, {0, height}}));
        }
        residual(x, y) = last_bias;
        residual(x, y) += last_filter(taps.x, taps.y, taps.z) *
                          padded.back()(taps.x, x + taps.y - 1, y + taps.z - 1);
        output(x, y) = input(x, y) + residual(x, y);
    }

    void estimates() {
        const int size = 256;
        input.set_estimates({{0, size}, {0, size}});
        first_filter.set_estimates({{0, channels}, {0, 3}, {0, 3}});
        filters.set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}, {0, layers - 2}});
        biases.set_estimates({{0, channels}, {0, layers - 1}});
        last_filter.set_estimates({{0, channels}, {0, 3}, {0, 3}});
        last_bias.set_estimate(0.0f);
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        const RegisterBlock block = register_block(get_target(), channels, 8);
        // A layer at a time: fused layers would recompute two rows each at every task's border. The
        // zeros around a layer are stored with it, so that the loops over the filter need no test.
        padded_input.compute_root().vectorize(padded_input.args()[0], vec, guard);
        for (std::size_t i = 0; i < sums.size(); i++) {
            const std::vector<Var> padded_args = padded[i].args();
            padded[i].compute_root().parallel(padded_args[2]).vectorize(padded_args[0], vec, guard);
            layer_outputs[i].compute_at(padded[i], padded_args[2]);
            sum_in_registers(layer_outputs[i], sums[i], {c, x, layer_taps(i)}, vec, block);
        }
        output.parallel(y);
        // The only reduction over the innermost dimension: one vector of partial sums per pixel.
        RVar outer("outer"), inner("inner");
        Var lane("lane");
        residual.compute_at(output, x);
        residual.update().split(taps.x, outer, inner, vec, guard);
        Func lanes = residual.update().rfactor(inner, lane);
        lanes.compute_at(output, x).vectorize(lane, vec);
        lanes.update().reorder(lane, outer, taps.y, taps.z).vectorize(lane, vec);
        residual.update().atomic().vectorize(inner, vec);
    }

    void manual_gpu() {
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var xi("xi"), yi("yi");
        for (std::size_t i = 0; i < sums.size(); i++) {
            layer_outputs[i].compute_root();
            sum_in_gpu_registers(layer_outputs[i], sums[i], {c, x, layer_taps(i)}, y, {}, channels);
        }
        output.gpu_tile(x, y, xi, yi, 32, 4, guard);
        residual.compute_at(output, xi);
    }

private:
    static constexpr int channels = 64;

    std::vector<RVar> layer_taps(std::size_t layer) const {
        return layer == 0 ? std::vector<RVar>{window.x, window.y}
                          : std::vector<RVar>{taps.x, taps.y, taps.z};
    }

    Var c{"c"}, x{"x"}, y{"y"};
    RDom window, taps;
    Func padded_input{"padded_input"}, residual{"residual"};
    std::vector<Func> sums, layer_outputs, padded;  // one per layer but the last
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Vdsr, vdsr)
