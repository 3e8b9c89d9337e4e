// layer_norm: layer normalisation (Ba, Kiros and Hinton, 2016): each row minus its mean, divided by
// its standard deviation, times a scale and plus a shift per channel. 4096 rows of 1024 channels, a
// batch of tokens of a large transformer. The variance is summed in a second pass, from the mean.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class LayerNorm : public App<LayerNorm> {
public:
    Input<Buffer<float, 2>> input{"input"};  // input(channel, row)
    Input<Buffer<float, 1>> scale{"scale"};
    Input<Buffer<float, 1>> shift{"shift"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        channels = RDom(0, input.dim(0).extent(), "channels");
        const Expr inverse_count = 1.0f / cast<float>(input.dim(0).extent());
        sum(row) = 0.0f;
        sum(row) += input(channels, row);
        mean(row) = sum(row) * inverse_count;
        const Expr deviation = input(channels, row) - mean(row);
        squares(row) = 0.0f;
        squares(row) += deviation * deviation;
        inverse_deviation(row) = 1.0f / sqrt(squares(row) * inverse_count + 1e-5f);
        output(c, row) = (input(c, row) - mean(row)) * inverse_deviation(row) * scale(c) + shift(c);
    }

    void estimates() {
        const int width = 1024, rows = 4096;
        input.set_estimates({{0, width}, {0, rows}});
        scale.set_estimates({{0, width}});
        shift.set_estimates({{0, width}});
        output.set_estimates({{0, width}, {0, rows}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        // A row passes through the first-level cache once; four vectors of partial sums hide the
        // latency of the additions.
        Var strip("strip"), lane("lane");
        output.split(row, strip, row, 32, guard).parallel(strip).vectorize(c, vec, guard);
        for (Func total : {sum, squares}) {
            RVar outer("outer"), inner("inner");
            total.compute_at(output, row);
            total.update().split(channels.x, outer, inner, 4 * vec, guard);
            Func lanes = total.update().rfactor(inner, lane);
            lanes.compute_at(output, row).vectorize(lane, vec).unroll(lane);
            lanes.update().reorder(lane, outer).vectorize(lane, vec).unroll(lane);
            total.update().atomic().vectorize(inner, vec);
        }
        mean.compute_at(output, row);
        inverse_deviation.compute_at(output, row);
    }

    void manual_gpu() {
        // A block of threads per row; partial sums per thread, added up by one of them.
        constexpr int threads = 128;
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var ci("ci"), lane("lane"), single("single");
        output.split(c, c, ci, threads, guard).reorder(c, ci, row).gpu_blocks(row).gpu_threads(ci);
        for (Func total : {sum, squares}) {
            RVar outer("outer"), inner("inner");
            total.compute_at(output, row);
            total.update().split(channels.x, outer, inner, threads, guard);
            Func lanes = total.update().rfactor(inner, lane);
            lanes.compute_at(output, row).gpu_threads(lane);
            lanes.update().reorder(outer, lane).gpu_threads(lane);
        }
        mean.compute_at(output, row);
        inverse_deviation.compute_at(output, row);
    }

private:
    Var c{"c"}, row{"row"};
    RDom channels;
    Func sum{"sum"}, mean{"mean"}, squares{"squares"}, inverse_deviation{"inverse_deviation"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::LayerNorm, layer_norm)
