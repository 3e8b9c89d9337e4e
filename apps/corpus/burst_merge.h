// Merging the aligned frames of a burst (Hasinoff et al. 2016, section 5): per tile a mean over the
// frames, in which a frame that does not fit the reference counts less; and over the image a mean of
// the four tiles that cover a pixel, by windows of raised cosines whose sum is one.
//
// Differs from the paper: the weights are of whole tiles in the image, after the score of their
// alignment, instead of Wiener shrinkage per frequency.
#pragma once

#include "apps/common/app_generator.h"
#include "apps/corpus/burst_align.h"

namespace cryolite::apps::burst {

class Merge {
public:
    // raw(x, y, frame), unbounded; `noise`: the mean absolute difference at which a frame counts
    // half.
    Merge(const Func &raw, const Alignment &alignment, int frame_count, const Expr &noise)
        : frames(1, frame_count - 1, "frames") {
        const Func &found = alignment.found();
        const Expr difference = cast<float>(found(tx, ty, n)[0]) * (1.0f / (tile * tile));
        const Expr relative = difference / noise;
        weight(tx, ty, n) = select(relative > 8.0f, 0.0f, 1.0f / (1.0f + relative * relative));
        total(tx, ty) = 1.0f;
        total(tx, ty) += weight(tx, ty, frames);
        share(tx, ty, n) = weight(tx, ty, n) / total(tx, ty);

        const auto displacement = [&](int element) {
            const int limit = Alignment::limit;
            return 2 * clamp(found(tx, ty, frames)[element], -limit, limit);
        };
        const Expr x_in_raw = tx * raw_stride + ix, y_in_raw = ty * raw_stride + iy;
        temporal(ix, iy, tx, ty) = cast<float>(raw(x_in_raw, y_in_raw, 0)) / total(tx, ty);
        temporal(ix, iy, tx, ty) +=
            share(tx, ty, frames) *
            cast<float>(raw(x_in_raw + displacement(1), y_in_raw + displacement(2), frames));

        const float turn = 6.2831853f / (2 * raw_stride);
        window(i) = 0.5f - 0.5f * cos((cast<float>(i) + 0.5f) * turn);
        const Expr in_x = x % raw_stride, in_y = y % raw_stride;
        const Expr tile_x = x / raw_stride, tile_y = y / raw_stride;
        const auto row = [&](const Expr &row_in_tile, const Expr &tile_row) {
            return window(row_in_tile) *
                   (window(in_x) * temporal(in_x, row_in_tile, tile_x, tile_row) +
                    window(in_x + raw_stride) *
                        temporal(in_x + raw_stride, row_in_tile, tile_x - 1, tile_row));
        };
        merged(x, y) = row(in_y, tile_y) + row(in_y + raw_stride, tile_y - 1);
    }

    void schedule_cpu(int vec) {
        // A row of tiles is made once and kept until the next one has been mixed with it.
        Var strip("strip"), block("block"), row("row");
        share.compute_root();
        total.compute_root();
        window.compute_root();
        merged.compute_root()
            .align_bounds(x, raw_stride)
            .align_bounds(y, raw_stride)
            .split(y, block, row, raw_stride)
            .split(block, strip, block, 8, TailStrategy::GuardWithIf)
            .vectorize(x, vec)
            .parallel(strip);
        temporal.store_at(merged, strip).compute_at(merged, block).vectorize(ix, vec);
        temporal.update().reorder(ix, iy, frames, tx, ty).vectorize(ix, vec);
    }

    Func merged{"merged"};

private:
    static constexpr int raw_stride = 2 * stride;

    Var x{"x"}, y{"y"}, n{"n"}, i{"i"}, ix{"ix"}, iy{"iy"}, tx{"tx"}, ty{"ty"};
    RDom frames;
    Func weight{"weight"}, total{"total"}, share{"share"}, temporal{"temporal"}, window{"window"};
};

}  // namespace cryolite::apps::burst
