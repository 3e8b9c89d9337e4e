// Reductions: to a scalar, of scalars, beside other outputs, with predicates, over nothing.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), b("b");

void scalar_sum(Subject &s) {
    const ImageParam in = s.sized_input("in", UInt(8), {about(1536), about(1024)}, {0, 255});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
    Func sum("sum");
    sum() = 0;
    sum() += cast<int>(in(r.x, r.y));
    s.output(sum, {});
}

void sum_of_two_numbers(Subject &s) {
    const ImageParam one = s.sized_input("one", Float(32), {exactly(1)});
    const ImageParam two = s.sized_input("two", Float(32), {exactly(1)});
    Func out("out");
    out(x) = one(0) + two(0);
    s.output(out, {about(1)});
}

// Mean and spread of an image, then a map that uses both at every pixel.
void moments_then_map(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(16), {about(640), about(480)}, {-300, 300});
    const RDom r(0, in.dim(0).extent(), 0, in.dim(1).extent(), "r");
    const Expr count = max(1, in.dim(0).extent() * in.dim(1).extent());
    Func moments("moments"), mean("mean"), spread("spread"), out("out");
    moments() = Tuple(cast<int64_t>(0), cast<int64_t>(0));
    const Expr value = cast<int64_t>(in(r.x, r.y));
    moments() = Tuple(moments()[0] + value, moments()[1] + value * value);
    mean() = cast<int>(moments()[0] / count);
    spread() = max(1, cast<int>(moments()[1] / count) - mean() * mean());
    const Expr clamped =
        in(clamp(x, 0, in.dim(0).extent() - 1), clamp(y, 0, in.dim(1).extent() - 1));
    out(x, y) = (cast<int>(clamped) - mean()) * 1000 / spread();
    s.output(out, {about(640), about(480)});
}

// The index of the largest of pooled values, everything flattened to one dimension.
void argmax_of_pooled_values(Subject &s) {
    constexpr int pools = 32, width = 48;
    const ImageParam in = s.input("in", Float(64), 1, {0, 50});
    const RDom r(0, pools, "r");
    Func first("first"), second("second"), third("third"), pooled("pooled"), best("best"),
        out("out");
    const Expr start = (x % 2) * 3 / 2 + (x / 2) * 3;
    first(x) = in(clamp(start, 0, width - 1));
    second(x) = select(x % 2 < 2, in(clamp(start + 1, 0, width - 1)), cast<double>(0));
    third(x) = first(x) + second(x);
    pooled(x) = third(x) / 2;
    best(y) = Tuple(cast<int64_t>(0), cast<double>(-1));
    const Expr better = pooled(r) > best(y)[1];
    best(y) =
        Tuple(select(better, cast<int64_t>(r), best(y)[0]), select(better, pooled(r), best(y)[1]));
    out(y) = best(y)[0];
    s.output(out, {about(1)});
}

// Two outputs: an image and its histogram, which is made of a histogram per column.
void image_and_its_histogram(Subject &s) {
    constexpr int width = 320, height = 240, bins = 256;
    const ImageParam in = s.input("in", UInt(8), 2, {0, 255});
    const RDom rows(0, height, "rows"), columns(0, width, "columns");
    Func doubled("doubled"), per_column("per_column"), histogram("histogram");
    doubled(x, y) = cast<int>(in(x, y)) * 2;
    per_column(x, b) = 0;
    per_column(x, clamp(doubled(x, rows) % bins, 0, bins - 1)) += 1;
    histogram(b) = 0;
    histogram(b) += per_column(columns, b);
    s.output(histogram, {exactly(bins)});
    s.output(doubled, {exactly(width), exactly(height)});
}

// Three outputs of different dimensions, each with a reduction of its own over the same stage.
void outputs_of_three_dimensions(Subject &s) {
    constexpr int width = 200, height = 120;
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom over_x(0, width, "over_x"), over_y(0, height, "over_y");
    Func shared("shared"), row_sums("row_sums"), column_peaks("column_peaks"), total("total");
    shared(x, y) = in(x, y) * 3 + x - y;
    row_sums(y) = 0;
    row_sums(y) += shared(over_x, y);
    column_peaks(x) = -1000000;
    column_peaks(x) = max(column_peaks(x), shared(x, over_y));
    total() = 0;
    total() += row_sums(over_y);
    s.output(row_sums, {exactly(height)});
    s.output(column_peaks, {about(width)});
    s.output(total, {});
}

