// doitgen: the multiresolution analysis kernel of MADNESS (doitgen of PolyBench): every row along
// the first dimension of a cube of floats is multiplied by the same square matrix,
// output(p, q, r) = sum over s of a(s, q, r) c4(p, s). The output has a buffer of its own, where
// PolyBench overwrites a.
#include "apps/common/app_generator.h"
#include "apps/linear_algebra/gemm_schedule.h"

namespace cryolite::apps {

class Doitgen : public App<Doitgen> {
public:
    GeneratorParam<int> size{"size", 256};  // of the estimates
    Input<Buffer<float, 3>> a{"a"};
    Input<Buffer<float, 2>> c4{"c4"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        s = RDom(0, a.width(), "s");
        product(p, q, r) = 0.0f;
        product(p, q, r) += a(s, q, r) * c4(p, s);
        output(p, q, r) = product(p, q, r);
    }

    void estimates() {
        a.set_estimates({{0, size}, {0, size}, {0, size}});
        c4.set_estimates({{0, size}, {0, size}});
        output.set_estimates({{0, size}, {0, size}, {0, size}});
    }

    void manual_cpu() {
        schedule_product_for_cpu(matrix_product(), get_target(), tall_tile(get_target()));
    }

    void manual_gpu() { schedule_product_for_gpu(matrix_product()); }

private:
    MatrixProduct matrix_product() { return {output, product, s.x, {a.in()}, {c4.in()}}; }

    Var p{"p"}, q{"q"}, r{"r"};
    RDom s;
    Func product{"product"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Doitgen, doitgen)
