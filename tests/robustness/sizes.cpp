// Sizes and shapes: one, primes, zero, huge, six dimensions, constants, negative minima.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), z("z"), w("w"), u("u"), v("v"), c("c");

void single_point(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func twice("twice"), out("out");
    twice(x, y) = in(x, y) * 2;
    out(x, y) = twice(x, y) + twice(x + 1, y + 1);
    s.output(out, {about(1), about(1)});
}

void copy_of_prime_size(Subject &s) {
    const ImageParam in = s.input("in", Float(32), 1);
    Func out("out");
    out(x) = in(x);
    s.output(out, {about(199999)});
}

void blur_of_prime_size(Subject &s) {
    const ImageParam in = s.input("in", UInt(16), 2, {0, 9999});
    Func rows("rows"), out("out");
    rows(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
    out(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    s.output(out, {about(1009), about(613)});
}

void six_dimensions(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 6);
    Func near("near"), sums("sums"), out("out");
    const RDom r(0, 3, "r");
    near(x, y, z, w, u, v) = in(x, y, z, w, u, v) + in(x + 1, y, z + 1, w, u + 1, v);
    sums(x, y, z, w, u, v) = 0;
    sums(x, y, z, w, u, v) += near(x, y + r, z, w + r, u, v);
    out(x, y, z, w, u, v) = sums(x, y, z, w, u, v) - near(x, y, z, w, u, v + 1);
    s.output(out, {about(16), about(12), about(9), about(7), about(5), about(4)});
}

// Three of four dimensions are not looked at.
void broadcast_of_three_values(Subject &s) {
    const ImageParam in = s.sized_input("in", Float(32), {exactly(1), exactly(3), exactly(1)});
    Func out("out");
    out(x, y, z, w) = in(0, clamp(z, 0, 2), 0);
    s.output(out, {about(30), about(30), about(30), about(30)});
}

void estimates_of_zero(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func half("half"), out("out");
    half(x, y) = in(x, y) / 2;
    out(x, y) = half(x, y) + half(x + 1, y) * half(x, y + 1);
    s.output(out, {about(0), about(480)});
}

void everything_zero(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(0), about(0)});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
    Func total("total"), out("out");
    total() = 5;
    total() += in(r.x, r.y);
    out(x, y) = total() + x * y;
    s.output(out, {about(0), about(0)});
}

// More points than 32 bits can count; only the other sizes are run.
void estimates_too_large_to_run(Subject &s) {
    const ImageParam in = s.input("in", UInt(8), 2, {0, 255});
    Func rows("rows"), out("out");
    rows(x, y) = cast<uint16_t>(in(x - 1, y)) + in(x, y) + in(x + 1, y);
    out(x, y) = cast<uint8_t>((rows(x, y - 1) + rows(x, y) + rows(x, y + 1)) / 9);
    s.output(out, {about(300000), about(200000)});
}

void tall_and_narrow(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func near("near"), out("out");
    near(x, y) = in(x, y) + in(x, y + 1);
    out(x, y) = near(x, y) * near(x, y + 2);
    s.output(out, {about(1), about(30000)});
}

void negative_minima(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func near("near"), out("out");
    near(x, y) = in(x - 1, y) + in(x + 1, y);
    out(x, y) = near(x, -y) + near(-x, y);
    s.output(out, {about(257, -301), about(99, -57)});
}

// Interleaved colours with constant extents, as an image library hands them over.
void constant_extents(Subject &s) {
    const ImageParam in = s.input("in", UInt(8), 3, {0, 255});
    Func grey("grey"), out("out");
    grey(x, y) = (cast<uint16_t>(in(x, y, 0)) * 3 + in(x, y, 1) * 6 + in(x, y, 2)) / 10;
    out(c, x, y) = cast<uint8_t>(clamp(cast<int>(in(x, y, c)) * 2 - grey(x, y), 0, 255));
    out.bound(c, 0, 3);
    out.bound(x, 0, 128);
    s.output(out, {exactly(3), exactly(128), about(96)});
}

void rational_resize(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2, {0, 999});
    Func wide("wide"), out("out");
    const Expr left = x * 3 / 7, top = y * 5 / 2;
    wide(x, y) = in(left, y) * 2 + in(left + 1, y) * (x % 7);
    out(x, y) = wide(x, top) + wide(x, top + 1);
    s.output(out, {about(700), about(200)});
}

// Both ways through a transposition, which no one loop order suits.
void transposed_and_not(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func base("base"), turned("turned"), out("out");
    base(x, y) = in(x, y) * 3;
    turned(x, y) = base(y, x) + base(y + 1, x);
    out(x, y) = turned(x, y) - base(x, y);
    s.output(out, {about(300), about(280)});
}

}  // namespace

std::vector<Entry> sizes() {
    return {
        {"single_point", "estimates of one by one", single_point},
        {"copy_of_prime_size", "a copy of 199999 values; 8252", copy_of_prime_size},
        {"blur_of_prime_size", "1009 by 613", blur_of_prime_size},
        {"six_dimensions", "stencils and a reduction in six dimensions", six_dimensions},
        {"broadcast_of_three_values", "an input smaller than the estimates; 4512",
         broadcast_of_three_values},
        {"estimates_of_zero", "a dimension of zero at the estimates", estimates_of_zero},
        {"everything_zero", "input, reduction and output of zero", everything_zero},
        {"estimates_too_large_to_run", "sixty billion points", estimates_too_large_to_run},
        {"tall_and_narrow", "one column", tall_and_narrow},
        {"negative_minima", "mirrored loads around zero", negative_minima},
        {"constant_extents", "extents bound by the user", constant_extents},
        {"rational_resize", "strides of 3/7 and 5/2", rational_resize},
        {"transposed_and_not", "one producer read in both orders", transposed_and_not},
    };
}

}  // namespace cryolite::robustness
