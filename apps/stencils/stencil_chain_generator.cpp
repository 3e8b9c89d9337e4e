// stencil_chain: 32 stencils of 5x5 taps on 16-bit pixels, each reading the one before: the
// synthetic pipeline with which scheduling papers stress long chains (the search space grows with
// the power of its length; Anderson et al., "Efficient automatic scheduling of imaging and vision
// pipelines for the GPU", OOPSLA 2021). Fusing all is too much recomputation, fusing nothing is too
// much memory traffic.
//
// Arithmetic wraps in 16 bits. The weights of a stage form a 5x5 table of small odd numbers that
// differs from stage to stage, so that no two stages are alike and no stage is separable. The
// image's edge pixels are repeated outwards, before the first stage only.
#include <algorithm>
#include <string>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class StencilChain : public App<StencilChain> {
public:
    GeneratorParam<int> stencils{"stencils", 32, 1, 64};
    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        Func clamped("clamped");
        clamped(x, y) = BoundaryConditions::repeat_edge(input)(x, y);
        stages.push_back(clamped);
        for (int s = 1; s <= stencils; s++) {
            Func stage("stencil_" + std::to_string(s));
            Expr sum = cast<uint16_t>(0);
            for (int dy = -2; dy <= 2; dy++) {
                for (int dx = -2; dx <= 2; dx++) {
                    const int weight = 1 + 2 * ((3 * (dx + 2) + 5 * (dy + 2) + s) % 7);
                    sum += cast<uint16_t>(weight) * stages.back()(x + dx, y + dy);
                }
            }
            stage(x, y) = sum;
            stages.push_back(stage);
        }
        output(x, y) = stages.back()(x, y);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }

    void manual_cpu() {
        // Groups of four stencils go to memory and back once. In a group, each stage computes a
        // strip and its halo, small enough for producer and consumer to share the second cache
        // level; four rows at a time share their loads and weights in registers. The arithmetic
        // bounds this app, so recomputing halos of longer groups does not pay.
        const int vec = natural_vector_size<uint16_t>();
        const int group = 4;
        const int strip_rows = 64;
        const int unrolled_rows = 4;
        Var strip("strip"), row("row"), quad("quad");
        for (int last = stencils; last > 0; last -= group) {
            Func end = last == stencils ? Func(output) : stages[last];
            if (last != stencils) {
                end.compute_root();
            }
            end.split(y, strip, row, strip_rows, TailStrategy::GuardWithIf)
                .split(row, quad, row, unrolled_rows, TailStrategy::GuardWithIf)
                .reorder(row, x, quad, strip)
                .unroll(row)
                .vectorize(x, vec, TailStrategy::GuardWithIf)
                .parallel(strip);
            const int first = std::max(last - group, 0);
            // The first group also holds the clamped input; the others end at the group before.
            for (int s = last - 1; s > first || (s == 0 && first == 0); s--) {
                stages[s]
                    .compute_at(end, strip)
                    .split(y, quad, row, unrolled_rows)
                    .reorder(row, x, quad)
                    .unroll(row)
                    .vectorize(x, vec);
            }
        }
    }

    void manual_gpu() {
        // Two stencils per kernel: a block keeps what the first computes for its tile and halo in
        // shared memory. A thread makes two pixels by two, which share most of their loads.
        const int group = 2;
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
        Var xi("xi"), yi("yi");
        for (int last = stencils; last > 0; last -= group) {
            Func end = last == stencils ? Func(output) : stages[last];
            if (last != stencils) {
                end.compute_root();
            }
            end.split(x, block_x, thread_x, 64, guard)
                .split(y, block_y, thread_y, 32, guard)
                .split(thread_x, thread_x, xi, 2)
                .split(thread_y, thread_y, yi, 2)
                .reorder(xi, yi, thread_x, thread_y, block_x, block_y)
                .unroll(xi)
                .unroll(yi)
                .gpu_threads(thread_x, thread_y)
                .gpu_blocks(block_x, block_y);
            const int first = std::max(last - group, 0);
            for (int s = last - 1; s > first || (s == 0 && first == 0); s--) {
                stages[s]
                    .compute_at(end, block_x)
                    .tile(x, y, thread_x, thread_y, 32, 16, guard)
                    .gpu_threads(thread_x, thread_y);
            }
        }
    }

private:
    Var x{"x"}, y{"y"};
    std::vector<Func> stages;
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::StencilChain, stencil_chain)
