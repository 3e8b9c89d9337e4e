// three_mm: three matrix products, output = (a b) (c d), of square float matrices (3mm of
// PolyBench). The two inner products are read as a whole by the outer one, so that nothing can be
// fused but the writing of each with its computation.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/gemm_schedule.h"

namespace cryolite::apps {

class ThreeMm : public App<ThreeMm> {
public:
    GeneratorParam<int> size{"size", 2048};  // of the estimates
    Input<Buffer<float, 2>> a{"a"};          // a(k, row)
    Input<Buffer<float, 2>> b{"b"};          // b(column, k)
    Input<Buffer<float, 2>> c{"c"};
    Input<Buffer<float, 2>> d{"d"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k_ab = RDom(0, a.width(), "k_ab");
        ab(x, y) = 0.0f;
        ab(x, y) += a(k_ab, y) * b(x, k_ab);
        k_cd = RDom(0, c.width(), "k_cd");
        cd(x, y) = 0.0f;
        cd(x, y) += c(k_cd, y) * d(x, k_cd);
        k = RDom(0, b.width(), "k");
        product(x, y) = 0.0f;
        product(x, y) += ab(k, y) * cd(x, k);
        output(x, y) = product(x, y);
    }

    void estimates() {
        for (auto *matrix : {&a, &b, &c, &d}) {
            matrix->set_estimates({{0, size}, {0, size}});
        }
        output.set_estimates({{0, size}, {0, size}});
    }

    void manual_cpu() {
        for (const MatrixProduct &matrix : matrix_products()) {
            schedule_product_for_cpu(matrix, get_target(), wide_tile(get_target()));
        }
    }

    void manual_gpu() {
        for (const MatrixProduct &matrix : matrix_products()) {
            schedule_product_for_gpu(matrix);
        }
    }

private:
    std::vector<MatrixProduct> matrix_products() {
        Func ab_written = ab.in().compute_root(), cd_written = cd.in().compute_root();
        return {{ab_written, ab, k_ab.x, {a.in()}, {b.in()}},
                {cd_written, cd, k_cd.x, {c.in()}, {d.in()}},
                {output, product, k.x, {ab_written.in()}, {cd_written.in()}}};
    }

    Var x{"x"}, y{"y"};
    RDom k_ab, k_cd, k;
    Func ab{"ab"}, cd{"cd"}, product{"product"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::ThreeMm, three_mm)
