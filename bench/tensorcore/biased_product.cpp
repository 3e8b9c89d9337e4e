#include "bench/tensorcore/biased_product.h"

#include "tensorcore/factors.h"

namespace cryolite::bench {

using namespace tensorcore;

std::optional<ProductTypes> types_named(const std::string &name) {
    if (name == "f16") return ProductTypes{Element::F16, Element::F16, Sum::F32};
    if (name == "bf16") return ProductTypes{Element::BF16, Element::BF16, Sum::F32};
    if (name == "half") return ProductTypes{Element::F16, Element::F16, Sum::F16};
    if (name == "tf32") return ProductTypes{Element::TF32, Element::TF32, Sum::F32};
    if (name == "i8") return ProductTypes{Element::I8, Element::I8, Sum::I32};
    if (name == "u8") return ProductTypes{Element::U8, Element::U8, Sum::I32};
    return std::nullopt;
}

BiasedProduct::BiasedProduct(const ProductTypes &types, int layout)
    : a(halide_type(types.rows), 2, "a"),
      b(halide_type(types.columns), 2, "b"),
      bias(halide_type(types.sum), 1, "bias") {
    const Halide::Var n("n"), m("m");
    const Halide::RDom k(0, a.dim(layout & 1).extent(), "k");
    const Halide::Type sum = halide_type(types.sum);
    const Halide::Expr zero = Halide::Internal::make_zero(sum);
    product(n, m) = zero;
    product(n, m) += cast(sum, (layout & 1) != 0 ? a(m, k) : a(k, m)) *
                     cast(sum, (layout & 2) != 0 ? b(n, k) : b(k, n));
    result(n, m) = max(product(n, m) + bias(n), zero);
}

}  // namespace cryolite::bench
