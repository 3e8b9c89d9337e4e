// Two pipelines of which the user schedules a part.
#pragma once

#include "tests/robustness/subject.h"

namespace cryolite::robustness::partial {

inline const Halide::Var x("x"), y("y"), xo("xo"), xi("xi"), yo("yo"), yi("yi"), t("t");
constexpr auto guard = Halide::TailStrategy::GuardWithIf;

// first -> second -> third -> out, and first -> out: stencils all.
struct Chain {
    Halide::Func first{"first"}, second{"second"}, third{"third"}, out{"out"};

    explicit Chain(Subject &s) {
        const Halide::ImageParam in = s.input("in", Halide::Int(32), 2);
        first(x, y) = in(x, y) * 5 - in(x + 1, y);
        second(x, y) = first(x - 1, y) + first(x + 1, y);
        third(x, y) = second(x, y - 1) * 2 + second(x, y + 1);
        out(x, y) = third(x, y) - first(x, y);
        s.output(out, {about(200), about(150)});
        s.inlined_reference = true;
    }

    Halide::Func &tiled() { return out.tile(x, y, xo, yo, xi, yi, 32, 16, guard); }
};

// The Func between is a sum, which cannot be inlined.
struct SumBetween {
    Halide::Func first{"first"}, sums{"sums"}, out{"out"};
    Halide::RDom r{0, 3, 0, 3, "r"};

    explicit SumBetween(Subject &s) {
        const Halide::ImageParam in = s.input("in", Halide::Int(32), 2);
        first(x, y) = in(x, y) * 3 - in(x, y + 1);
        sums(x, y) += first(x + r.x, y + r.y) * (r.x - r.y);
        out(x, y) = sums(x, y) + sums(x + 1, y);
        s.output(out, {about(200), about(150)});
        s.inlined_reference = true;
    }

    Halide::Func &tiled() { return out.tile(x, y, xo, yo, xi, yi, 32, 16, guard); }
};

}  // namespace cryolite::robustness::partial
