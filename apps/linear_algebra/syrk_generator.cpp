// syrk: a symmetric update of rank k, output = alpha a a^T + beta c, of square float matrices
// (SSYRK of the BLAS; syrk of PolyBench). As in the literature on scheduling, and unlike the BLAS,
// both triangles of the output are computed, each element by itself.
#include "apps/linear_algebra/product_app.h"

namespace cryolite::apps {

class Syrk : public ProductApp<Syrk> {
public:
    GeneratorParam<int> size{"size", 2048};  // of the estimates
    Input<float> alpha{"alpha"};
    Input<float> beta{"beta"};
    Input<Buffer<float, 2>> a{"a"};  // a(k, row)
    Input<Buffer<float, 2>> c{"c"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        transposed(x, y) = a(y, x);
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * transposed(x, k);
        output(x, y) = alpha * product(x, y) + beta * c(x, y);
    }

    void estimates() {
        alpha.set_estimate(1.5f);
        beta.set_estimate(1.2f);
        estimate_squares(a, c, output);
    }

    MatrixProduct matrix_product() {
        return {output, product, k.x, {a.in()}, {transposed}, {a.in(transposed)}};
    }

private:
    Func transposed{"transposed"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Syrk, syrk)
