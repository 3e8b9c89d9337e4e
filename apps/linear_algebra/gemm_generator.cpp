// gemm: the general matrix product of the BLAS (SGEMM without transposes; gemm of PolyBench),
// output = alpha a b + beta c, of square float matrices. The output has a buffer of its own, where
// the BLAS overwrites c.
#include "apps/linear_algebra/product_app.h"

namespace cryolite::apps {

class Gemm : public ProductApp<Gemm> {
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
        estimate_squares(a, b, c, output);
    }
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Gemm, gemm)
