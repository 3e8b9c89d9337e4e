// pyramid_blend: two images joined without a visible seam (Burt and Adelson, "A multiresolution
// spline with application to image mosaics", ACM Transactions on Graphics 1983). Each level of the
// images' Laplacian pyramids is mixed by the same level of the mask's Gaussian pyramid, and the
// mixed pyramid is collapsed.
//
// The kernel is binomial, (1 4 6 4 1) / 16, that is, Burt and Adelson's with a = 0.375. A mask of
// one takes the first image. All edge pixels are repeated outwards.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class PyramidBlend : public App<PyramidBlend> {
public:
    GeneratorParam<int> pyramid_levels{"pyramid_levels", 8, 2, 16};
    Input<Buffer<float, 3>> first{"first"};
    Input<Buffer<float, 3>> second{"second"};
    Input<Buffer<float, 2>> mask{"mask"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        const int levels = pyramid_levels;
        weight = Pyramid("mask", levels);
        weight.down[0](x, y) = BoundaryConditions::repeat_edge(mask)(x, y);
        a = Pyramid("first", levels);
        a.down[0](x, y, c) = BoundaryConditions::repeat_edge(first)(x, y, c);
        b = Pyramid("second", levels);
        b.down[0](x, y, c) = BoundaryConditions::repeat_edge(second)(x, y, c);
        for (int j = 1; j < levels; j++) {
            reduce(weight, j, {x, y});
            reduce(a, j, {x, y, c});
            reduce(b, j, {x, y, c});
        }
        blended = Pyramid("blended", levels);
        blended.down[levels - 1](x, y, c) =
            lerp(b.down[levels - 1](x, y, c), a.down[levels - 1](x, y, c),
                 weight.down[levels - 1](x, y));
        for (int j = levels - 2; j >= 0; j--) {
            const Expr detail_a = a.down[j](x, y, c) - expanded(a, j);
            const Expr detail_b = b.down[j](x, y, c) - expanded(b, j);
            blended.down[j](x, y, c) =
                detail_b + weight.down[j](x, y) * (detail_a - detail_b) + expanded(blended, j);
        }
        output(x, y, c) = blended.down[0](x, y, c);
    }

    void estimates() {
        const int size = 2048;
        first.set_estimates({{0, size}, {0, size}, {0, 3}});
        second.set_estimates({{0, size}, {0, size}, {0, 3}});
        mask.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}, {0, 3}});
    }

    void manual_cpu() {
        const int levels = pyramid_levels;
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row");
        for (int j = 1; j < levels; j++) {
            // Rows of the level above slide through the first cache level as they are halved.
            for (Pyramid *pyramid : {&weight, &a, &b}) {
                Func &down = pyramid->down[j], &across = pyramid->down_across[j];
                down.compute_root()
                    .split(y, strip, row, std::max(4, 32 >> j), TailStrategy::GuardWithIf)
                    .vectorize(x, vec, TailStrategy::RoundUp);
                across.compute_at(down, row).fold_storage(y, 8).vectorize(x, vec,
                                                                          TailStrategy::RoundUp);
                if (pyramid == &weight) {
                    across.store_at(down, strip);
                } else {
                    down.reorder(x, row, c, strip);
                    across.store_at(down, c);
                }
                if (j <= fine_levels) {
                    down.parallel(strip);
                }
                if (j == 1) {
                    // A copy of one row, so that its edges are clamped once and not per tap.
                    pyramid->down[0].in(across).compute_at(across, y).vectorize(
                        x, vec, TailStrategy::RoundUp);
                }
            }
        }
        for (int j = levels - 2; j >= 1; j--) {
            Func &level = blended.down[j];
            level.compute_root()
                .split(y, strip, row, std::max(4, 32 >> j), TailStrategy::GuardWithIf)
                .reorder(x, row, c, strip)
                .vectorize(x, vec, TailStrategy::RoundUp);
            if (j <= fine_levels) {
                level.parallel(strip);
            }
            for (Pyramid *pyramid : {&a, &b, &blended}) {
                zip_columns(pyramid->up_across[j].store_at(level, c).compute_at(level, row));
            }
        }
        output.split(y, strip, row, 32, TailStrategy::GuardWithIf)
            .reorder(x, row, c, strip)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        for (Pyramid *pyramid : {&a, &b, &blended}) {
            zip_columns(pyramid->up_across[0].store_at(output, c).compute_at(output, row));
        }
    }

    void manual_gpu() {
        const int levels = pyramid_levels;
        const auto tiled = [&](Func f, bool has_channels) {
            Var bx("bx"), by("by"), tx("tx"), ty("ty");
            f.tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf)
                .gpu_blocks(bx, by)
                .gpu_threads(tx, ty);
            if (has_channels) {
                f.reorder(tx, ty, bx, by, c).gpu_blocks(c);
            }
        };
        for (int j = 1; j < levels; j++) {
            tiled(weight.down[j].compute_root(), false);
            tiled(a.down[j].compute_root(), true);
            tiled(b.down[j].compute_root(), true);
            if (j < levels - 1) {
                tiled(blended.down[j].compute_root(), true);
            }
        }
        tiled(output, true);
    }

