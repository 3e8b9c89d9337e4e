// The schedules that all apps made of matrix products share.
//
// For a CPU: the structure of Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication" (TOMS 2008). A panel of the right factor is packed, and a micro-kernel keeps a
// tile of the product in registers while it walks down k. There is no blocking along k: a packed
// panel stays in the second-level cache up to a k of some 4000, and the rows of the left factor
// stream past it.
//
// For a GPU: a block owns a tile of the output and walks down k in steps. Each step stages its
// piece of both factors in shared memory; a thread sums the step up in registers and adds it to the
// tile, which waits in shared memory between the steps, as Halide has no registers that outlive a
// barrier.
#pragma once

#include "apps/common/app_generator.h"
#include "apps/linear_algebra/transpose_schedule.h"

namespace cryolite::apps {

// product(column, row, ...) = sum over k of left(k, row, ...) right(column, k), and what follows.
struct MatrixProduct {
    Func written;  // pure, in the arguments of `product`, whose only reader it is
    Func product;  // with one update, over k
    RVar k;
    // Read by `product` alone: wrappers, or Funcs that would be inlined. Several pairs where the
    // sum is one of several products.
    std::vector<Func> left, right;
    // Where the right factors are transposes: the wrappers of what they read, one for each.
    std::vector<Func> transposed_from = {};
};

// The accumulators of the micro-kernel: rows by vectors.
struct RegisterTile {
    int rows, vectors;
};

// Fills the registers: with 32 of them (AVX-512, NEON) 24 accumulators, a step's vectors of the
// right factor and a broadcast of the left one; with 16 (AVX2) half as many.
// The wide tile reads eight rows of the left factor at once, as many as the ways of a first-level
// cache: rows whose distance is a power of two all fall into one set. The tall tile suits products
// of few columns.
inline RegisterTile wide_tile(const Target &target) {
    return target.has_feature(Target::AVX512) ? RegisterTile{8, 3} : RegisterTile{4, 3};
}

inline RegisterTile tall_tile(const Target &target) {
    return target.has_feature(Target::AVX512) ? RegisterTile{12, 2} : RegisterTile{6, 2};
}

// Tails shift inwards, which keeps the packing in bounds: the product must be at least one register
// tile large (8 x 48 for wide_tile with AVX-512).
inline void schedule_product_for_cpu(MatrixProduct matrix, const Target &target,
                                     const RegisterTile &tile) {
    constexpr int columns_per_task = 4, rows_per_task = 32;  // in tiles
    const int vec = target.natural_vector_size<float>();
    const int tile_columns = tile.vectors * vec;
    const std::vector<Var> written = matrix.written.args();
    Var panel("panel"), panel_rows("panel_rows"), task("task"), column("column"), row("row");
    Var xi("xi"), yi("yi");
    // A task packs the columns of the right factor that it needs, panel by panel.
    matrix.written.split(written[0], column, xi, tile_columns, TailStrategy::ShiftInwards)
        .split(written[1], row, yi, tile.rows, TailStrategy::ShiftInwards)
        .split(column, panel, column, columns_per_task, TailStrategy::GuardWithIf)
        .split(row, panel_rows, row, rows_per_task, TailStrategy::GuardWithIf)
        .reorder(xi, yi, row, column, panel, panel_rows)
        .fuse(panel, panel_rows, task)
        .vectorize(xi, vec)
        .unroll(xi)
        .unroll(yi);
    for (std::size_t i = 2; i < written.size(); i++) {
        matrix.written.fuse(task, written[i], task);
    }
    matrix.written.parallel(task);

    const Var x = matrix.product.args()[0], y = matrix.product.args()[1];
    matrix.product.compute_at(matrix.written, row)
        .bound_extent(x, tile_columns)
        .bound_extent(y, tile.rows)
        .vectorize(x, vec)
        .unroll(x)
        .unroll(y);
    matrix.product.update().reorder(x, y, matrix.k).vectorize(x, vec).unroll(x).unroll(y);
    for (std::size_t i = 0; i < matrix.right.size(); i++) {
        Func packed = matrix.right[i];
        const Var column_of_panel = packed.args()[0];
        packed.compute_at(matrix.written, column);
        if (matrix.transposed_from.empty()) {
            packed.vectorize(column_of_panel, vec).unroll(column_of_panel);
        } else {
            transpose_by_squares(packed, matrix.transposed_from[i], vec);
        }
    }
}

// Copies a step's piece of a factor to shared memory. Threads along x take neighbours in memory,
// which lie along `dense`; `sparse` is the other dimension.
inline void stage_in_shared_memory(Func piece, MatrixProduct &matrix, const RVar &step, Var dense,
                                   Var sparse) {
    constexpr int threads = 16;
    Var xi("xi"), yi("yi");
    piece.compute_at(matrix.product, step)
        .store_in(MemoryType::GPUShared)
        .split(dense, dense, xi, threads, TailStrategy::GuardWithIf)
        .split(sparse, sparse, yi, threads, TailStrategy::GuardWithIf)
        .reorder(xi, yi, dense, sparse)
        .gpu_threads(xi, yi);
}

// Tails shift inwards: the product must be at least one block's tile large, 64 columns by 128 rows
// (by 64 rows where the sum is one of several products).
inline void schedule_product_for_gpu(MatrixProduct matrix) {
    // 256 threads. A sum takes 32 KB, and the pieces of a step 12 KB (16 KB each for two products):
    // within the 48 KB that every GPU gives.
    constexpr int threads = 16, columns_per_thread = 4, depth = 16;
    const int rows_per_thread = matrix.left.size() == 1 ? 8 : 4;
    Var xi("xi"), yi("yi"), tx("tx"), ty("ty"), block_x("block_x"), block_y("block_y"),
        step("step");
    RVar ko("ko"), ki("ki");
    const auto split_by_threads = [&](Stage stage, const Var &x, const Var &y) {
        stage.split(x, tx, xi, columns_per_thread).split(y, ty, yi, rows_per_thread);
    };

    const std::vector<Var> written = matrix.written.args();
    matrix.written
        .split(written[0], block_x, written[0], columns_per_thread * threads,
               TailStrategy::ShiftInwards)
        .split(written[1], block_y, written[1], rows_per_thread * threads,
               TailStrategy::ShiftInwards)
        .reorder(written[0], written[1], block_x, block_y)
        .gpu_blocks(block_x, block_y);
    for (std::size_t i = 2; i < written.size(); i++) {
        matrix.written.gpu_blocks(written[i]);
    }
    split_by_threads(matrix.written, written[0], written[1]);
    matrix.written.reorder(xi, yi, tx, ty).unroll(xi).unroll(yi).gpu_threads(tx, ty);

    const Var x = matrix.product.args()[0], y = matrix.product.args()[1];
    matrix.product.compute_at(matrix.written, block_x)
        .store_in(MemoryType::GPUShared)
        .bound_extent(x, columns_per_thread * threads)
        .bound_extent(y, rows_per_thread * threads);
    split_by_threads(matrix.product, x, y);
    matrix.product.reorder(xi, yi, tx, ty).unroll(xi).unroll(yi).gpu_threads(tx, ty);

    Stage update = matrix.product.update();
    update.split(matrix.k, ko, ki, depth, TailStrategy::GuardWithIf);
    Func sum_of_step = update.rfactor(ko, step);
    split_by_threads(update, x, y);
    update.reorder(xi, yi, tx, ty, ko).unroll(xi).unroll(yi).gpu_threads(tx, ty);
    sum_of_step.compute_at(matrix.product, tx).unroll(x).unroll(y);
    sum_of_step.update().reorder(x, y, ki).unroll(x).unroll(y);

    for (const Func &left : matrix.left) {
        stage_in_shared_memory(left, matrix, ko, left.args()[0], left.args()[1]);
    }
    for (const Func &right : matrix.right) {
        const bool transposed = !matrix.transposed_from.empty();
        stage_in_shared_memory(right, matrix, ko, right.args()[transposed ? 1 : 0],
                               right.args()[transposed ? 0 : 1]);
    }
}

}  // namespace cryolite::apps
