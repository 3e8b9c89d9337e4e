// mat_mul: the product of two square float matrices, out = a b. The estimate is 1536 x 1536: large
// enough that b (9 MB) leaves the second-level cache of every current CPU, so that blocking and
// packing count, and small enough (7 GFLOP) that a bad schedule still ends within seconds.
//
// Manual schedule: the structure of Goto and van de Geijn, "Anatomy of high-performance matrix
// multiplication" (TOMS 2008): a panel of b is packed, and a micro-kernel keeps a block of the
// output in registers while it walks down k.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class MatMul : public App<MatMul> {
public:
    Input<Buffer<float, 2>> a{"a"};  // a(k, row)
    Input<Buffer<float, 2>> b{"b"};  // b(column, k)
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        output(x, y) = product(x, y);
    }

    void estimates() {
        const int size = 1536;
        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() {
        // 12 x 2 accumulators: with two vectors of b and one broadcast of a they fill 27 of the 32
        // vector registers of AVX-512 and NEON; with 16 registers (AVX2) 6 x 2 leave one spare.
        const int vec = natural_vector_size<float>();
        const int block_rows = get_target().has_feature(Target::AVX512) ? 12 : 6;
        const int block_columns = 2 * vec;
        Var panel("panel"), panel_rows("panel_rows"), task("task"), column("column"), row("row");
        Var xi("xi"), yi("yi"), lane("lane");
        // A task is a tile of the output: it packs the columns of b that it needs, block by block.
        // Shifted tails keep the packing in bounds: the output must be at least one tile large.
        output
            .tile(x, y, panel, panel_rows, column, row, 4 * block_columns, 32 * block_rows,
                  TailStrategy::ShiftInwards)
            .fuse(panel, panel_rows, task)
            .parallel(task)
            .tile(column, row, column, row, xi, yi, block_columns, block_rows)
            .reorder(xi, yi, row, column)
            .vectorize(xi, vec)
            .unroll(xi)
            .unroll(yi);
        product.compute_at(output, row).bound_extent(x, block_columns).bound_extent(y, block_rows);
        product.vectorize(x, vec).unroll(x).unroll(y);
        product.update().reorder(x, y, k).vectorize(x, vec).unroll(x).unroll(y);
        b.in().compute_at(output, column).vectorize(_0, vec).unroll(_0);
    }

private:
    Var x{"x"}, y{"y"};
    RDom k;
    Func product{"product"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::MatMul, mat_mul)
