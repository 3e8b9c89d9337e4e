// Compressing an image's range by fusing exposures that are made from it (Hasinoff et al. 2016,
// section 6, after Mertens, Kautz and Van Reeth, "Exposure fusion", Pacific Graphics 2007): brighter
// and brighter copies of the luma, each weighted where it is well exposed, are mixed band by band in
// Laplacian pyramids (Burt and Adelson 1983).
#pragma once

#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps::burst {

class Fusion {
public:
    // luma(x, y), linear, unbounded; each exposure is `step` times as bright as the one before.
    Fusion(const Func &luma, int exposure_count, int level_count, const Expr &step) {
        Expr gain = 1.0f, weights = 0.0f;
        std::vector<Func> raw_weights;
        for (int k = 0; k < exposure_count; k++) {
            const std::string number = std::to_string(k);
            exposures.emplace_back("exposure_" + number, level_count);
            shares.emplace_back("share_" + number, level_count);
            Func exposure = exposures.back().down[0];
            exposure(x, y) = pow(clamp(luma(x, y) * gain, 0.0f, 1.0f), 1.0f / 2.2f);
            raw_weights.emplace_back("weight_" + number);
            // About half of the range with a deviation of a fifth.
            const Expr off = exposure(x, y) - 0.5f;
            raw_weights.back()(x, y) = exp(off * off * -12.5f) + 1e-4f;
            weights += raw_weights.back()(x, y);
            gain *= step;
        }
        all_weights(x, y) = weights;
        for (int k = 0; k < exposure_count; k++) {
            shares[size_t(k)].down[0](x, y) = raw_weights[size_t(k)](x, y) / all_weights(x, y);
            for (int j = 1; j < level_count; j++) {
                reduce(exposures[size_t(k)], j);
                reduce(shares[size_t(k)], j);
            }
        }
        for (int j = 0; j < level_count; j++) {
            mixed.emplace_back("mixed_" + std::to_string(j));
            collapsed.emplace_back("collapsed_" + std::to_string(j));
            collapsed_across.emplace_back("collapsed_across_" + std::to_string(j));
            Expr sum = 0.0f;
            for (int k = 0; k < exposure_count; k++) {
                sum += shares[size_t(k)].down[size_t(j)](x, y) * band(exposures[size_t(k)], j);
            }
            mixed.back()(x, y) = sum;
        }
        const size_t last = size_t(level_count) - 1;
        collapsed[last](x, y) = mixed[last](x, y);
        for (size_t j = last; j-- > 0;) {
            collapsed[j](x, y) = mixed[j](x, y) + enlarged(collapsed[j + 1], collapsed_across[j]);
        }
    }

    // With gamma.
    const Func &fused() const { return collapsed[0]; }

    // `consumer` reads fused() row by row in strips, from the luma on.
    void schedule_cpu(int vec, const Func &consumer, const Var &strip, const Var &row) {
        const size_t count = mixed.size();
        Var own_strip("own_strip"), own_row("own_row");
        const auto halve = [&](Pyramid &pyramid, size_t j) {
            Func &down = pyramid.down[j], &across = pyramid.down_across[j];
            down.compute_root()
                .split(y, own_strip, own_row, std::max(4, 32 >> j), TailStrategy::GuardWithIf)
                .vectorize(x, vec);
            across.store_at(down, own_strip)
                .compute_at(down, own_row)
                .fold_storage(y, 8)
                .vectorize(x, vec);
            if (j <= 3) {
                down.parallel(own_strip);
            }
        };
        // The finest levels go to memory: their powers cost more than the trip.
        for (size_t k = 0; k < exposures.size(); k++) {
            exposures[k].down[0].compute_root().vectorize(x, vec).parallel(y, 16);
            shares[k].down[0].compute_root().vectorize(x, vec).parallel(y, 16);
        }
        for (size_t j = 1; j < count; j++) {
            for (size_t k = 0; k < exposures.size(); k++) {
                halve(exposures[k], j);
                halve(shares[k], j);
            }
            if (j + 1 < count) {
                collapsed[j]
                    .compute_root()
                    .split(y, own_strip, own_row, std::max(4, 32 >> j), TailStrategy::GuardWithIf)
                    .vectorize(x, vec)
                    .parallel(own_strip);
                zip_columns(collapsed_across[j]
                                .store_at(collapsed[j], own_strip)
                                .compute_at(collapsed[j], own_row),
                            vec);
                for (Pyramid &exposure : exposures) {
                    zip_columns(exposure.up_across[j]
                                    .store_at(collapsed[j], own_strip)
                                    .compute_at(collapsed[j], own_row),
                                vec);
                }
            } else {
                collapsed[j].compute_root().vectorize(x, vec);
            }
        }
        collapsed[0].compute_at(consumer, row).store_at(consumer, strip).vectorize(x, vec);
        zip_columns(collapsed_across[0].store_at(consumer, strip).compute_at(consumer, row), vec);
        for (Pyramid &exposure : exposures) {
            zip_columns(exposure.up_across[0].store_at(consumer, strip).compute_at(consumer, row),
                        vec);
        }
    }

private:
    // Halved images, those halved along x alone, and those enlarged along x alone.
    struct Pyramid {
        std::vector<Func> down, down_across, up_across;

        Pyramid(const std::string &name, int level_count) {
            for (int j = 0; j < level_count; j++) {
                const std::string suffix = "_" + std::to_string(j);
                down.emplace_back(name + suffix);
                down_across.emplace_back(name + "_across" + suffix);
                up_across.emplace_back(name + "_up" + suffix);
            }
        }
    };

    void reduce(Pyramid &pyramid, int level) {
        const size_t j = size_t(level);
        const auto five_taps = [](auto at) {
            return (at(-2) + at(2)) * 0.0625f + (at(-1) + at(1)) * 0.25f + at(0) * 0.375f;
        };
        const Func &fine = pyramid.down[j - 1], &across = pyramid.down_across[j];
        pyramid.down_across[j](x, y) = five_taps([&](int d) { return Expr(fine(2 * x + d, y)); });
        pyramid.down[j](x, y) = five_taps([&](int d) { return Expr(across(x, 2 * y + d)); });
    }

    // An image at twice its size: pixels, and means of two between them.
    Expr enlarged(const Func &coarse, Func &across) {
        across(x, y) = (coarse(x / 2, y) + coarse((x + 1) / 2, y)) * 0.5f;
        return (across(x, y / 2) + across(x, (y + 1) / 2)) * 0.5f;
    }

    // What a level has beyond the next coarser one.
    Expr band(Pyramid &pyramid, int level) {
        const size_t j = size_t(level);
        const Expr here = pyramid.down[j](x, y);
        if (j + 1 == pyramid.down.size()) {
            return here;
        }
        return here - enlarged(pyramid.down[j + 1], pyramid.up_across[j]);
    }

    // The two parities of columns are two vectors, zipped on their way to memory.
    void zip_columns(Func &f, int vec) {
        Var xi("xi");
        f.align_bounds(x, 2).split(x, x, xi, 2).reorder(xi, x).unroll(xi).vectorize(x, vec);
    }

    Var x{"x"}, y{"y"};
    std::vector<Pyramid> exposures, shares;
    Func all_weights{"all_weights"};
    std::vector<Func> mixed, collapsed, collapsed_across;
};

}  // namespace cryolite::apps::burst
