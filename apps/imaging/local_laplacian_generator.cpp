// local_laplacian: local tone mapping by Laplacian pyramids (Paris, Hasinoff and Kautz, "Local
// Laplacian filters", SIGGRAPH 2011) in the form of Aubry et al., "Fast local Laplacian filters"
// (TOG 2014): the image is remapped around a few reference intensities, each remapped image gets a
// Gaussian pyramid, and the output's Laplacian pyramid interpolates between those of the two
// intensities nearest to the image's own pyramid. alpha scales detail, beta the range of tones.
//
// About a hundred stages over eight scales: the app with the most choices of what to fuse. The
// image's edge pixels are repeated outwards.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class LocalLaplacian : public App<LocalLaplacian> {
public:
    GeneratorParam<int> pyramid_levels{"pyramid_levels", 8, 1, 12};
    Input<Buffer<uint16_t, 3>> input{"input"};
    Input<int> intensity_levels{"intensity_levels", 8, 2, 64};
    Input<float> alpha{"alpha", 1.0f / 7.0f};
    Input<float> beta{"beta", 1.0f};
    Output<Buffer<uint16_t, 3>> output{"output"};

    void generate() {
        const int levels = pyramid_levels;
        const Func clamped = BoundaryConditions::repeat_edge(input);
        luminance(x, y) =
            (0.299f * cast<float>(clamped(x, y, 0)) + 0.587f * cast<float>(clamped(x, y, 1)) +
             0.114f * cast<float>(clamped(x, y, 2))) *
            (1.0f / 65535.0f);

        // The remapping curve, sampled at 256 steps between two reference intensities.
        const Expr distance = cast<float>(i) / float(steps);
        curve(i) = alpha * distance * fast_exp(distance * distance * -0.5f);

        remapped = level_funcs("remapped", levels);
        const Expr reference_step = 1.0f / cast<float>(intensity_levels - 1);
        const Expr reference = cast<float>(k) * reference_step;
        Expr index = cast<int32_t>(luminance(x, y) * cast<float>((intensity_levels - 1) * steps));
        index = clamp(index, 0, (intensity_levels - 1) * steps);
        remapped[0](x, y, k) = beta * (luminance(x, y) - reference) + reference +
                               reference_step * curve(index - steps * k);
        own = level_funcs("own", levels);
        own[0](x, y) = luminance(x, y);
        remapped_across = level_funcs("remapped_across", levels);
        own_across = level_funcs("own_across", levels);
        for (int j = 1; j < levels; j++) {
            halve(remapped[j - 1], remapped_across[j], remapped[j], {x, y, k});
            halve(own[j - 1], own_across[j], own[j], {x, y});
        }

        // Detail of the output at each level, between those of two neighbouring intensities.
        detail = level_funcs("detail", levels);
        for (int j = 0; j < levels; j++) {
            const Expr position = own[j](x, y) * cast<float>(intensity_levels - 1);
            const Expr lower = clamp(cast<int32_t>(position), 0, intensity_levels - 2);
            const Expr part = position - cast<float>(lower);
            const auto laplacian = [&](const Expr &intensity) -> Expr {
                const Expr here = remapped[j](x, y, intensity);
                return j == levels - 1 ? here : here - doubled([&](const Expr &u, const Expr &v) {
                                                    return Expr(remapped[j + 1](u, v, intensity));
                                                });
            };
            detail[j](x, y) = (1.0f - part) * laplacian(lower) + part * laplacian(lower + 1);
        }
        collapsed = level_funcs("collapsed", levels);
        collapsed[levels - 1](x, y) = detail[levels - 1](x, y);
        for (int j = levels - 2; j >= 0; j--) {
            collapsed[j](x, y) = detail[j](x, y) + doubled([&](const Expr &u, const Expr &v) {
                                     return Expr(collapsed[j + 1](u, v));
                                 });
        }

        // Colours keep their ratios to the luminance; the floor keeps black finite.
        const float floor_value = 0.01f;
        const Expr gain = (collapsed[0](x, y) + floor_value) / (luminance(x, y) + floor_value);
        output(x, y, c) =
            cast<uint16_t>(clamp(cast<float>(clamped(x, y, c)) * gain + 0.5f, 0.0f, 65535.0f));
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        intensity_levels.set_estimate(8);
        alpha.set_estimate(1.0f / 7.0f);
        beta.set_estimate(1.0f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        const int levels = pyramid_levels;
        const int vec = natural_vector_size<float>();
        const int strip_rows = 32;
        Var strip("strip"), row("row");

        curve.compute_root().vectorize(i, vec);
        luminance.compute_root().parallel(y, 16).vectorize(x, vec);
        for (int j = 1; j < levels; j++) {
            // Down the pyramid: per strip and intensity, source rows and rows halved across slide
            // through the first cache level. The finest remapped images are never stored whole.
            const int rows = std::max(4, strip_rows >> (j - 1));
            remapped[j]
                .compute_root()
                .split(y, strip, row, rows, TailStrategy::GuardWithIf)
                .reorder(x, row, k, strip)
                .parallel(strip)
                .vectorize(x, vec);
            remapped_across[j]
                .store_at(remapped[j], k)
                .compute_at(remapped[j], row)
                .fold_storage(y, 4)
                .vectorize(x, vec);
            own[j]
                .compute_root()
                .split(y, strip, row, rows, TailStrategy::GuardWithIf)
                .parallel(strip)
                .vectorize(x, vec);
            own_across[j]
                .store_at(own[j], strip)
                .compute_at(own[j], row)
                .fold_storage(y, 4)
                .vectorize(x, vec);
        }
        if (levels > 1) {
            remapped[0].in(remapped_across[1]).compute_at(remapped_across[1], y).vectorize(x, vec);
        }
        // Up again: detail is used once per pixel and stays inside.
        for (int j = levels - 1; j >= 1; j--) {
            collapsed[j].compute_root().parallel(y, std::max(4, strip_rows >> j)).vectorize(x, vec);
        }
        output.bound(c, 0, 3)
            .split(y, strip, row, strip_rows, TailStrategy::GuardWithIf)
            .reorder(x, c, row, strip)
            .unroll(c)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        collapsed[0].compute_at(output, row).vectorize(x, vec);
    }

    void manual_gpu() {
        // One kernel per level and direction; images halved across stay in shared memory, the
        // finest remapped images and all detail are never stored.
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        curve.compute_root().gpu_tile(i, block_x, thread_x, 256, guard);
        luminance.compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard);
        for (int j = 1; j < pyramid_levels; j++) {
            remapped[j]
                .compute_root()
                .gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard)
                .gpu_blocks(k);
            own[j].compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8,
                                           guard);
            remapped_across[j].compute_at(remapped[j], block_x);
            own_across[j].compute_at(own[j], block_x);
            for (Func f : {remapped_across[j], own_across[j]}) {
                f.tile(x, y, thread_x, thread_y, 32, 8, guard).gpu_threads(thread_x, thread_y);
            }
            collapsed[j].compute_root().gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8,
                                                 guard);
        }
        output.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, block_x, block_y, thread_x,
                                                                  thread_y, 32, 8, guard);
        collapsed[0].compute_at(output, thread_x);
    }

