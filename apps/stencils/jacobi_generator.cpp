// jacobi: Jacobi's method on a grid with nine points: a step replaces a value by the mean of its
// 3x3 neighbourhood, the iterated stencil of the literature on tiling over time. One call makes
// `fused` steps; a hundred steps are 100 / fused calls. Each step alone is bound by memory; fused
// steps have more arithmetic per byte the more halo their tiles recompute.
//
// The boundary is free: a neighbour outside of the grid is the nearest value on its edge, in every
// step, so that calls compose. The mean weighs all nine points alike.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Jacobi : public App<Jacobi> {
public:
    GeneratorParam<int> size{"size", 4000, 1, 32768};  // of the estimate, along both axes
    GeneratorParam<int> fused{"fused", 5, 1, 64};
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Func before = BoundaryConditions::repeat_edge(input);
        for (int i = 1; i <= fused; i++) {
            Func step("step_" + std::to_string(i));
            Expr sum = 0.0f;
            for (int dy = -1; dy <= 1; dy++) {
                // A row first: neighbouring rows share its sum wherever it is kept.
                sum += before(x - 1, y + dy) + before(x, y + dy) + before(x + 1, y + dy);
            }
            step(x, y) = sum * (1.0f / 9.0f);
            steps.push_back(step);
            before = BoundaryConditions::repeat_edge(step,
                                                     {{input.dim(0).min(), input.dim(0).extent()},
                                                      {input.dim(1).min(), input.dim(1).extent()}});
        }
        output(x, y) = steps.back()(x, y);
    }

    void estimates() {
        const int n = size;
        input.set_estimates({{0, n}, {0, n}});
        output.set_estimates({{0, n}, {0, n}});
    }

    void manual_cpu() {
        // Groups of up to five steps go to memory and back once: a task computes all of
        // them for its tile, each on a point of halo less than the one before, in the second cache
        // level; four rows at a time share their loads in registers.
        const int vec = natural_vector_size<float>();
        const int tile_rows = 64, unrolled_rows = 4;
        Var tile_x("tile_x"), tile_y("tile_y"), task("task"), row("row"), quad("quad"), xi("xi");
        for (int last = fused; last > 0; last -= group) {
            Func end = last == fused ? Func(output) : steps[last - 1];
            if (last != fused) {
                end.compute_root();
            }
            end.split(y, tile_y, row, tile_rows, TailStrategy::GuardWithIf)
                .split(row, quad, row, unrolled_rows, TailStrategy::GuardWithIf)
                .split(x, tile_x, xi, 32 * vec, TailStrategy::GuardWithIf)
                .reorder(row, xi, quad, tile_x, tile_y)
                .unroll(row)
                .vectorize(xi, vec, TailStrategy::GuardWithIf)
                .fuse(tile_x, tile_y, task)
                .parallel(task)
                .partition(quad, Partition::Never);  // halves the compile time, costs nothing
            for (int i = last - 1; i > std::max(last - group, 0); i--) {
                // Rounding up is harmless: a step may be computed beyond the edges, for it reads
                // what it needs clamped to them.
                steps[i - 1]
                    .compute_at(end, task)
                    .split(y, quad, row, unrolled_rows)
                    .reorder(row, x, quad)
                    .unroll(row)
                    .vectorize(x, vec)
                    .partition(quad, Partition::Never);
            }
        }
    }

    void manual_gpu() {
        // Groups of up to five steps per kernel: a block computes all of them for its tile, each
        // with one point of halo less than the one before, in shared memory.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        for (int last = fused; last > 0; last -= group) {
            Func end = last == fused ? Func(output) : steps[last - 1];
            if (last != fused) {
                end.compute_root();
            }
            end.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 16,
                         TailStrategy::GuardWithIf);
            const int first = std::max(last - group, 0);
            for (int i = last - 1; i > first; i--) {
                steps[i - 1]
                    .compute_at(end, block_x)
                    .tile(x, y, thread_x, thread_y, 32, 16, TailStrategy::GuardWithIf)
                    .gpu_threads(thread_x, thread_y);
            }
        }
    }

private:
    static constexpr int group = 5;  // steps between two trips to memory

    Var x{"x"}, y{"y"};
    std::vector<Func> steps;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Jacobi, jacobi)
