// heat2d: the heat equation on a plate in explicit steps, with the five-point Laplacian, after the
// kernel of this name in Baghdadi et al., "Tiramisu" (CGO 2019, section 7). One call makes `steps`
// time steps. The rim of the plate keeps its temperature (Dirichlet's condition), so a step treats
// inner points and the rim differently, unlike jacobi.
//
// rate = diffusivity * time step / square of the grid's spacing; stable up to 1/4.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Heat2d : public App<Heat2d> {
public:
    GeneratorParam<int> steps{"steps", 4, 1, 64};
    Input<Buffer<float, 2>> input{"input"};
    Input<float> rate{"rate", 0.2f, 0.0f, 0.25f};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        const Expr right_end = input.dim(0).max(), lower_end = input.dim(1).max();
        const Expr left_end = input.dim(0).min(), upper_end = input.dim(1).min();
        const Expr inner = x > left_end && x < right_end && y > upper_end && y < lower_end;
        Func before = BoundaryConditions::repeat_edge(input);
        for (int i = 1; i <= steps; i++) {
            Func step("step_" + std::to_string(i));
            const Expr laplacian = before(x - 1, y) + before(x + 1, y) + before(x, y - 1) +
                                   before(x, y + 1) - 4.0f * before(x, y);
            step(x, y) = before(x, y) + select(likely(inner), rate * laplacian, 0.0f);
            stages.push_back(step);
            before = BoundaryConditions::repeat_edge(
                step, {{left_end, input.dim(0).extent()}, {upper_end, input.dim(1).extent()}});
        }
        output(x, y) = stages.back()(x, y);
    }

    void estimates() {
        const int width = 2112, height = 3520;
        input.set_estimates({{0, width}, {0, height}});
        rate.set_estimate(0.2f);
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        // Groups of up to four steps go to memory and back once: a task computes all of
        // them for its tile, each on a point of halo less than the one before, in the second cache
        // level; four rows at a time share their loads in registers.
        const int vec = natural_vector_size<float>();
        const int tile_rows = 64, unrolled_rows = 4;
        Var tile_x("tile_x"), tile_y("tile_y"), task("task"), row("row"), quad("quad"), xi("xi");
        for (int last = steps; last > 0; last -= group) {
            Func end = last == steps ? Func(output) : stages[last - 1];
            if (last != steps) {
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
                stages[i - 1]
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
        // Groups of up to four steps per kernel: a block computes all of them for its tile, each
        // with one point of halo less than the one before, in shared memory.
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        for (int last = steps; last > 0; last -= group) {
            Func end = last == steps ? Func(output) : stages[last - 1];
            if (last != steps) {
                end.compute_root();
            }
            end.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, 32, 16,
                         TailStrategy::GuardWithIf);
            const int first = std::max(last - group, 0);
            for (int i = last - 1; i > first; i--) {
                stages[i - 1]
                    .compute_at(end, block_x)
                    .tile(x, y, thread_x, thread_y, 32, 16, TailStrategy::GuardWithIf)
                    .gpu_threads(thread_x, thread_y);
            }
        }
    }

private:
    static constexpr int group = 4;  // steps between two trips to memory

    Var x{"x"}, y{"y"};
    std::vector<Func> stages;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Heat2d, heat2d)
