// From a merged mosaic to linear colours: black and white level, white balance, demosaicking by
// linear filters with corrected gradients (Malvar, He and Cutler, ICASSP 2004), and three passes
// over the chroma by a filter with holes that grow (Dammertz et al., HPG 2010) whose weights follow the luma.
#pragma once

#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps::burst {

struct DevelopParameters {
    Expr black_level, white_level, red_gain, blue_gain;
};

class Develop {
public:
    // mosaic(x, y): red at even rows and columns, blue at odd ones.
    Develop(const Func &mosaic, const DevelopParameters &p) {
        const Expr even_x = x % 2 == 0, even_y = y % 2 == 0;
        const Expr gain =
            select(even_x && even_y, p.red_gain, !even_x && !even_y, p.blue_gain, 1.0f);
        balanced(x, y) =
            clamp((mosaic(x, y) - p.black_level) / (p.white_level - p.black_level), 0.0f, 1.0f) *
            gain;
        demosaic(even_x, even_y);

        luma(x, y) = 0.25f * rgb(x, y, 0) + 0.5f * rgb(x, y, 1) + 0.25f * rgb(x, y, 2);
        Func before("chroma");
        before(x, y, c) = rgb(x, y, 2 * c) - luma(x, y);
        for (int pass = 0; pass < 3; pass++) {
            Func smooth("chroma_" + std::to_string(pass));
            smooth(x, y, c) = smoothed(before, 1 << pass);
            chroma.push_back(smooth);
            before = smooth;
        }
        // luma = (red + 2 green + blue) / 4
        const Expr red = luma(x, y) + before(x, y, 0), blue = luma(x, y) + before(x, y, 1);
        const Expr green = luma(x, y) - 0.5f * (before(x, y, 0) + before(x, y, 1));
        colours(x, y, c) = max(mux(c, {red, green, blue}), 0.0f);
    }

    // Everything slides down strips of the colours, which go to memory.
    void schedule_cpu(int vec) {
        Var strip("strip"), row("row");
        colours.compute_root()
            .bound(c, 0, 3)
            .split(y, strip, row, 32, TailStrategy::GuardWithIf)
            .reorder(x, c, row, strip)
            .unroll(c)
            .vectorize(x, vec, TailStrategy::GuardWithIf)
            .parallel(strip);
        for (Func &pass : chroma) {
            pass.store_at(colours, strip)
                .compute_at(colours, row)
                .bound(c, 0, 2)
                .reorder(c, x, y)
                .unroll(c)
                .vectorize(x, vec);
        }
        luma.store_at(colours, strip).compute_at(colours, row).vectorize(x, vec);
        rgb.store_at(colours, strip)
            .compute_at(colours, row)
            .bound(c, 0, 3)
            .reorder(c, x, y)
            .align_bounds(x, 2)
            .unroll(c)
            .vectorize(x, vec);
        balanced.store_at(colours, strip).compute_at(colours, row).vectorize(x, vec);
    }

    Func colours{"colours"}, luma{"luma"};

private:
    void demosaic(const Expr &even_x, const Expr &even_y) {
        const auto at = [&](int dx, int dy) { return Expr(balanced(x + dx, y + dy)); };
        const Expr here = at(0, 0);
        const Expr sides = at(-1, 0) + at(1, 0), ends = at(0, -1) + at(0, 1);
        const Expr far_sides = at(-2, 0) + at(2, 0), far_ends = at(0, -2) + at(0, 2);
        const Expr corners = at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1);
        // Green where it was not measured; red or blue beside green, in its row or in its column;
        // and red at blue, or blue at red.
        cross(x, y) = (4.0f * here + 2.0f * (sides + ends) - far_sides - far_ends) * 0.125f;
        in_row(x, y) =
            (5.0f * here + 4.0f * sides - corners - far_sides + 0.5f * far_ends) * 0.125f;
        in_column(x, y) =
            (5.0f * here + 4.0f * ends - corners - far_ends + 0.5f * far_sides) * 0.125f;
        diagonal(x, y) = (6.0f * here + 2.0f * corners - 1.5f * (far_sides + far_ends)) * 0.125f;
        const Expr red_row = even_y;
        const Expr red = select(even_x, select(red_row, here, in_column(x, y)),
                                select(red_row, in_row(x, y), diagonal(x, y)));
        const Expr green = select(even_x == even_y, cross(x, y), here);
        const Expr blue = select(even_x, select(red_row, diagonal(x, y), in_row(x, y)),
                                 select(red_row, in_column(x, y), here));
        rgb(x, y, c) = mux(c, {red, green, blue});
    }

    // A mean over 3x3 pixels that lie `step` apart, less of those whose luma differs.
    Expr smoothed(const Func &before, int step) {
        Expr sum = 0.0f, weights = 0.0f;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                const float kernel = (dx == 0 ? 2.0f : 1.0f) * (dy == 0 ? 2.0f : 1.0f);
                const Expr u = x + dx * step, v = y + dy * step;
                const Expr difference = (luma(u, v) - luma(x, y)) * 16.0f;
                const Expr weight = kernel / (1.0f + difference * difference);
                sum += weight * before(u, v, c);
                weights += weight;
            }
        }
        return sum / weights;
    }

    Var x{"x"}, y{"y"}, c{"c"};
    Func balanced{"balanced"}, cross{"cross"}, in_row{"in_row"}, in_column{"in_column"};
    Func diagonal{"diagonal"}, rgb{"rgb"};
    std::vector<Func> chroma;
};

}  // namespace cryolite::apps::burst
