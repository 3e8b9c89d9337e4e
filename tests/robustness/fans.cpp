// Graphs that are wide or knotted: fan-out, fan-in, diamonds, one Func that all read.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), c("c");

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }

void wide_fan_out(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func source("source"), out("out");
    source(x, y) = in(x, y) * 2 + in(x + 1, y);
    Expr total = 0;
    for (int i = 0; i < 48; i++) {
        Func branch = numbered("branch", i);
        branch(x, y) = source(x + i % 7, y + i / 7) * (i + 1);
        total += branch(x, y);
    }
    out(x, y) = total;
    s.output(out, {about(320), about(240)});
}

void concatenation_of_many_inputs(Subject &s) {
    constexpr int parts = 12, part = 100;
    Func out("out");
    Expr value = 0;
    for (int i = parts - 1; i >= 0; i--) {
        const ImageParam in =
            s.sized_input("in" + std::to_string(i), Int(32), {exactly(part), about(64)});
        Func scaled = numbered("scaled", i);
        scaled(x, y) = in(clamp(x, 0, part - 1), clamp(y, 0, in.dim(1).extent() - 1)) * (i + 1);
        value = select(x < (i + 1) * part, scaled(x - i * part, y), value);
    }
    out(x, y) = value;
    s.output(out, {about(parts * part), about(64)});
}

void planes_by_mux(Subject &s) {
    const ImageParam in = s.input("in", Int(16), 2);
    Func base("base"), out("out");
    base(x, y) = in(x, y) + in(x, y + 1);
    std::vector<Expr> planes;
    for (int i = 0; i < 16; i++) {
        Func plane = numbered("plane", i);
        plane(x, y) = base(x, y) * cast<int16_t>(i) - base(x + 1, y);
        planes.push_back(plane(x, y));
    }
    out(x, y, c) = mux(c, planes);
    s.output(out, {about(160), about(120), exactly(16)});
}

// Two ways from each join to the next: 2 to the 30th paths.
void diamonds_thirty_deep(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func join("join");
    join(x, y) = in(x, y);
    for (int i = 0; i < 30; i++) {
        Func left = numbered("left", i), right = numbered("right", i), next = numbered("join", i);
        left(x, y) = join(x, y) * 3;
        right(x, y) = join(x, y) - i;
        next(x, y) = left(x, y) ^ right(x, y);
        join = next;
    }
    s.output(join, {about(320), about(240)});
}

void diamonds_of_stencils(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func join("join");
    join(x, y) = in(x, y);
    for (int i = 0; i < 8; i++) {
        Func left = numbered("left", i), right = numbered("right", i), next = numbered("join", i);
        left(x, y) = join(x - 1, y) + join(x + 1, y);
        right(x, y) = join(x, y - 1) + join(x, y + 1);
        next(x, y) = (left(x, y) - right(x, y)) / 2;
        join = next;
    }
    s.output(join, {about(320), about(240)});
}

void one_func_used_by_every_stage(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func base("base"), last("first");
    base(x, y) = in(x, y) + in(x - 1, y - 1);
    last(x, y) = base(x, y);
    for (int i = 0; i < 24; i++) {
        Func next = numbered("stage", i);
        next(x, y) = last(x, y) / 2 + base(x, y) * i;
        last = next;
    }
    s.output(last, {about(320), about(240)});
}

// Every layer reads all layers before it.
void dense_block(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    std::vector<Func> layers(1, Func("layer"));
    layers[0](x, y) = in(x, y);
    for (int i = 1; i < 14; i++) {
        Func next = numbered("layer", i);
        Expr total = 0;
        for (const Func &f : layers) total += f(x, y) >> 1;
        next(x, y) = total + layers.back()(x + 1, y);
        layers.push_back(next);
    }
    s.output(layers.back(), {about(320), about(240)});
}

// Windows of products of windows, on an input that has no pixel more than they reach.
void corner_detector(Subject &s) {
    const ImageParam in = s.input("in", UInt(8), 3, {0, 255});
    Func grey("grey"), across("across"), down("down"), out("out");
    grey(x, y) = (cast<int>(in(x, y, 0)) * 2 + in(x, y, 1) * 5 + in(x, y, 2)) / 8;
    const auto slope = [&](const auto &at) {
        return at(1, -1) - at(-1, -1) + 2 * (at(1, 0) - at(-1, 0)) + at(1, 1) - at(-1, 1);
    };
    across(x, y) = slope([&](int i, int j) { return grey(x + i, y + j); });
    down(x, y) = slope([&](int i, int j) { return grey(x + j, y + i); });
    const auto summed = [&](const std::string &name, const Expr &product) {
        Func products(name), sums(name + "_sums");
        products(x, y) = product;
        Expr total = 0;
        for (int i = -1; i <= 1; i++)
            for (int j = -1; j <= 1; j++) total += products(x + i, y + j);
        sums(x, y) = total / 1024;
        return sums(x, y);
    };
    const Expr xx = summed("xx", across(x, y) * across(x, y)),
               xy = summed("xy", across(x, y) * down(x, y)),
               yy = summed("yy", down(x, y) * down(x, y));
    out(x, y) = xx * yy - xy * xy - (xx + yy) * (xx + yy) / 16;
    s.output(out, {about(1020, 3), about(760, 3)});
}

void sixteen_outputs_of_one_stage(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func shared("shared");
    shared(x, y) = in(x, y) * in(x, y) + in(x + 1, y + 1);
    for (int i = 0; i < 16; i++) {
        Func out = numbered("out", i);
        out(x, y) = shared(x, y) + shared(x + i, y);
        s.output(out, {about(160), about(120)});
    }
}

void every_stage_an_output(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func last("first");
    last(x, y) = in(x, y);
    s.output(last, {about(160), about(120)});
    for (int i = 0; i < 12; i++) {
        Func next = numbered("stage", i);
        next(x, y) = last(x, y) * 2 - i;
        s.output(next, {about(160), about(120)});
        last = next;
    }
}

}  // namespace

std::vector<Entry> fans() {
    return {
        {"wide_fan_out", "48 readers of one stage", wide_fan_out},
        {"concatenation_of_many_inputs", "12 inputs side by side", concatenation_of_many_inputs},
        {"planes_by_mux", "16 Funcs as the planes of one", planes_by_mux},
        {"diamonds_thirty_deep", "2^30 paths of elementwise stages", diamonds_thirty_deep},
        {"diamonds_of_stencils", "diamonds whose regions grow", diamonds_of_stencils},
        {"one_func_used_by_every_stage", "a residual that 24 stages read",
         one_func_used_by_every_stage},
        {"dense_block", "each of 14 layers reads all before it", dense_block},
        {"corner_detector", "windows of products of windows, an exact input; 5949",
         corner_detector},
        {"sixteen_outputs_of_one_stage", "16 outputs", sixteen_outputs_of_one_stage},
        {"every_stage_an_output", "13 outputs that read each other", every_stage_an_output},
    };
}

}  // namespace cryolite::robustness
