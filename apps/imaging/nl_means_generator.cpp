// nl_means: denoising by non-local means (Buades, Coll and Morel, "A non-local algorithm for image
// denoising", CVPR 2005). A pixel becomes the weighted mean of the pixels in a window around it;
// the weight falls with the squared distance between the patches around the two. As in Darbon et
// al. ("Fast nonlocal filtering applied to electron cryomicroscopy", ISBI 2008), distances are made
// shift by shift, so that neighbouring patches share their sums.
//
// Patches are square without a Gaussian window; colours share one weight. The image's edge pixels
// are repeated outwards.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class NonLocalMeans : public App<NonLocalMeans> {
public:
    GeneratorParam<int> patch_size{"patch_size", 7, 1, 31};    // odd
    GeneratorParam<int> search_size{"search_size", 7, 1, 31};  // odd
    Input<Buffer<float, 3>> input{"input"};
    Input<float> sigma{"sigma", 0.12f, 0.001f, 10.0f};  // per colour value, of a mean difference
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        clamped(x, y, c) = BoundaryConditions::repeat_edge(input)(x, y, c);

        Expr squares = 0.0f;
        for (int channel = 0; channel < 3; channel++) {
            const Expr d = clamped(x, y, channel) - clamped(x + dx, y + dy, channel);
            squares = channel == 0 ? d * d : squares + d * d;
        }
        difference(x, y, dx, dy) = squares;
        const auto sum_over_patch = [&](auto at) {
            const int reach = patch_size / 2;
            Expr sum = at(-reach);
            for (int i = 1 - reach; i <= reach; i++) {
                sum += at(i);
            }
            return sum;
        };
        across(x, y, dx, dy) =
            sum_over_patch([&](int i) { return Expr(difference(x + i, y, dx, dy)); });
        const Expr distance = sum_over_patch([&](int j) { return Expr(across(x, y + j, dx, dy)); });
        const int size = patch_size;
        weight(x, y, dx, dy) = fast_exp(distance * (-1.0f / (sigma * sigma * float(size * size))));

        // The fourth channel sums the weights.
        window = RDom(-(search_size / 2), search_size, -(search_size / 2), search_size, "window");
        weighted(x, y, c) += weight(x, y, window.x, window.y) *
                             select(c < 3, clamped(x + window.x, y + window.y, min(c, 2)), 1.0f);
        output(x, y, c) = weighted(x, y, c) / weighted(x, y, 3);
    }

    void estimates() {
        const int width = 614, height = 1024;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        sigma.set_estimate(0.12f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // A tile stays in cache while the window's rows of shifts go over it one by one. For the
        // shifts of one row, differences summed across slide down the tile in rings, and a vector
        // of the sums stays in registers.
        const int vec = natural_vector_size<float>();
        Var tile("tile"), strip("strip"), xi("xi"), yi("yi");
        output.tile(x, y, tile, strip, xi, yi, 8 * vec, 32, TailStrategy::GuardWithIf)
            .reorder(xi, c, yi, tile, strip)
            .bound(c, 0, 3)
            .unroll(c)
            .parallel(strip)
            .vectorize(xi, vec, TailStrategy::GuardWithIf);
        clamped.compute_at(output, tile).bound_extent(c, 3).unroll(c).vectorize(x, vec);
        weighted.compute_at(output, tile).bound_extent(c, 4).unroll(c).vectorize(x, vec);
        weighted.update()
            .reorder(c, window.x, x, y, window.y)
            .unroll(c)
            .unroll(window.x)
            .vectorize(x, vec);
        across.store_at(weighted, window.y)
            .compute_at(weighted, y)
            .reorder(dx, x, y, dy)
            .unroll(dx)
            .vectorize(x, vec);
        difference.compute_at(weighted, y).reorder(dx, x, y, dy).unroll(dx).vectorize(x, vec);
    }

    void manual_gpu() {
        // One kernel makes all weights, each block for one shift in shared memory; the other takes
        // the weighted means in registers.
        Var bx("bx"), by("by"), tx("tx"), ty("ty"), shift("shift");
        weight.compute_root()
            .fuse(dx, dy, shift)
            .tile(x, y, bx, by, tx, ty, 32, 16)
            .gpu_blocks(bx, by, shift)
            .gpu_threads(tx, ty);
        across.compute_at(weight, bx).gpu_threads(x, y);
        difference.compute_at(weight, bx).gpu_threads(x, y);

        output.bound(c, 0, 3)
            .tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf)
            .reorder(c, tx, ty, bx, by)
            .unroll(c)
            .gpu_blocks(bx, by)
            .gpu_threads(tx, ty);
        weighted.compute_at(output, tx).bound_extent(c, 4).unroll(c);
        weighted.update().reorder(c, window.x, window.y).unroll(c);
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, dx{"dx"}, dy{"dy"};
    RDom window;
    Func clamped{"clamped"}, difference{"difference"}, across{"across"}, weight{"weight"};
    Func weighted{"weighted"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::NonLocalMeans, nl_means)
