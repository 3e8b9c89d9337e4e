// Long chains: a hundred cheap stages and more, stencils that explode when inlined, changing types.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y");

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }

void hundred_elementwise(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func last("first");
    last(x, y) = in(x, y);
    for (int i = 0; i < 100; i++) {
        Func next = numbered("stage", i);
        const Expr value = last(x, y);
        switch (i % 5) {
            case 0: next(x, y) = value * 3 + i; break;
            case 1: next(x, y) = max(value, -i * 100); break;
            case 2: next(x, y) = select(value % 2 == 0, value / 2, value - 1); break;
            case 3: next(x, y) = value ^ (value >> 3); break;
            default: next(x, y) = min(value, 100000) + x - y; break;
        }
        last = next;
    }
    s.inlined_reference = true;
    s.output(last, {about(640), about(480)});
}

void two_hundred_in_one_dimension(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 1);
    Func last("first");
    last(x) = in(x)-1;
    for (int i = 0; i < 200; i++) {
        Func next = numbered("stage", i);
        next(x) = last(x) + i;
        last = next;
    }
    s.inlined_reference = true;
    s.output(last, {about(30000)});
}

// Inlined, the last stage would load 3 to the 24th values.
void stencil_chain(Subject &s) {
    const ImageParam in = s.input("in", UInt(16), 2, {0, 1000});
    Func last("first");
    last(x, y) = in(x, y);
    for (int i = 0; i < 24; i++) {
        Func next = numbered("stage", i);
        next(x, y) = i % 2 ? (last(x - 1, y) + last(x, y) + last(x + 1, y)) / 3
                           : (last(x, y - 1) + last(x, y) + last(x, y + 1)) / 3;
        last = next;
    }
    s.output(last, {about(400), about(300)});
}

void changing_types(Subject &s) {
    const ImageParam in = s.input("in", UInt(8), 2, {0, 255});
    Func last("first");
    last(x, y) = in(x, y);
    const Type types[] = {UInt(16), Int(32), Float(32), Int(16), Float(64), Int(64), UInt(8)};
    for (int i = 0; i < 42; i++) {
        Func next = numbered("stage", i);
        next(x, y) = cast(types[i % 7], clamp(cast<float>(last(x, y)) + 1.0f, 0.0f, 200.0f));
        last = next;
    }
    s.output(last, {about(320), about(240)});
}

// Every stage shifts, so that the regions grow by a pixel per stage on one side.
void drifting_shifts(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func last("first");
    last(x, y) = in(x, y);
    for (int i = 0; i < 60; i++) {
        Func next = numbered("stage", i);
        next(x, y) = last(x + 1, y - 1) - i;
        last = next;
    }
    s.output(last, {about(256), about(256)});
}

// Thirty steps of heat flow with the walls held, as a user writes time without a time dimension.
void thirty_time_steps(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(500), about(300)}, {0, 10000});
    Func last = BoundaryConditions::repeat_edge(in);
    for (int i = 0; i < 30; i++) {
        Func next = numbered("step", i);
        next(x, y) = last(x, y) + (last(x - 1, y) + last(x + 1, y) + last(x, y - 1) +
                                   last(x, y + 1) - 4 * last(x, y)) /
                                      8;
        last = next;
    }
    s.output(last, {about(500), about(300)});
}

}  // namespace

std::vector<Entry> chains() {
    return {
        {"hundred_elementwise", "a hundred elementwise stages", hundred_elementwise},
        {"two_hundred_in_one_dimension", "two hundred stages of one addition; 2800",
         two_hundred_in_one_dimension},
        {"stencil_chain", "inlining grows by a factor of three per stage", stencil_chain},
        {"changing_types", "a cast in every stage", changing_types},
        {"drifting_shifts", "sixty shifted copies", drifting_shifts},
        {"thirty_time_steps", "five-point stencils after a boundary condition", thirty_time_steps},
    };
}

}  // namespace cryolite::robustness
