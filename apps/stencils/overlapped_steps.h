// The schedules of a stencil that is applied again and again: a few steps at a time are computed tile
// by tile, each on a point of halo less than the one before, so that a tile goes to memory once for
// all of them.
#pragma once

#include <algorithm>
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

// `output` copies the last of `steps`; each is a Func of x and y that reads the one before within a
// distance of one point, clamped to the edges. `group`: steps between two trips to memory.
struct TimeSteps {
    Func output;
    std::vector<Func> steps;
    Var x, y;
    int group;

    // Calls schedule(end, inner) for every group: its last step, which is stored, and those inside.
    template <typename Schedule>
    void for_each_group(Schedule schedule) const {
        const int count = int(steps.size());
        for (int last = count; last > 0; last -= group) {
            Func end = last == count ? output : steps[last - 1];
            if (last != count) {
                end.compute_root();
            }
            const int first = std::max(last - group, 0);
            schedule(end, std::vector<Func>(steps.begin() + first, steps.begin() + last - 1));
        }
    }
};

// Tiles stay in the second cache level; four rows at a time share their loads in registers.
inline void schedule_steps_for_cpu(const TimeSteps &time, int vec) {
    const int tile_rows = 64, unrolled_rows = 4;
    Var tile_x("tile_x"), tile_y("tile_y"), task("task"), row("row"), quad("quad"), xi("xi");
    time.for_each_group([&](Func end, const std::vector<Func> &inner) {
        end.split(time.y, tile_y, row, tile_rows, TailStrategy::GuardWithIf)
            .split(row, quad, row, unrolled_rows, TailStrategy::GuardWithIf)
            .split(time.x, tile_x, xi, 32 * vec, TailStrategy::GuardWithIf)
            .reorder(row, xi, quad, tile_x, tile_y)
            .unroll(row)
            .vectorize(xi, vec, TailStrategy::GuardWithIf)
            .fuse(tile_x, tile_y, task)
            .parallel(task)
            .partition(quad, Partition::Never);  // halves the compile time, costs nothing
        for (Func step : inner) {
            // Rounding up is harmless: a step may be computed beyond the edges, for it reads what it
            // needs clamped to them.
            step.compute_at(end, task)
                .split(time.y, quad, row, unrolled_rows)
                .reorder(row, time.x, quad)
                .unroll(row)
                .vectorize(time.x, vec)
                .partition(quad, Partition::Never);
        }
    });
}

// A kernel per group; the steps inside live in a block's shared memory.
inline void schedule_steps_for_gpu(const TimeSteps &time) {
    Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
    time.for_each_group([&](Func end, const std::vector<Func> &inner) {
        end.gpu_tile(time.x, time.y, block_x, block_y, thread_x, thread_y, 32, 16,
                     TailStrategy::GuardWithIf);
        for (Func step : inner) {
            step.compute_at(end, block_x)
                .tile(time.x, time.y, thread_x, thread_y, 32, 16, TailStrategy::GuardWithIf)
                .gpu_threads(thread_x, thread_y);
        }
    });
}

}  // namespace cryolite::apps
