// Types: tuples of several, narrow and wide numbers, booleans, intrinsics.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y");

void tuple_of_five_types(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2, {0, 200});
    Func mixed("mixed"), out("out");
    const Expr v = in(x, y);
    mixed(x, y) = Tuple(cast<uint8_t>(v), cast<int16_t>(v * 2), cast<float>(v) * 0.5f,
                        cast<int64_t>(v) << 33, v % 2 == 0);
    const RDom r(0, 3, "r");
    mixed(x, y) = Tuple(mixed(x, y)[0] + cast<uint8_t>(r), mixed(x, y)[1] - cast<int16_t>(r),
                        mixed(x, y)[2] * 2.0f, mixed(x, y)[3] + 1, !mixed(x, y)[4]);
    out(x, y) = Tuple(mixed(x, y)[3] + cast<int64_t>(mixed(x + 1, y)[0]),
                      select(mixed(x, y)[4], mixed(x, y)[2], cast<float>(mixed(x, y + 1)[1])));
    s.output(out, {about(200), about(150)});
}

void half_precision_chain(Subject &s) {
    const ImageParam in = s.input("in", Int(16), 2, {0, 60});
    Func wide("wide"), narrow("narrow"), sums("sums"), out("out");
    narrow(x, y) = cast<float16_t>(cast<float>(in(x, y)));
    sums(x, y) = cast<float>(narrow(x, y)) + cast<float>(narrow(x + 1, y));
    wide(x, y) = cast<bfloat16_t>(sums(x, y));
    out(x, y) = cast<float>(wide(x, y)) * 2.0f;
    s.output(out, {about(200), about(150)});
}

void boolean_stages(Subject &s) {
    const ImageParam in = s.input("in", UInt(8), 2, {0, 127});
    Func bright("bright"), edge("edge"), grown("grown"), out("out");
    bright(x, y) = in(x, y) > 60;
    edge(x, y) = bright(x, y) != bright(x + 1, y);
    grown(x, y) = edge(x - 1, y) || edge(x + 1, y) || edge(x, y - 1) || edge(x, y + 1);
    out(x, y) = select(grown(x, y) && !edge(x, y), cast<uint8_t>(255), in(x, y));
    s.output(out, {about(400), about(300)});
}

void saturating_and_bits(Subject &s) {
    const ImageParam in = s.input("in", Int(16), 2, {-32768, 32767});
    Func saturated("saturated"), bits("bits"), out("out");
    saturated(x, y) = saturating_cast<uint8_t>(rounding_shift_right(in(x, y), cast<uint16_t>(4)));
    bits(x, y) =
        popcount(in(x, y)) + count_leading_zeros(in(x + 1, y)) - count_trailing_zeros(in(x, y + 1));
    out(x, y) = cast<int16_t>(absd(saturated(x, y), saturated(x + 1, y))) ^ bits(x, y);
    s.output(out, {about(400), about(300)});
}

void sixty_four_bits(Subject &s) {
    const ImageParam in = s.input("in", Int(64), 2, {-1000000, 1000000});
    Func products("products"), out("out");
    products(x, y) = in(x, y) * in(x + 1, y);
    out(x, y) = (products(x, y) / 3) % 1000003 + (products(x, y + 1) >> 5);
    s.output(out, {about(200), about(150)});
}

// A number iterated as a pair; the last dimension of the loop is unknown to the search.
void escape_time(Subject &s) {
    constexpr int steps = 12;
    const RDom t(1, steps, "t");
    const Var i("i");
    Func value("value"), count("count"), out("out");
    // Fixed point with eight bits: whole numbers do not depend on how a sum is contracted.
    const Expr real = x * 4 - 512, imaginary = y * 4 - 256;
    value(x, y, i) = Tuple(0, 0);
    const Expr a = value(x, y, t - 1)[0], b = value(x, y, t - 1)[1];
    value(x, y, t) = Tuple(clamp((a * a - b * b) / 256 + real, -1024, 1024),
                           clamp(a * b / 128 + imaginary, -1024, 1024));
    count(x, y) = 0;
    count(x, y) += select(abs(value(x, y, t)[0]) < 512, 1, 0);
    out(x, y) = cast<uint8_t>(count(x, y) * 20);
    s.output(out, {about(192), about(128)});
}

void transcendental_chain(Subject &s) {
    const ImageParam in = s.input("in", Float(32), 2, {1, 5});
    Func a("a"), b("b"), c("c"), out("out");
    a(x, y) = log(in(x, y)) + sqrt(in(x + 1, y));
    b(x, y) = tanh(a(x, y)) * exp(-a(x, y));
    c(x, y) = pow(b(x, y) + 2.0f, 1.5f) + atan2(a(x, y), b(x, y));
    out(x, y) = select(is_nan(c(x, y)), 0.0f, c(x, y) + sin(c(x + 1, y)));
    s.output(out, {about(200), about(150)}, 1e-4);
}

}  // namespace

std::vector<Entry> types() {
    return {
        {"tuple_of_five_types", "five types in one Func, two in the output", tuple_of_five_types},
        {"half_precision_chain", "float16 and bfloat16", half_precision_chain},
        {"boolean_stages", "Funcs of one bit", boolean_stages},
        {"saturating_and_bits", "intrinsics of integers", saturating_and_bits},
        {"sixty_four_bits", "division and modulo of 64 bits", sixty_four_bits},
        {"escape_time", "iteration along a dimension of a pair", escape_time},
        {"transcendental_chain", "calls of the mathematics library", transcendental_chain},
    };
}

}  // namespace cryolite::robustness
