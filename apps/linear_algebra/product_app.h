// What the apps share whose output is one product of square matrices and perhaps something added.
#pragma once

#include "apps/linear_algebra/gemm_schedule.h"

namespace cryolite::apps {

// Base of `class Name : public ProductApp<Name>`, an App whose generate() defines `k` and `product`
// and which gives
//   MatrixProduct matrix_product();  what its schedules need to know; by default of the product a b
template <typename Derived>
class ProductApp : public App<Derived> {
public:
    void manual_cpu() {
        const Target target = this->get_target();
        schedule_product_for_cpu(app().matrix_product(), target, wide_tile(target));
    }

    void manual_gpu() { schedule_product_for_gpu(app().matrix_product()); }

    MatrixProduct matrix_product() {
        return {app().output, product, k.x, {app().a.in()}, {app().b.in()}};
    }

protected:
    // The estimates of each of them, size x size.
    template <typename... Matrices>
    void estimate_squares(Matrices &...matrices) {
        (matrices.set_estimates({{0, app().size}, {0, app().size}}), ...);
    }

    Var x{"x"}, y{"y"};
    RDom k;
    Func product{"product"};

private:
    Derived &app() { return static_cast<Derived &>(*this); }
};

}  // namespace cryolite::apps
