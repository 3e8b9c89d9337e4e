// disparity_search: dense stereo by local matching, as in the taxonomy of Scharstein and Szeliski
// (IJCV 2002): absolute differences of two rectified images, summed over a square window, the
// cheapest of 32 disparities per pixel (winner takes all), and Fua's check (1993) that the right
// image's winner agrees with the left one's.
//
// Both winners are reductions over the same volume of costs: the left image's along z, the right
// one's along a diagonal, since what lies at x in the right image lies at x + z in the left one. The
// check reads the right winner where the left one says. Of equal costs the smaller disparity wins.
// Edge pixels are repeated outwards.
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class DisparitySearch : public App<DisparitySearch> {
public:
    GeneratorParam<int> disparities{"disparities", 32, 2, 128};
    GeneratorParam<int> window_radius{"window_radius", 4, 1, 7};
    Input<Buffer<uint8_t, 2>> left{"left"};
    Input<Buffer<uint8_t, 2>> right{"right"};
    Output<Buffer<uint8_t, 2>> output{"output"};  // the disparity, or 255 where the check fails

    void generate() {
        const Func left_edge = BoundaryConditions::repeat_edge(left);
        const Func right_edge = BoundaryConditions::repeat_edge(right);
        difference(x, y, z) = cast<uint16_t>(absd(left_edge(x, y), right_edge(x - z, y)));
        // Of 15 x 15 differences, the most that the radius allows, the sum fits into 16 bits.
        const int r = window_radius;
        Expr in_row = difference(x - r, y, z);
        for (int d = 1 - r; d <= r; d++) {
            in_row = in_row + difference(x + d, y, z);
        }
        across(x, y, z) = in_row;
        Expr in_column = across(x, y - r, z);
        for (int d = 1 - r; d <= r; d++) {
            in_column = in_column + across(x, y + d, z);
        }
        cost(x, y, z) = in_column;

        candidates = RDom(0, disparities, "candidates");
        choose(left_winner, cost(x, y, candidates));
        choose(right_winner, cost(x + candidates, y, candidates));

        const Expr found = left_winner(x, y)[1];
        const Expr place = clamp(cast<int>(found), 0, int(disparities) - 1);
        output(x, y) =
            select(absd(found, right_winner(x - place, y)[1]) <= 1, found, cast<uint8_t>(255));
    }

    void estimates() {
        const int width = 1536, height = 1024;
        left.set_estimates({{0, width}, {0, height}});
        right.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<uint16_t>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        // Down a tile, sums along x slide in a ring of rows, for all disparities; a row's costs stay
        // in the first cache level for both winners.
        Var strip("strip"), tile("tile"), xi("xi"), yi("yi");
        output.tile(x, y, tile, strip, xi, yi, 4 * vec, 64, guard)
            .parallel(strip)
            .vectorize(xi, vec, guard);
        cost.compute_at(output, yi).vectorize(x, vec);
        across.store_at(output, tile).compute_at(output, yi).vectorize(x, vec);
        for (Func *winner : {&left_winner, &right_winner}) {
            winner->compute_at(output, yi).vectorize(x, vec);
            winner->update().reorder(candidates, x).vectorize(x, vec);
        }
    }

    void manual_gpu() {
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        const auto tiled = [&](Func f) {
            f.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8,
                       TailStrategy::GuardWithIf);
        };
        tiled(across.compute_root());
        tiled(cost.compute_root());
        tiled(right_winner.compute_root());
        right_winner.update().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8,
                                       TailStrategy::GuardWithIf);
        tiled(output);
        left_winner.compute_at(output, thread_x);
    }

private:
    void choose(Func &winner, const Expr &candidate) {
        winner(x, y) = Tuple(UInt(16).max(), cast<uint8_t>(0));
        const Expr better = candidate < winner(x, y)[0];
        winner(x, y) = Tuple(select(better, candidate, winner(x, y)[0]),
                             select(better, cast<uint8_t>(candidates), winner(x, y)[1]));
    }

    Var x{"x"}, y{"y"}, z{"z"};
    RDom candidates;
    Func difference{"difference"}, across{"across"}, cost{"cost"};
    Func left_winner{"left_winner"}, right_winner{"right_winner"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::DisparitySearch, disparity_search)
