// Multiples of the sum of an image, for tests of how a divided reduction is printed.
#pragma once

#include <Halide.h>

namespace cryolite::testing {

struct DividedSum {
    Halide::ImageParam input{Halide::Int(32), 2, "input"};
    Halide::Func sum{"sum"}, out{"out"};

    DividedSum() {
        const Halide::Var c("c");
        const Halide::RDom r(0, input.width(), 0, input.height(), "r");
        sum(c) = 0;
        sum(c) += input(r.x, r.y) * c;
        out(c) = sum(c) + 1;
        input.set_estimates({{0, 640}, {0, 480}});
        out.set_estimates({{0, 3}});
    }
    Halide::Pipeline pipeline() const { return Halide::Pipeline(out); }
};

}  // namespace cryolite::testing
