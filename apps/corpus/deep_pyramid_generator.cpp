// deep_pyramid: detail enhancement of a large image in a Laplacian pyramid of twelve levels (Burt
// and Adelson 1983), down to a pixel or two: bands are compressed (strong detail less than weak) and
// the image is put together again. Most levels are tiny, and each reads all of the one below it.
//
// Bands go through a smooth curve, b * (1 + boost / (1 + (b / knee)^2)). Level j has half of the size
// of level j - 1, rounded up, and every level's edge pixels are repeated outwards: without an edge of its
// own, the coarsest would depend on thousands of repeated pixels.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class DeepPyramid : public App<DeepPyramid> {
public:
    GeneratorParam<int> pyramid_levels{"pyramid_levels", 12, 2, 14};
    Input<Buffer<float, 2>> input{"input"};
    Input<float> boost{"boost", 1.0f};
    Input<float> knee{"knee", 0.1f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        const int count = pyramid_levels;
        Expr width = input.dim(0).extent(), height = input.dim(1).extent();
        const auto edged = [&](const Func &level) {
            return BoundaryConditions::repeat_edge(level, {{0, width}, {0, height}});
        };
        for (int j = 0; j < count; j++) {
            const std::string suffix = "_" + std::to_string(j);
            levels.push_back(
                {Func("down" + suffix), Func("down_across" + suffix), Func("result" + suffix)});
            up.push_back({"up" + suffix, x, y});
            result_up.push_back({"result_up" + suffix, x, y});
        }
        levels[0].down(x, y) = input(x, y);
        const auto five_taps = [](auto at) {
            return (at(-2) + at(2)) * 0.0625f + (at(-1) + at(1)) * 0.25f + at(0) * 0.375f;
        };
        std::vector<Expr> widths = {width}, heights = {height};
        for (int j = 1; j < count; j++) {
            Func &across = levels[j].across;
            levels[j - 1].edged = edged(levels[j - 1].down);
            const Func &fine = levels[j - 1].edged;
            across(x, y) = five_taps([&](int d) { return Expr(fine(2 * x + d, y)); });
            levels[j].down(x, y) = five_taps([&](int d) { return Expr(across(x, 2 * y + d)); });
            width = (width + 1) / 2;
            height = (height + 1) / 2;
            widths.push_back(width);
            heights.push_back(height);
        }
        levels[count - 1].result(x, y) = levels[count - 1].down(x, y);
        for (int j = count - 2; j >= 0; j--) {
            width = widths[j + 1];
            height = heights[j + 1];
            const Expr coarse = up[j].enlarge(edged(levels[j + 1].down));
            const Expr band = levels[j].down(x, y) - coarse, relative = band / knee;
            levels[j].result(x, y) = result_up[j].enlarge(edged(levels[j + 1].result)) +
                                     band * (1.0f + boost / (1.0f + relative * relative));
        }
        output(x, y) = levels[0].result(x, y);
    }

    void estimates() {
        const int width = 4096, height = 3072;
        input.set_estimates({{0, width}, {0, height}});
        boost.set_estimate(1.0f);
        knee.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        const int count = pyramid_levels, vec = natural_vector_size<float>();
        Var strip("strip"), row("row");
        for (int j = 1; j < count; j++) {
            // Rows of the level above slide through the first cache level as they are halved. A copy
            // of each, so that its edges are clamped once and not per tap.
            Level &level = levels[j];
            by_strips(level.down.compute_root(), j, strip, row);
            level.across.store_at(level.down, strip)
                .compute_at(level.down, row)
                .fold_storage(y, 8)
                .vectorize(x, vec, TailStrategy::RoundUp);
            levels[j - 1].edged.compute_at(level.across, y).vectorize(x, vec);
        }
        for (int j = count - 2; j >= 0; j--) {
            if (j > 0) {
                by_strips(levels[j].result.compute_root(), j, strip, row);
            } else {
                output.split(y, strip, row, 32, TailStrategy::GuardWithIf)
                    .parallel(strip)
                    .vectorize(x, vec, TailStrategy::GuardWithIf);
            }
            const Func &level = j > 0 ? levels[j].result : Func(output);
            for (Doubling *doubling : {&up[j], &result_up[j]}) {
                zip_columns(doubling->across.store_at(level, strip).compute_at(level, row));
                doubling->edged.compute_at(doubling->across, y).vectorize(x, vec);
            }
        }
        levels[count - 1].result.compute_root();
    }

    void manual_gpu() { schedule_plain(get_pipeline().outputs(), get_target()); }

private:
    // Coarser levels have too few rows to be worth waking a thread for.
    static constexpr int fine_levels = 4;

    void by_strips(Func &level, int j, const Var &strip, const Var &row) {
        level.split(y, strip, row, std::max(4, 32 >> j), TailStrategy::GuardWithIf)
            .vectorize(x, natural_vector_size<float>(), TailStrategy::RoundUp);
        if (j <= fine_levels) {
            level.parallel(strip);
        }
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

    struct Level {
        Func down, across, result, edged = Func();
    };

    // An image at twice its size: pixels, and means of two between them.
    struct Doubling {
        Func across, edged;
        Var x, y;

        Doubling(const std::string &name, const Var &x, const Var &y) : across(name), x(x), y(y) {}

        Expr enlarge(const Func &coarse) {
            edged = coarse;
            across(x, y) = (edged(x / 2, y) + edged((x + 1) / 2, y)) * 0.5f;
            return (across(x, y / 2) + across(x, (y + 1) / 2)) * 0.5f;
        }
    };

    Var x{"x"}, y{"y"};
    std::vector<Level> levels;
    std::vector<Doubling> up, result_up;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::DeepPyramid, deep_pyramid)
