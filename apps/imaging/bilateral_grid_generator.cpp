// bilateral_grid: edge-preserving smoothing by the bilateral grid (Chen, Paris and Durand,
// "Real-time edge-aware image processing with the bilateral grid", SIGGRAPH 2007). Pixels are
// gathered into a coarse grid over position and value, the grid is blurred by a binomial filter of
// five taps along its three axes, and every pixel reads its value back by trilinear interpolation.
// Cells hold homogeneous pairs: the weighted sum of values and the weight.
//
// The image's edge pixels are repeated outwards; values are clamped to [0, 1].
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class BilateralGrid : public App<BilateralGrid> {
public:
    GeneratorParam<int> spatial_sigma{"spatial_sigma", 8};  // pixels per cell along x and y
    Input<Buffer<float, 2>> input{"input"};
    Input<float> range_sigma{"range_sigma", 0.1f, 0.01f, 1.0f};  // value per cell along z
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        const int cell_size = spatial_sigma;
        const Func clamped = BoundaryConditions::repeat_edge(input);

        // Splat. A cell's pixels are those nearest to its centre.
        pixels = RDom(0, cell_size, 0, cell_size, "pixels");
        Expr value = clamped(x * cell_size + pixels.x - cell_size / 2,
                             y * cell_size + pixels.y - cell_size / 2);
        value = clamp(value, 0.0f, 1.0f);
        const Expr cell_z = cast<int32_t>(value / range_sigma + 0.5f);
        grid(x, y, z, c) = 0.0f;
        grid(x, y, cell_z, c) += mux(c, {value, 1.0f});

        // Blur.
        const auto binomial = [](auto at) {
            return at(-2) + 4.0f * at(-1) + 6.0f * at(0) + 4.0f * at(1) + at(2);
        };
        blur_z(x, y, z, c) = binomial([&](int d) { return grid(x, y, z + d, c); });
        blur_x(x, y, z, c) = binomial([&](int d) { return blur_z(x + d, y, z, c); });
        blur_y(x, y, z, c) = binomial([&](int d) { return blur_x(x, y + d, z, c); });

        // Slice: between rows of cells first, so that a row of the image shares that work.
        const Expr top = y / cell_size;
        const Expr part_y = cast<float>(y % cell_size) / float(cell_size);
        row_of_cells(x, y, z, c) = lerp(blur_y(x, top, z, c), blur_y(x, top + 1, z, c), part_y);

        const Expr left = x / cell_size;
        const Expr part_x = cast<float>(x % cell_size) / float(cell_size);
        const Expr position_z = clamp(input(x, y), 0.0f, 1.0f) / range_sigma;
        const Expr below = cast<int32_t>(position_z);
        const Expr part_z = position_z - cast<float>(below);
        sliced(x, y, c) =
            lerp(lerp(row_of_cells(left, y, below, c), row_of_cells(left + 1, y, below, c), part_x),
                 lerp(row_of_cells(left, y, below + 1, c), row_of_cells(left + 1, y, below + 1, c),
                      part_x),
                 part_z);
        output(x, y) = sliced(x, y, 0) / sliced(x, y, 1);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}});
        range_sigma.set_estimate(0.1f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        Var strip("strip"), row("row");
        // The splat scatters, so it goes cell by cell into one row of the grid, which stays in the
        // first cache level until the blur along z has consumed it.
        blur_z.compute_root().reorder(x, z, c, y).parallel(y).vectorize(x, vec);
        grid.compute_at(blur_z, y).vectorize(x, vec);
        grid.update().reorder(c, pixels.x, x, pixels.y, y).unroll(c);

        blur_y.compute_root().reorder(x, y, z, c).parallel(z).parallel(c).vectorize(x, vec);
        blur_x.store_at(blur_y, z).compute_at(blur_y, y).fold_storage(y, 8).vectorize(x, vec);

        output.split(y, strip, row, int(spatial_sigma), TailStrategy::GuardWithIf)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        row_of_cells.compute_at(output, row).vectorize(x, vec);
    }

    void manual_gpu() {
        // A thread splats the pixels of one cell of the grid: no two write to the same place.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var plane("plane");
        grid.compute_root()
            .fuse(z, c, plane)
            .gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard)
            .gpu_blocks(plane);
        grid.update()
            .reorder(c, pixels.x, pixels.y, x, y)
            .unroll(c)
            .gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 16, 4, guard);
        for (Func f : {blur_z, blur_y}) {
            f.compute_root()
                .fuse(z, c, plane)
                .gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard)
                .gpu_blocks(plane);
        }
        blur_x.compute_at(blur_y, block_x)
            .tile(x, y, thread_x, thread_y, 32, 8, guard)
            .gpu_threads(thread_x, thread_y);
        output.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 8, guard);
    }

private:
    Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
    RDom pixels;
    Func grid{"grid"}, blur_z{"blur_z"}, blur_x{"blur_x"}, blur_y{"blur_y"};
    Func row_of_cells{"row_of_cells"}, sliced{"sliced"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::BilateralGrid, bilateral_grid)