private:
    // Coarser levels have too few rows to be worth waking a thread for.
    static constexpr int fine_levels = 4;

    // The levels of a Gaussian pyramid (or of the blend, from which a level is taken in the same
    // way), with the images between: halved, and doubled, along x only.
    struct Pyramid {
        std::vector<Func> down, down_across, up_across;

        Pyramid() = default;
        Pyramid(const std::string &name, int levels) {
            for (int j = 0; j < levels; j++) {
                const std::string suffix = "_" + std::to_string(j);
                down.emplace_back(name + suffix);
                down_across.emplace_back(name + "_down_across" + suffix);
                up_across.emplace_back(name + "_up_across" + suffix);
            }
        }
    };

    void reduce(Pyramid &pyramid, int j, const std::vector<Var> &vars) {
        const auto five_taps = [&](const Func &f, size_t dimension) {
            const auto at = [&](int offset) {
                std::vector<Expr> arguments(vars.begin(), vars.end());
                arguments[dimension] = 2 * arguments[dimension] + offset;
                return Expr(f(arguments));
            };
            return (at(-2) + at(2)) * 0.0625f + (at(-1) + at(1)) * 0.25f + at(0) * 0.375f;
        };
        pyramid.down_across[j](vars) = five_taps(pyramid.down[j - 1], 0);
        pyramid.down[j](vars) = five_taps(pyramid.down_across[j], 1);
    }

    // Level j + 1 at twice its size: the same kernel over pixels with zeros between them.
    Expr expanded(Pyramid &pyramid, int j) {
        const auto doubled = [](const Var &v, auto at) {
            const Expr even = v % 2 == 0;
            return select(even, 0.125f, 0.0f) * at(v / 2 - 1) +
                   select(even, 0.75f, 0.5f) * at(v / 2) +
                   select(even, 0.125f, 0.5f) * at(v / 2 + 1);
        };
        const Func &coarse = pyramid.down[j + 1], &across = pyramid.up_across[j];
        pyramid.up_across[j](x, y, c) =
            doubled(x, [&](const Expr &u) { return Expr(coarse(u, y, c)); });
        return doubled(y, [&](const Expr &v) { return Expr(across(x, v, c)); });
    }

    // The two parities of columns are two vectors, zipped on their way to memory.
    void zip_columns(Func &f) {
        Var xi("xi");
        f.align_bounds(x, 2)
            .split(x, x, xi, 2)
            .reorder(xi, x)
            .unroll(xi)
            .vectorize(x, natural_vector_size<float>());
    }

    Var x{"x"}, y{"y"}, c{"c"};
    Pyramid weight, a, b, blended;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::PyramidBlend, pyramid_blend)
