// trmm: the product of a triangular and a square float matrix, output = alpha a b, where only the
// lower triangle of a, with its diagonal, counts (STRMM of the BLAS: left, lower, not transposed,
// not unit; PolyBench's trmm transposes a and takes its diagonal as ones). The output has a buffer
// of its own, where the BLAS overwrites b.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/gemm_schedule.h"

namespace cryolite::apps {

class Trmm : public App<Trmm> {
public:
    GeneratorParam<int> size{"size", 2048};  // of the estimates
    Input<float> alpha{"alpha"};
    Input<Buffer<float, 2>> a{"a"};  // a(k, row), read where k <= row
    Input<Buffer<float, 2>> b{"b"};  // b(column, k)
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        k.where(k <= y);
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        output(x, y) = alpha * product(x, y);
    }

    void estimates() {
        alpha.set_estimate(1.5f);
        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() {
        // The compiler ends the loop over k at the last row of a register tile, so that half of the
        // work is skipped, and peels off the end of it where the tile's rows differ.
        schedule_product_for_cpu(matrix_product(), get_target(), wide_tile(get_target()));
    }

    void manual_gpu() { schedule_product_for_gpu(matrix_product()); }

private:
    MatrixProduct matrix_product() { return {output, product, k.x, {a.in()}, {b.in()}}; }

    Var x{"x"}, y{"y"};
    RDom k;
    Func product{"product"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Trmm, trmm)
