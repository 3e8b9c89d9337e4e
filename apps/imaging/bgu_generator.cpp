// bgu: bilateral guided upsampling (Chen, Adams, Wadhwa and Hasinoff, SIGGRAPH Asia 2016). From a
// small image and what some operator made of it, an affine map of colours is fitted per cell of a
// bilateral grid over position and luma; the full-size image then looks its own map up. The fit is
// the paper's fast approximation: normal equations are summed per cell, blurred along the grid's
// axes, regularised and solved, each cell for itself.
//
// Cells are regularised towards a plain gain (what brightness the operator gives to the cell), by a
// share of the cell's weight, so that an empty cell has an answer. The 4x4 systems, with their
// three right sides, are solved by Gauss-Jordan elimination in four steps; they are symmetric and
// positive definite, so no pivoting is needed. The full size is any multiple or fraction of the
// small one; edge pixels are repeated outwards.
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class BilateralGuidedUpsampling : public App<BilateralGuidedUpsampling> {
public:
    GeneratorParam<int> cell_size{"cell_size", 16, 1, 64};     // small image's pixels
    GeneratorParam<int> range_cells{"range_cells", 8, 1, 64};  // for luma from 0 to 1
    Input<Buffer<float, 3>> small_input{"small_input"};        // in [0, 1]
    Input<Buffer<float, 3>> small_output{"small_output"};      // the operator's, of the same size
    Input<Buffer<float, 3>> input{"input"};                    // in [0, 1]
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        const int size = cell_size, range = range_cells;
        const Func source = BoundaryConditions::repeat_edge(small_input);
        const Func target = BoundaryConditions::repeat_edge(small_output);
        const auto luma = [](auto channel) {
            return 0.25f * channel(0) + 0.5f * channel(1) + 0.25f * channel(2);
        };

        // Row i of a cell's system is the equation for the map's coefficient of red, green, blue or
        // one; columns 4 to 6 are the right sides for the three colours of the output.
        pixels = RDom(0, size, 0, size, "pixels");
        const Expr u = x * size + pixels.x - size / 2, v = y * size + pixels.y - size / 2;
        const Expr small_luma = luma([&](int channel) { return Expr(source(u, v, channel)); });
        const Expr cell_z = cast<int32_t>(clamp(small_luma, 0.0f, 1.0f) * float(range) + 0.5f);
        const std::vector<Expr> values = {source(u, v, 0), source(u, v, 1), source(u, v, 2), 1.0f,
                                          target(u, v, 0), target(u, v, 1), target(u, v, 2)};
        moments(x, y, z, i, j) = 0.0f;
        moments(x, y, cell_z, i, j) +=
            mux(i, {values[0], values[1], values[2], values[3]}) * mux(j, values);

        const auto binomial = [](auto at) {
            return at(-2) + 4.0f * at(-1) + 6.0f * at(0) + 4.0f * at(1) + at(2);
        };
        blur_z(x, y, z, i, j) = binomial([&](int d) { return moments(x, y, z + d, i, j); });
        blur_x(x, y, z, i, j) = binomial([&](int d) { return blur_z(x + d, y, z, i, j); });
        blur_y(x, y, z, i, j) = binomial([&](int d) { return blur_x(x, y + d, z, i, j); });

        const auto brightness = [&](int first_column) {
            return luma([&](int channel) {
                       return Expr(blur_y(x, y, z, 3, first_column + channel));
                   }) +
                   1e-3f;
        };
        const Expr gain = brightness(4) / brightness(0);
        const Expr strength = 1e-3f * blur_y(x, y, z, 3, 3) + 1e-3f;
        Func system("system");
        system(x, y, z, i, j) =
            blur_y(x, y, z, i, j) + select(j == i, strength, j == i + 4, strength * gain, 0.0f);
        steps = {system};
        for (int p = 0; p < 4; p++) {
            const Func &before = steps.back();
            Func after("eliminated_" + std::to_string(p));
            const Expr pivot_row = before(x, y, z, p, j) / before(x, y, z, p, p);
            after(x, y, z, i, j) = select(
                i == p, pivot_row, before(x, y, z, i, j) - before(x, y, z, i, p) * pivot_row);
            steps.push_back(after);
        }
        affine(x, y, z, i, c) = steps.back()(x, y, z, i, c + 4);

        // Slice: between rows of cells first, so that a row of the image shares that work.
        const auto position = [&](const Expr &at, int dimension) {
            const Expr scale = cast<float>(small_input.dim(dimension).extent()) /
                               cast<float>(input.dim(dimension).extent());
            return ((cast<float>(at) + 0.5f) * scale - 0.5f) * (1.0f / float(size));
        };
        const Expr position_y = position(y, 1), position_x = position(x, 0);
        const Expr top = cast<int32_t>(floor(position_y)), left = cast<int32_t>(floor(position_x));
        row_of_cells(x, z, i, c, y) = lerp(affine(x, top, z, i, c), affine(x, top + 1, z, i, c),
                                           position_y - cast<float>(top));
        const Expr full_luma =
            clamp(luma([&](int channel) { return Expr(input(x, y, channel)); }), 0.0f, 1.0f);
        const Expr position_z = full_luma * float(range);
        const Expr below = cast<int32_t>(position_z);
        const Expr part_x = position_x - cast<float>(left),
                   part_z = position_z - cast<float>(below);
        const auto coefficient = [&](int k) {
            const auto across = [&](const Expr &cell) {
                return lerp(row_of_cells(left, cell, k, c, y),
                            row_of_cells(left + 1, cell, k, c, y), part_x);
            };
            return lerp(across(below), across(below + 1), part_z);
        };
        Expr mapped = coefficient(3);
        for (int k = 0; k < 3; k++) {
            mapped += coefficient(k) * input(x, y, k);
        }
        output(x, y, c) = clamp(mapped, 0.0f, 1.0f);
    }

    void estimates() {
        const int width = 1536, height = 2560, factor = 8;
        small_input.set_estimates({{0, width / factor}, {0, height / factor}, {0, 3}});
        small_output.set_estimates({{0, width / factor}, {0, height / factor}, {0, 3}});
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        // The grid is small: a system is put together, blurred and solved per row of cells. Nearly
        // all of the time goes into looking maps up.
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row");
        blur_z.compute_root().reorder(j, i, x, z, y).parallel(y);
        moments.compute_at(blur_z, y).reorder(j, i, x, z, y).unroll(j);
        moments.update().reorder(j, i, pixels.x, x, pixels.y, y).unroll(i).unroll(j);
        blur_y.compute_root().reorder(x, y, z, i, j).parallel(j).vectorize(x, vec / 2);
        blur_x.compute_at(blur_y, z).vectorize(x, vec / 2);
        affine.compute_root()
            .reorder(c, i, x, y, z)
            .parallel(z)
            .vectorize(x, vec / 2)
            .unroll(c)
            .unroll(i);
        for (Func &step : steps) {
            step.compute_at(affine, x).reorder(i, j, x, y, z).unroll(i).unroll(j).vectorize(x);
        }
        output.split(y, strip, row, 16, TailStrategy::GuardWithIf)
            .reorder(c, x, row, strip)
            .bound(c, 0, 3)
            .unroll(c)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        row_of_cells.compute_at(output, row).vectorize(x, vec / 2);
    }

    void manual_gpu() {
        Var bx("bx"), by("by"), tx("tx"), ty("ty"), entry("entry"), xi("xi");
        // A block sums one cell's pixels, a thread one entry of its systems.
        moments.compute_root()
            .fuse(i, j, entry)
            .reorder(z, entry, x, y)
            .gpu_blocks(x, y)
            .gpu_threads(entry);
        moments.update()
            .fuse(i, j, entry)
            .reorder(pixels.x, pixels.y, entry, x, y)
            .gpu_blocks(x, y)
            .gpu_threads(entry);
        for (Func *blur : {&blur_z, &blur_x, &blur_y}) {
            blur->compute_root()
                .fuse(i, j, entry)
                .split(x, x, xi, 8, TailStrategy::GuardWithIf)
                .reorder(xi, entry, x, y, z)
                .gpu_blocks(x, y, z)
                .gpu_threads(xi, entry);
        }
        // A thread solves a cell's system in registers.
        affine.compute_root()
            .tile(x, y, bx, by, tx, ty, 8, 8, TailStrategy::GuardWithIf)
            .reorder(c, i, tx, ty, bx, by, z)
            .bound(c, 0, 3)
            .bound(i, 0, 4)
            .unroll(c)
            .unroll(i)
            .gpu_blocks(bx, by, z)
            .gpu_threads(tx, ty);
        for (Func &step : steps) {
            step.compute_at(affine, tx).reorder(i, j, x, y, z).unroll(i).unroll(j);
        }
        output.bound(c, 0, 3)
            .tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf)
            .reorder(c, tx, ty, bx, by)
            .unroll(c)
            .gpu_blocks(bx, by)
            .gpu_threads(tx, ty);
    }

private:
    Var x{"x"}, y{"y"}, z{"z"}, i{"i"}, j{"j"}, c{"c"};
    RDom pixels;
    Func moments{"moments"}, blur_z{"blur_z"}, blur_x{"blur_x"}, blur_y{"blur_y"};
    Func affine{"affine"}, row_of_cells{"row_of_cells"};
    std::vector<Func> steps;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::BilateralGuidedUpsampling, bgu)
