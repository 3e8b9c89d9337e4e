// A product of 16-bit floats, compiled ahead of time with the plugin's option tensor_cores.
#include <Halide.h>

namespace {

class AheadProduct : public Halide::Generator<AheadProduct> {
public:
    Input<Buffer<Halide::float16_t, 2>> a{"a"}, b{"b"};
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 2>> result{"result"};

    void generate() {
        Halide::Var x("x"), y("y");
        Halide::RDom k(0, a.dim(0).extent(), "k");
        Halide::Func product("product");
        product(x, y) = 0.0f;
        product(x, y) += Halide::cast<float>(a(k, y)) * Halide::cast<float>(b(x, k));
        result(x, y) = Halide::max(product(x, y) + bias(x), 0);
        a.set_estimates({{0, 512}, {0, 512}});
        b.set_estimates({{0, 512}, {0, 512}});
        bias.set_estimates({{0, 512}});
        result.set_estimates({{0, 512}, {0, 512}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(AheadProduct, ahead_product)
