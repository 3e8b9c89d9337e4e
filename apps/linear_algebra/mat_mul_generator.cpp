// mat_mul: the product of two square float matrices, output = a b. The estimate is 1536 x 1536:
// large enough that b (9 MB) leaves the second-level cache of every current CPU, so that blocking
// and packing count, and small enough (7 GFLOP) that a bad schedule still ends within seconds.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/gemm_schedule.h"

namespace cryolite::apps {

class MatMul : public App<MatMul> {
public:
    GeneratorParam<int> size{"size", 1536};  // of the estimates
    Input<Buffer<float, 2>> a{"a"};          // a(k, row)
    Input<Buffer<float, 2>> b{"b"};          // b(column, k)
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        output(x, y) = product(x, y);
    }

    void estimates() {
        a.set_estimates({{0, size}, {0, size}});
        b.set_estimates({{0, size}, {0, size}});
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

HALIDE_REGISTER_GENERATOR(cryolite::apps::MatMul, mat_mul)
