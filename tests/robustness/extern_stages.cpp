// Stages written in another language: in the middle, in a row, as output, with several values.
#include "tests/robustness/corpus.h"

#if defined(_WIN32)
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif

namespace {

int32_t &at(halide_buffer_t *buffer, int x, int y) {
    const int position[] = {x, y};
    return *reinterpret_cast<int32_t *>(buffer->address_of(position));
}

template <typename What>
void for_each_pixel(const halide_buffer_t *out, What what) {
    for (int y = out->dim[1].min; y < out->dim[1].min + out->dim[1].extent; y++)
        for (int x = out->dim[0].min; x < out->dim[0].min + out->dim[0].extent; x++) what(x, y);
}

// In a bounds query an input is asked for as much as the output, and a column more.
bool asked_for_bounds(halide_buffer_t *in, const halide_buffer_t *out) {
    if (!in->is_bounds_query() && !out->is_bounds_query()) return false;
    if (in->is_bounds_query()) {
        for (int d = 0; d < 2; d++) in->dim[d] = out->dim[d];
        in->dim[0].extent++;
    }
    return true;
}

}  // namespace

// in(x, y) - in(x + 1, y)
extern "C" VISIBLE int cryolite_robustness_difference(halide_buffer_t *in, halide_buffer_t *out) {
    if (asked_for_bounds(in, out)) return 0;
    for_each_pixel(out, [&](int x, int y) { at(out, x, y) = at(in, x, y) - at(in, x + 1, y); });
    return 0;
}

// The same, scaled; and the sum beside it.
extern "C" VISIBLE int cryolite_robustness_pair(halide_buffer_t *in, int scale,
                                                halide_buffer_t *differences,
                                                halide_buffer_t *sums) {
    if (asked_for_bounds(in, differences)) return 0;
    for_each_pixel(differences, [&](int x, int y) {
        at(differences, x, y) = (at(in, x, y) - at(in, x + 1, y)) * scale;
    });
    for_each_pixel(sums, [&](int x, int y) { at(sums, x, y) = at(in, x, y) + at(in, x + 1, y); });
    return 0;
}

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y");

// Scheduled by nobody: the stage and what it reads must come out at root by themselves.
void extern_in_the_middle(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func before("before"), middle("middle"), after("after"), out("out");
    before(x, y) = in(x, y) + in(x, y + 1);
    middle.define_extern("cryolite_robustness_difference", {before}, Int(32), {x, y});
    after(x, y) = middle(x, y) * 2;
    out(x, y) = after(x, y) + after(x, y + 1);
    s.output(out, {about(320), about(240)});
}

void externs_in_a_row(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func last("first"), out("out");
    last(x, y) = in(x, y) * 7;
    for (int i = 0; i < 4; i++) {
        Func next("extern" + std::to_string(i));
        next.define_extern("cryolite_robustness_difference", {last}, Int(32), {x, y});
        last = next;
    }
    out(x, y) = last(x, y) + 1;
    s.output(out, {about(320), about(240)});
}

void extern_output_of_an_input(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func out("out");
    out.define_extern("cryolite_robustness_difference", {in}, Int(32), {x, y});
    s.output(out, {about(320), about(240)});
}

void extern_with_two_values(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const Param<int> scale = s.parameter("scale", 3, -2);
    Func before("before"), pair("pair"), out("out");
    before(x, y) = in(x, y) + x;
    pair.define_extern("cryolite_robustness_pair", {before, scale}, {Int(32), Int(32)}, {x, y});
    out(x, y) = pair(x, y)[0] * 3 + pair(x, y + 1)[1];
    s.output(out, {about(320), about(240)});
}

}  // namespace

std::vector<Entry> extern_stages() {
    return {
        {"extern_in_the_middle", "an extern stage nobody scheduled; 4101", extern_in_the_middle},
        {"externs_in_a_row", "four in a row", externs_in_a_row},
        {"extern_output_of_an_input", "nothing but an extern stage", extern_output_of_an_input},
        {"extern_with_two_values", "a tuple and a scalar argument", extern_with_two_values},
    };
}

}  // namespace cryolite::robustness
