// syr2k: a symmetric update of rank 2k, output = alpha (a b^T + b a^T) + beta c, of square float
// matrices (SSYR2K of the BLAS; syr2k of PolyBench). As in the literature on scheduling, and unlike
// the BLAS, both triangles of the output are computed, each element by itself.
#include "apps/linear_algebra/product_app.h"

namespace cryolite::apps {

class Syr2k : public ProductApp<Syr2k> {
public:
    GeneratorParam<int> size{"size", 2048};  // of the estimates
    Input<float> alpha{"alpha"};
    Input<float> beta{"beta"};
    Input<Buffer<float, 2>> a{"a"};  // a(k, row)
    Input<Buffer<float, 2>> b{"b"};  // b(k, row)
    Input<Buffer<float, 2>> c{"c"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        a_transposed(x, y) = a(y, x);
        b_transposed(x, y) = b(y, x);
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b_transposed(x, k) + b(k, y) * a_transposed(x, k);
        output(x, y) = alpha * product(x, y) + beta * c(x, y);
    }

    void estimates() {
        alpha.set_estimate(1.5f);
        beta.set_estimate(1.2f);
        estimate_squares(a, b, c, output);
    }

    void manual_cpu() {
        // A step reads rows of both matrices: with four of each they still fit the ways of a
        // first-level cache (see wide_tile).
        schedule_product_for_cpu(matrix_product(), get_target(), RegisterTile{4, 3});
    }

    MatrixProduct matrix_product() {
        return {output,
                product,
                k.x,
                {a.in(), b.in()},
                {b_transposed, a_transposed},
                {b.in(b_transposed), a.in(a_transposed)}};
    }

private:
    Func a_transposed{"a_transposed"}, b_transposed{"b_transposed"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Syr2k, syr2k)
