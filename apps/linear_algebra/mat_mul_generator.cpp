// mat_mul: the product of two square float matrices, output = a b. The estimate is 1536 x 1536:
// large enough that b (9 MB) leaves the second-level cache of every current CPU, so that blocking
// and packing count, and small enough (7 GFLOP) that a bad schedule still ends within seconds.
#include "apps/linear_algebra/product_app.h"

namespace cryolite::apps {

class MatMul : public ProductApp<MatMul> {
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

    void estimates() { estimate_squares(a, b, output); }
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::MatMul, mat_mul)
