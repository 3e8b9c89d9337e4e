// interpolate: fills in what is transparent from what is not, by pull-push (the scattered-data
// interpolation of Gortler et al., "The lumigraph", SIGGRAPH 1996, section 3.4, after Burt's
// pyramid). Colours premultiplied by alpha are halved level by level (pull); on the way back every
// level is completed by the coarser one to the extent that its own alpha leaves room (push).
//
// The input's channels are red, green, blue, alpha, all in [0, 1]; its edge pixels are repeated
// outwards.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Interpolate : public App<Interpolate> {
public:
    GeneratorParam<int> pyramid_levels{"pyramid_levels", 10, 2, 16};
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        const int levels = pyramid_levels;
        const Func clamped = BoundaryConditions::repeat_edge(input);
        pulled = level_funcs("pulled", levels);
        pulled_across = level_funcs("pulled_across", levels);
        pulled[0](x, y, c) = clamped(x, y, c) * select(c < 3, clamped(x, y, 3), 1.0f);
        for (int j = 1; j < levels; j++) {
            // The filter (1 2 1) / 4 around every second pixel, along x and then along y.
            const Func &fine = pulled[j - 1], &across = pulled_across[j];
            pulled_across[j](x, y, c) =
                (fine(2 * x - 1, y, c) + 2.0f * fine(2 * x, y, c) + fine(2 * x + 1, y, c)) * 0.25f;
            pulled[j](x, y, c) =
                (across(x, 2 * y - 1, c) + 2.0f * across(x, 2 * y, c) + across(x, 2 * y + 1, c)) *
                0.25f;
        }

        pushed = level_funcs("pushed", levels);
        pushed_across = level_funcs("pushed_across", levels);
        pushed[levels - 1](x, y, c) = pulled[levels - 1](x, y, c);
        for (int j = levels - 2; j >= 0; j--) {
            // Twice the size: coarse pixels and, between them, the means of two.
            const Func &coarse = pushed[j + 1], &across = pushed_across[j];
            pushed_across[j](x, y, c) = (coarse(x / 2, y, c) + coarse((x + 1) / 2, y, c)) * 0.5f;
            const Expr doubled = (across(x, y / 2, c) + across(x, (y + 1) / 2, c)) * 0.5f;
            pushed[j](x, y, c) = pulled[j](x, y, c) + (1.0f - pulled[j](x, y, 3)) * doubled;
        }
        output(x, y, c) = pushed[0](x, y, c) / pushed[0](x, y, 3);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}, {0, 4}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        const int levels = pyramid_levels;
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row");
        const auto by_pixel = [&](Func &f) -> Func & {
            // Rounded up, a row's clamped reads split into edges and a middle with plain loads.
            return f.bound(c, 0, 4).reorder(x, c, y).unroll(c).vectorize(x, vec,
                                                                         TailStrategy::RoundUp);
        };
        // Down, a level's rows slide through the first cache level as they are halved; level 0 is
        // multiplied as it is read, all channels of a row at once.
        for (int j = 1; j < levels; j++) {
            by_pixel(pulled[j].compute_root())
                .split(y, strip, row, std::max(4, 32 >> j), TailStrategy::GuardWithIf);
            by_pixel(pulled_across[j].store_at(pulled[j], strip).compute_at(pulled[j], row))
                .fold_storage(y, 4);
            if (j <= fine_levels) {
                pulled[j].parallel(strip);
            }
        }
        by_pixel(pulled[0].in(pulled_across[1]).compute_at(pulled_across[1], y));
        // Up again, the two finest coarse levels are made strip by strip where they are used. The
        // two parities of columns are two vectors, zipped on their way to memory.
        for (int j = levels - 2; j >= 1; j--) {
            if (j <= stored_by_strip) {
                pushed[j].compute_at(output, strip);
            } else {
                pushed[j].compute_root();
            }
            by_pixel(pushed[j]);
            zip_columns(pushed_across[j].compute_at(pushed[j], y));
        }
        output.split(y, strip, row, 32, TailStrategy::GuardWithIf)
            .reorder(x, c, row, strip)
            .bound(c, 0, 3)
            .unroll(c)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        zip_columns(pushed_across[0].store_at(output, strip).compute_at(output, row));
    }

    void manual_gpu() {
        const int levels = pyramid_levels;
        const auto tiled = [&](Func f, int channels) {
            Var bx("bx"), by("by"), tx("tx"), ty("ty");
            f.bound(c, 0, channels)
                .tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf)
                .reorder(c, tx, ty, bx, by)
                .unroll(c)
                .gpu_blocks(bx, by)
                .gpu_threads(tx, ty);
        };
        for (int j = 1; j < levels; j++) {
            tiled(pulled[j].compute_root(), 4);
            if (j < levels - 1) {
                tiled(pushed[j].compute_root(), 4);
            }
        }
        tiled(output, 3);
    }

private:
    // Coarser levels have too few rows to be worth waking a thread for.
    static constexpr int fine_levels = 4, stored_by_strip = 2;

    static std::vector<Func> level_funcs(const std::string &name, int levels) {
        std::vector<Func> funcs;
        for (int j = 0; j < levels; j++) {
            funcs.emplace_back(name + "_" + std::to_string(j));
        }
        return funcs;
    }

    void zip_columns(Func &f) {
        Var xi("xi");
        f.bound(c, 0, 4)
            .align_bounds(x, 2)
            .split(x, x, xi, 2)
            .reorder(xi, x, c)
            .unroll(xi)
            .vectorize(x, natural_vector_size<float>());
    }

    Var x{"x"}, y{"y"}, c{"c"};
    std::vector<Func> pulled, pulled_across, pushed, pushed_across;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Interpolate, interpolate)
