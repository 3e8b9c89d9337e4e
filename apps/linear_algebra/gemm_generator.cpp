// gemm: the general matrix product of the BLAS (SGEMM without transposes; gemm of PolyBench),
// output = alpha a b + beta c, of square float matrices. The output has a buffer of its own, where
// the BLAS overwrites c.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/gemm_schedule.h"

namespace cryolite::apps {

class Gemm : public App<Gemm> {
public:
    GeneratorParam<int> size{"size", 2048};  // of the estimates
    Input<float> alpha{"alpha"};
    Input<float> beta{"beta"};
    Input<Buffer<float, 2>> a{"a"};  // a(k, row)
    Input<Buffer<float, 2>> b{"b"};  // b(column, k)
    Input<Buffer<float, 2>> c{"c"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        output(x, y) = alpha * product(x, y) + beta * c(x, y);
    }

    void estimates() {
        alpha.set_estimate(1.5f);
        beta.set_estimate(1.2f);
        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
        c.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() {
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

HALIDE_REGISTER_GENERATOR(cryolite::apps::Gemm, gemm)