void softmax_of_rows(Subject &s) {
    constexpr int width = 173;
    const ImageParam in = s.input("in", Float(32), 2, {-6, 6});
    const RDom r(0, width, "r");
    Func peak("peak"), power("power"), total("total"), out("out");
    peak(y) = in(0, y);
    peak(y) = max(peak(y), in(r, y));
    power(x, y) = exp(in(x, y) - peak(y));
    total(y) = 0.0f;
    total(y) += power(r, y);
    out(x, y) = power(x, y) / total(y);
    s.output(out, {exactly(width), about(96)}, 1e-5);
}

// The reduction's domain depends on the pure variable.
void triangle_by_a_predicate(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(128), about(128)});
    RDom r(0, in.dim(0).extent(), "r");
    r.where(r <= x);
    Func prefix("prefix"), out("out");
    prefix(x, y) = 0;
    prefix(x, y) += in(r, clamp(y, 0, in.dim(1).extent() - 1));
    out(x, y) = prefix(x, y) - prefix(x, y + 1);
    s.output(out, {about(128), about(127)});
}

// The user may give a count of zero at run time.
void domain_that_may_be_empty(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(4096)});
    const Param<int> count = s.parameter("count", 64, 0);
    const RDom r(0, count, "r");
    Func out("out");
    out(x) = 7;
    out(x) += in(clamp(x + r, 0, in.dim(0).extent() - 1));
    s.output(out, {about(4000)});
}

// A mean over a window of a size that is known at run time only.
void window_of_a_parameter(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(1000)});
    const Param<int> width = s.parameter("width", 20, 5);
    const RDom r(-width / 2, width, "r");
    const Func padded = BoundaryConditions::repeat_edge(in);
    Func one("one"), out("out");
    one(x) = 1;
    out(x) = sum(padded(x + r) * one(x)) / max(1, width);
    s.output(out, {about(1000)});
}

// Each reduction takes one dimension off the one before.
void reduction_of_reductions(Subject &s) {
    constexpr int extent = 11;
    const Var z("z"), w("w");
    const ImageParam in = s.input("in", Int(32), 4);
    const RDom r(0, extent, "r");
    Func one("one"), two("two"), three("three"), four("four");
    one(x, y, z) = 0;
    one(x, y, z) += in(x, y, z, r);
    two(x, y) = 1 << 30;
    two(x, y) = min(two(x, y), one(x, y, r));
    three(x) = 1;
    three(x) = three(x) * 3 + two(x, r);
    four() = 0;
    four() = max(four(), three(r));
    s.output(four, {});
}

// Halide's inline reductions, one inside of another.
void inline_reductions_nested(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom outer(0, 5, "outer"), inner(0, 7, "inner");
    Func out("out");
    out(x, y) = maximum(outer, sum(inner, in(x + inner, y + outer)) - outer * 3);
    s.output(out, {about(300), about(200)});
}

}  // namespace

std::vector<Entry> reductions() {
    return {
        {"scalar_sum", "an image to one number", scalar_sum},
        {"sum_of_two_numbers", "a map of one point without variables; 8246", sum_of_two_numbers},
        {"moments_then_map", "a tuple without dimensions used at every pixel", moments_then_map},
        {"argmax_of_pooled_values", "flattened pooling and an argmax; 8256",
         argmax_of_pooled_values},
        {"image_and_its_histogram", "several outputs with RDoms; 8000", image_and_its_histogram},
        {"outputs_of_three_dimensions", "outputs of 2, 1 and 0 dimensions",
         outputs_of_three_dimensions},
        {"softmax_of_rows", "two reductions and two uses of one stage", softmax_of_rows},
        {"triangle_by_a_predicate", "a predicate over a pure variable", triangle_by_a_predicate},
        {"domain_that_may_be_empty", "an RDom of a parameter's size", domain_that_may_be_empty},
        {"window_of_a_parameter", "a mean over as many values as a parameter says; 5974",
         window_of_a_parameter},
        {"reduction_of_reductions", "four dimensions down to none", reduction_of_reductions},
        {"inline_reductions_nested", "sum inside of maximum", inline_reductions_nested},
    };
}

}  // namespace cryolite::robustness
