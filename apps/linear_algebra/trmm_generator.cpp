// trmm: the product of a triangular and a square float matrix, output = alpha a b, where only the
// lower triangle of a, with its diagonal, counts (STRMM of the BLAS: left, lower, not transposed,
// not unit; PolyBench's trmm transposes a and takes its diagonal as ones). The output has a buffer
// of its own, where the BLAS overwrites b.
#include "apps/linear_algebra/product_app.h"

namespace cryolite::apps {

class Trmm : public ProductApp<Trmm> {
public:
    GeneratorParam<int> size{"size", 2048};  // of the estimates
    Input<float> alpha{"alpha"};
    Input<Buffer<float, 2>> a{"a"};  // a(k, row), read where k <= row
    Input<Buffer<float, 2>> b{"b"};  // b(column, k)
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        k = RDom(0, a.width(), "k");
        // The manual schedule is that of a whole product: the compiler ends the loop over k at the last
        // row of a register tile, so that half of the work is skipped, and peels off the end of it
        // where the tile's rows differ.
        k.where(k <= y);
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        output(x, y) = alpha * product(x, y);
    }

    void estimates() {
        alpha.set_estimate(1.5f);
        estimate_squares(a, b, output);
    }
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Trmm, trmm)
