// The schedules of what reads a matrix transposed. Either way of walking jumps from row to row in
// one of the two matrices; small square pieces turned in fast memory make both ways dense.
#pragma once

#include "apps/common/app_generator.h"

namespace cryolite::apps {

// Computes written(x, y) = f(source(y, x)) by squares of `vec` x `vec` elements, which pass through
// registers and the first-level cache; x and y then count squares. Tails shift inwards: `written`
// must be at least one square large.
inline void transpose_by_squares(Func written, Func source, int vec) {
    const Var x = written.args()[0], y = written.args()[1];
    const Var from_x = source.args()[0], from_y = source.args()[1];
    Var xi("xi"), yi("yi");
    written.split(x, x, xi, vec, TailStrategy::ShiftInwards)
        .split(y, y, yi, vec, TailStrategy::ShiftInwards)
        .reorder(xi, yi, x, y)
        .vectorize(xi)
        .unroll(yi);
    // Rows are read densely and stored turned, so that `written` reads densely as well.
    source.compute_at(written, x)
        .reorder_storage(from_y, from_x)
        .vectorize(from_x, vec)
        .unroll(from_y);
}

inline void schedule_transpose_for_cpu(Func written, Func source, const Target &target) {
    const int vec = target.natural_vector_size<float>();
    const Var x = written.args()[0], y = written.args()[1];
    transpose_by_squares(written, source, vec);
    // Tiles tall enough to use a page of the source while it is in the table of pages, and whole
    // lines of it; their rows are a few lines of the output.
    constexpr int columns = 64, rows = 256;
    Var xo("xo"), yo("yo");
    written.split(x, xo, x, columns / vec, TailStrategy::GuardWithIf)
        .split(y, yo, y, rows / vec, TailStrategy::GuardWithIf)
        .reorder(x, y, xo, yo)
        .parallel(yo);
}

// A block turns a square in shared memory: threads along x read and write neighbours, and every
// thread moves a few rows.
inline void schedule_transpose_for_gpu(Func written, Func source) {
    constexpr int square = 32, thread_rows = 8;
    // A row that is a word longer than a square, so that columns spread over the banks.
    constexpr int padded_row = square + 1;
    const Var x = written.args()[0], y = written.args()[1];
    const Var from_x = source.args()[0], from_y = source.args()[1];
    Var block_x("block_x"), block_y("block_y"), thread_y("thread_y");
    written.split(x, block_x, x, square, TailStrategy::GuardWithIf)
        .split(y, block_y, y, square, TailStrategy::GuardWithIf)
        .split(y, y, thread_y, thread_rows)
        .reorder(x, thread_y, y, block_x, block_y)
        .gpu_blocks(block_x, block_y)
        .gpu_threads(x, thread_y);
    source.compute_at(written, block_x)
        .align_storage(from_x, padded_row)
        .split(from_y, from_y, thread_y, thread_rows, TailStrategy::GuardWithIf)
        .reorder(from_x, thread_y, from_y)
        .gpu_threads(from_x, thread_y);
}

}  // namespace cryolite::apps
