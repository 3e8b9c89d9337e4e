// Pipelines of which the user has placed some Funcs in loops, with Funcs in between that he says nothing
// of. The reference has the user's schedule alone.
#include "tests/robustness/corpus.h"
#include "tests/robustness/partial.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;
using namespace partial;

void stencils_between(Subject &s) {
    Chain c(s);
    c.tiled().vectorize(xi, 8).parallel(yo);
    c.first.compute_at(c.out, xo).vectorize(x, 8, guard);
}

void sum_between(Subject &s) {
    SumBetween c(s);
    c.tiled().parallel(yo);
    c.first.compute_at(c.out, xo);
}

void sum_between_in_rows(Subject &s) {
    SumBetween c(s);
    c.first.compute_at(c.out, y);
}

void between_two_of_the_users(Subject &s) {
    Chain c(s);
    c.tiled().parallel(yo);
    c.third.compute_at(c.out, xo);
    c.first.compute_at(c.out, xo);
}

void between_nested_places(Subject &s) {
    Chain c(s);
    c.tiled().parallel(yo);
    c.third.compute_at(c.out, yo);
    c.second.compute_at(c.third, y);
}

void in_fused_tiles(Subject &s) {
    SumBetween c(s);
    c.tiled().fuse(xo, yo, t).parallel(t);
    c.first.compute_at(c.out, t);
}

void in_a_split_of_fused_loops(Subject &s) {
    SumBetween c(s);
    c.out.fuse(x, y, t).split(t, xo, xi, 64, guard).parallel(xo);
    c.first.compute_at(c.out, xo);
}

void in_loops_inside_out(Subject &s) {
    SumBetween c(s);
    c.out.split(x, xo, xi, 16, guard).reorder(xo, y, xi);
    c.first.compute_at(c.out, xi);
}

void in_parts_that_do_not_divide(Subject &s) {
    SumBetween c(s);
    c.out.split(x, xo, xi, 30, guard).split(xi, xi, t, 8, guard).reorder(t, xi, y, xo);
    c.first.compute_at(c.out, xo);
}

void in_unrolled_loops(Subject &s) {
    SumBetween c(s);
    c.tiled().unroll(yi, 4);
    c.first.compute_at(c.out, yi);
}

void outside_of_all_loops(Subject &s) {
    SumBetween c(s);
    c.first.compute_at(c.out, Var::outermost());
}

void output_alone(Subject &s) {
    Chain c(s);
    c.tiled().vectorize(xi, 8).parallel(yo);
}

void output_parallel_alone(Subject &s) {
    SumBetween c(s);
    c.out.parallel(y).vectorize(x, 8, guard);
}

void root_alone(Subject &s) {
    Chain c(s);
    c.second.compute_root();
}

void inlined_by_hand(Subject &s) {
    Chain c(s);
    c.third.compute_root().vectorize(x, 8, guard);
    c.second.compute_inline();
}

void in_an_updates_reduction_loop(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, 9, "r");
    Func first("first"), second("second"), sums("sums"), out("out");
    first(x, y) = in(x, y) * 5;
    second(x, y) = first(x, y) + first(x + 1, y);
    sums(x, y) = 0;
    sums(x, y) += second(x, y + r) * r;
    out(x, y) = sums(x, y) + sums(x, y + 1);
    sums.compute_root();
    sums.update().reorder(x, r, y);
    first.compute_at(sums, r);
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

void tuple_between(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, 5, "r");
    Func first("first"), best("best"), out("out");
    first(x, y) = in(x, y) * 3;
    best(x, y) = Tuple(-1000000, 0);
    const Expr value = first(x + r, y);
    const Expr better = value > best(x, y)[0];
    best(x, y) = Tuple(select(better, value, best(x, y)[0]), select(better, r, best(x, y)[1]));
    out(x, y) = best(x, y)[0] + best(x, y)[1] * 10;
    out.split(x, xo, xi, 16, guard).parallel(y);
    first.compute_at(out, xo);
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

void everything_but_one(Subject &s) {
    Chain c(s);
    c.tiled().vectorize(xi, 8).parallel(yo);
    c.first.compute_at(c.out, xo).vectorize(x, 8, guard);
    c.second.compute_at(c.out, yi).vectorize(x, 8, guard);
}

}  // namespace

std::vector<Entry> partial_places() {
    return {
        {"stencils_between", "a Func at a tile, stencils between", stencils_between},
        {"sum_between", "a Func at a tile, a sum between", sum_between},
        {"sum_between_in_rows", "a Func at a row of default loops", sum_between_in_rows},
        {"between_two_of_the_users", "the reader is placed, too", between_two_of_the_users},
        {"between_nested_places", "a place inside of another", between_nested_places},
        {"in_fused_tiles", "tiles as one parallel loop", in_fused_tiles},
        {"in_a_split_of_fused_loops", "no box per iteration", in_a_split_of_fused_loops},
        {"in_loops_inside_out", "strided parts", in_loops_inside_out},
        {"in_parts_that_do_not_divide", "30 and 8", in_parts_that_do_not_divide},
        {"in_unrolled_loops", "a copied place", in_unrolled_loops},
        {"outside_of_all_loops", "Var::outermost()", outside_of_all_loops},
        {"output_alone", "tiles to compute in", output_alone},
        {"output_parallel_alone", "parallel rows to compute in", output_parallel_alone},
        {"root_alone", "compute_root and no more", root_alone},
        {"inlined_by_hand", "compute_inline", inlined_by_hand},
        {"in_an_updates_reduction_loop", "an RVar's loop", in_an_updates_reduction_loop},
        {"tuple_between", "a tuple with an update", tuple_between},
        {"everything_but_one", "one Func is free", everything_but_one},
    };
}

}  // namespace cryolite::robustness