private:
    static constexpr int steps = 256;

    static std::vector<Func> level_funcs(const std::string &name, int levels) {
        std::vector<Func> funcs;
        for (int j = 0; j < levels; j++) {
            funcs.emplace_back(name + "_" + std::to_string(j));
        }
        return funcs;
    }

    // Half the size along x and y by the filter (1 3 3 1) / 8; `across` is the image between.
    void halve(const Func &source, Func &across, Func &halved, const std::vector<Var> &vars) {
        const auto at = [&](const Func &f, const Expr &u, const Expr &v) {
            std::vector<Expr> arguments(vars.begin(), vars.end());
            arguments[0] = u;
            arguments[1] = v;
            return Expr(f(arguments));
        };
        across(vars) = ((at(source, 2 * x - 1, y) + at(source, 2 * x + 2, y)) +
                        3.0f * (at(source, 2 * x, y) + at(source, 2 * x + 1, y))) *
                       0.125f;
        halved(vars) = ((at(across, x, 2 * y - 1) + at(across, x, 2 * y + 2)) +
                        3.0f * (at(across, x, 2 * y) + at(across, x, 2 * y + 1))) *
                       0.125f;
    }

    // The value at (x, y) of a coarser image interpolated to twice its size.
    template <typename Coarse>
    Expr doubled(const Coarse &coarse) {
        const Expr near_x = x / 2, far_x = near_x - 1 + 2 * (x % 2);
        const Expr near_y = y / 2, far_y = near_y - 1 + 2 * (y % 2);
        return 0.5625f * coarse(near_x, near_y) +
               0.1875f * (coarse(far_x, near_y) + coarse(near_x, far_y)) +
               0.0625f * coarse(far_x, far_y);
    }

    Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, i{"i"};
    Func luminance{"luminance"}, curve{"curve"};
    std::vector<Func> remapped, remapped_across, own, own_across, detail, collapsed;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::LocalLaplacian, local_laplacian)
