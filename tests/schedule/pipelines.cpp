#include "pipelines.h"

#include <stdexcept>

namespace cryolite::testing {

using namespace Halide;

namespace {

Var x("x"), y("y"), i("i"), k("k");

// Reads beyond its own region, unguarded: the input must be larger than the output.
Func blur(Func in) {
    Func blur_x("blur_x"), out("out");
    blur_x(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y);
    out(x, y) = blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2);
    return out;
}

// Two stencils of five rows, unguarded: a window that moves by four rows holds eight.
Func tall_chain(Func in) {
    Func first("first"), second("second"), out("out");
    first(x, y) = in(x, y) + in(x + 1, y + 2) * 3 + in(x, y + 4);
    second(x, y) = first(x, y) + first(x + 1, y + 2) * 5 + first(x, y + 4);
    out(x, y) = second(x, y) + second(x, y + 4);
    return out;
}

Func pyramid(Func in) {
    Func fine("fine"), coarse("coarse"), up("up"), out("out");
    fine(x, y) = in(x, y) * 3;
    coarse(x, y) = fine(2 * x - 1, 2 * y) + fine(2 * x, 2 * y) + fine(2 * x + 1, 2 * y + 1);
    up(x, y) = coarse(x / 2, y / 2) + coarse((x + 1) / 2, (y + 1) / 2);
    out(x, y) = fine(x, y) - up(x, y);
    return out;
}

Func product(Func in) {
    Func scaled("scaled"), product("product"), out("out");
    RDom r(0, 13, "r");
    scaled(x, y) = in(x, y) * 2 + 1;
    product(x, y) = 0;
    product(x, y) += scaled(x, r) * in(r, y);
    out(x, y) = product(x, y) + 1;
    return out;
}

Func equalise(Func in) {
    Func histogram("histogram"), sums("sums"), bright("bright"), out("out");
    RDom r(0, 32, 0, 24, "r"), s(1, 255, "s");
    bright(x, y) = cast<uint8_t>(in(x, y));
    histogram(i) = 0;
    histogram(clamp(cast<int>(bright(r.x, r.y)), 0, 255)) += 1;
    sums(i) = histogram(i);
    sums(s) += sums(s - 1);
    out(x, y) = sums(clamp(in(x, y) & 255, 0, 255));
    return out;
}

// The lowest of a row's first nine, and where: a tuple with an update; then a sum of no dimensions.
Func lowest(Func in) {
    Func low("low"), total("total"), out("out");
    RDom r(0, 9, "r"), all(0, 9, 0, 7, "all");
    low(y) = Tuple(100000, 0);
    low(y) = Tuple(min(low(y)[0], in(r, y)), select(in(r, y) < low(y)[0], r, low(y)[1]));
    total() = 0;
    total() += in(all.x, all.y);
    out(x, y) = low(y)[0] * 3 + low(y)[1] + total() + in(x, y);
    return out;
}

// A Func read by a pure definition and by an update; a predicate; a running sum.
Func updates(Func in) {
    Func shared("shared"), both("both"), running("running"), out("out");
    RDom r(0, 11, "r"), s(1, 6, "s");
    r.where(r % 3 != 1);
    shared(x, y) = in(x, y) + 7;
    both(x, y) = shared(x, y);
    both(x, y) += shared(x + r, y) * r;
    running(x, y) = both(x, y % 7);
    running(x, s) = running(x, s - 1) + both(x, s);
    out(x, y) = running(x, clamp(y, 0, 6)) + running(x, y % 5);
    return out;
}

Func transpose(Func in) {
    Func turned("turned"), out("out");
    turned(x, y) = in(x, y) + x;
    out(x, y) = turned(y, x) + turned(y, x + 1);
    return out;
}

}  // namespace

SmallPipeline make_pipeline(std::string_view name) {
    SmallPipeline p{{}, ImageParam(UInt(16), 2, "input")};
    p.input.set_estimates({{0, 120}, {0, 120}});
    Func wide("wide");
    const bool clamped = name.starts_with("clamped_") || name == "pyramid";
    if (clamped) {
        wide(x, y) = cast<int>(BoundaryConditions::repeat_edge(p.input)(x, y));
    } else {
        wide(x, y) = cast<int>(p.input(x, y));
    }
    if (name == "blur" || name == "clamped_blur") p.outputs = {blur(wide)};
    if (name == "tall_chain") p.outputs = {tall_chain(wide)};
    if (name == "pyramid") p.outputs = {pyramid(wide)};
    if (name == "product") p.outputs = {product(wide)};
    if (name == "equalise") p.outputs = {equalise(wide)};
    if (name == "lowest") p.outputs = {lowest(wide)};
    if (name == "updates" || name == "clamped_updates") p.outputs = {updates(wide)};
    if (name == "transpose") p.outputs = {transpose(wide)};
    if (name == "two_outputs") {
        Func second("second");
        p.outputs = {blur(wide), second};
        second(x, y) = p.outputs[0](x, y) * 2;
    }
    if (p.outputs.empty()) throw std::invalid_argument("no such pipeline: " + std::string(name));
    for (Func &f : p.outputs) f.set_estimates({{0, 100}, {0, 100}});
    return p;
}

}  // namespace cryolite::testing
