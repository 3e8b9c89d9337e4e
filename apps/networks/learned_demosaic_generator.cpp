// learned_demosaic: demosaicking by a convolutional network after Gharbi et al., "Deep joint
// demosaicking and denoising" (SIGGRAPH Asia 2016): the four colours of the Bayer pattern become four
// channels of half the size, layers of 3x3 convolutions with ReLU follow, and a linear projection
// to 12 channels gives three colours for each of the four pixels. What differs: 4 layers of 16
// channels instead of 15 of 64, no layer at full size (the projection is added to the pixel's own
// sample instead), and the image is mirrored at its borders, in keeping with the pattern, instead
// of becoming smaller.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class LearnedDemosaic : public App<LearnedDemosaic> {
public:
    Input<Buffer<uint16_t, 2>> mosaic{"mosaic"};           // mosaic(x, y)
    Input<Buffer<float, 4>> first_filter{"first_filter"};  // filter(out, dx, dy, in)
    Input<Buffer<float, 5>> filters{"filters"};            // filters(out, dx, dy, in, layer)
    Input<Buffer<float, 2>> biases{"biases"};              // biases(channel, layer), the first too
    Input<Buffer<float, 2>> projection{"projection"};      // projection(4 * colour + pixel, in)
    Output<Buffer<float, 3>> output{"output"};             // output(x, y, colour)

    void generate() {
        mirrored = BoundaryConditions::mirror_interior(mosaic);
        packed(c, x, y) = cast<float>(mirrored(2 * x + c % 2, 2 * y + c / 2)) / 65535.0f;
        first_taps = RDom(0, 4, 0, 3, 0, 3, "first_taps");
        taps = RDom(0, biases.dim(0).extent(), 0, 3, 0, 3, "taps");
        for (int i = 0; i < layers; i++) {
            const std::string number = std::to_string(i);
            Func sum("sum_" + number), layer("layer_" + number);
            const RDom &r = i == 0 ? first_taps : taps;
            const Func source = i == 0 ? packed : layer_outputs.back();
            const Expr filter =
                i == 0 ? first_filter(c, r.y, r.z, r.x) : filters(c, r.y, r.z, r.x, i - 1);
            sum(c, x, y) = biases(c, i);
            sum(c, x, y) += filter * source(r.x, x + r.y - 1, y + r.z - 1);
            layer(c, x, y) = max(0.0f, sum(c, x, y));
            sums.push_back(sum);
            layer_outputs.push_back(layer);
        }
        features = RDom(0, biases.dim(0).extent(), "features");
        projected(c, x, y) = 0.0f;
        projected(c, x, y) += projection(c, features) * layer_outputs.back()(features, x, y);
        residual(c, x, y) = projected(c, x, y);
        output(x, y, colour) = residual(4 * colour + 2 * (y % 2) + x % 2, x / 2, y / 2) +
                               cast<float>(mosaic(x, y)) / 65535.0f;
    }

    void estimates() {
        const int width = 1536, height = 2560;
        mosaic.set_estimates({{0, width}, {0, height}});
        first_filter.set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, 4}});
        filters.set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}, {0, layers - 1}});
        biases.set_estimates({{0, channels}, {0, layers}});
        projection.set_estimates({{0, 12}, {0, channels}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.dim(2).set_bounds(0, 3);
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        const RegisterBlock block = register_block(get_target(), channels, 8);
        // All layers slide down a strip of the packed image, row by row.
        Var strip("strip");
        output.split(y, strip, y, 64, guard)
            .reorder(x, colour, y, strip)
            .vectorize(x, 2 * vec, guard)
            .parallel(strip);
        // Twelve channels are no multiple of a long vector, but of one of four.
        residual.compute_at(output, strip);
        sum_in_registers(residual, projected, {c, x, {features.x}}, 4,
                         {3, get_target().has_feature(Target::AVX512) ? 8 : 4});
        for (std::size_t i = 0; i < sums.size(); i++) {
            layer_outputs[i].store_at(output, strip).compute_at(residual, y);
            sum_in_registers(layer_outputs[i], sums[i], {c, x, layer_taps(i)}, vec, block);
        }
        // The first step of a strip fills five rows of it, too many for Halide to fold by itself.
        layer_outputs[1].fold_storage(y, 8);
        packed.store_at(output, strip)
            .compute_at(residual, y)
            .bound(c, 0, 4)
            .unroll(c)
            .vectorize(x, vec, guard);
    }

    void manual_gpu() {
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var xi("xi"), yi("yi"), xp("xp"), yp("yp");
        packed.compute_root().bound(c, 0, 4).gpu_tile(x, y, xi, yi, 32, 4, guard);
        packed.reorder(c, xi, yi, x, y).unroll(c);
        for (std::size_t i = 0; i < sums.size(); i++) {
            layer_outputs[i].compute_root();
            sum_in_gpu_registers(layer_outputs[i], sums[i], {c, x, layer_taps(i)}, y, {}, channels);
        }
        // A thread makes all colours of its 2 x 2 pixels.
        output.split(x, x, xp, 2, guard)
            .split(y, y, yp, 2, guard)
            .reorder(xp, yp, colour, x, y)
            .gpu_tile(x, y, xi, yi, 32, 4, guard)
            .unroll(xp)
            .unroll(yp)
            .unroll(colour);
        projected.compute_at(output, xi).bound_extent(c, 12).unroll(c);
        projected.update().reorder(c, features).unroll(c);
    }

private:
    static constexpr int channels = 16, layers = 4;

    std::vector<RVar> layer_taps(std::size_t layer) const {
        const RDom &r = layer == 0 ? first_taps : taps;
        return {r.x, r.y, r.z};
    }

    Var c{"c"}, x{"x"}, y{"y"}, colour{"colour"};
    RDom first_taps, taps, features;
    Func mirrored{"mirrored"}, packed{"packed"}, projected{"projected"}, residual{"residual"};
    std::vector<Func> sums, layer_outputs;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::LearnedDemosaic, learned_demosaic)
