// The schedules of what reads and writes every element once: they can only keep out of the memory's
// way.
#pragma once

#include "apps/common/app_generator.h"

namespace cryolite::apps {

// Rows by strips, one per task, so that each task walks through whole pages.
inline void schedule_elementwise_for_cpu(Func written, const Target &target) {
    constexpr int rows_per_task = 32;
    const int vec = target.natural_vector_size(written.type());
    const Var x = written.args()[0], y = written.args()[1];
    Var strip("strip");
    written.split(y, strip, y, rows_per_task, TailStrategy::GuardWithIf)
        .parallel(strip)
        .vectorize(x, vec, TailStrategy::GuardWithIf);
}

// One element per thread: a guarded tail of vectors is more than Halide's OpenCL code generator
// takes, and warps coalesce their loads all the same.
inline void schedule_elementwise_for_gpu(Func written) {
    constexpr int threads_x = 64, threads_y = 4;
    const Var x = written.args()[0], y = written.args()[1];
    Var block_x("block_x"), block_y("block_y"), thread_x("thread_x"), thread_y("thread_y");
    written.gpu_tile(x, y, block_x, block_y, thread_x, thread_y, threads_x, threads_y,
                     TailStrategy::GuardWithIf);
}

}  // namespace cryolite::apps
