// Partial schedules with all kinds of directives: storage, asynchrony, bounds, wrappers, Funcs computed
// together. The reference has the user's schedule alone.
#include "tests/robustness/corpus.h"
#include "tests/robustness/partial.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;
using namespace partial;

void sliding_past_a_stencil(Subject &s) {
    Chain c(s);
    c.first.store_root().compute_at(c.out, y);
}

void sliding_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.out.split(y, yo, yi, 16, guard).parallel(yo);
    c.first.store_at(c.out, yo).compute_at(c.out, yi).vectorize(x, 8, guard);
}

void folded_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.first.store_root().compute_at(c.out, y).fold_storage(y, 8);
}

void hoisted_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.tiled();
    c.first.compute_at(c.out, xo).hoist_storage(c.out, yo);
}

void asynchronous_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.first.store_root().compute_at(c.out, y).fold_storage(y, 8).async();
}

void ring_buffer_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.tiled();
    c.first.compute_at(c.out, xo).hoist_storage(c.out, yo).ring_buffer(2).async();
}

void asynchronous_at_root(Subject &s) {
    Chain c(s);
    c.second.compute_root().async();
}

// What is memoised may not depend on buffers.
void memoized_past_a_sum(Subject &s) {
    const Param<int> scale = s.parameter("scale", 3, 5);
    const RDom r(0, 3, "r");
    Func first("first"), sums("sums"), out("out");
    first(x, y) = x * scale - y;
    sums(x, y) += first(x + r, y) * r;
    out(x, y) = sums(x, y) + sums(x, y + 1);
    first.compute_at(out, y).memoize();
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

void stacked_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.tiled();
    c.first.compute_at(c.out, xo).store_in(MemoryType::Stack).bound_extent(x, 35);
    c.first.bound_storage(y, 20);
}

void unrolled_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.out.tile(x, y, xo, yo, xi, yi, 4, 2, guard);
    c.first.compute_at(c.out, xo).unroll(y);
}

void specialised_past_a_sum(Subject &s) {
    SumBetween c(s);
    c.out.specialize(c.out.output_buffer().dim(0).extent() >= 64).vectorize(x, 8);
    c.first.compute_at(c.out, y);
}

void specialised_in_the_middle(Subject &s) {
    Chain c(s);
    const Param<int> wide = s.parameter("wide", 1, 0);
    c.third.compute_root().specialize(wide == 1).vectorize(x, 8, guard);
    c.second.compute_at(c.third, y);
}

void prefetched_input(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func first("first"), out("out");
    first(x, y) = in(x, y) + in(x + 1, y);
    out(x, y) = first(x, y) * in(x, y + 1);
    out.prefetch(in, y, y, 2);
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

void prefetched_func(Subject &s) {
    Chain c(s);
    c.first.compute_root();
    c.out.prefetch(c.first, y, y, 4);
}

void bounds_of_all_kinds(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const Var c("c");
    Func first("first"), second("second"), out("out");
    first(x, y, c) = in(x + c, y) * (c + 1);
    second(x, y, c) = first(x, y, c) + first(x + 1, y, c);
    out(x, y, c) = second(x, y, c) * 2 + second(x, y + 1, 2 - c);
    out.bound(c, 0, 3);
    second.align_bounds(x, 8).bound(c, 0, 3);
    first.align_extent(x, 4);
    s.output(out, {about(200), about(150), exactly(3)});
    s.inlined_reference = true;
}

void bounded_and_unrolled(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const Var c("c");
    Func first("first"), second("second"), out("out");
    first(x, y, c) = in(x + c, y) * (c + 1);
    second(x, y, c) = first(x, y, c) + first(x + 1, y, c);
    out(x, y, c) = second(x, y, c) * 2 + second(x, y + 1, 2 - c);
    out.bound(c, 0, 3).reorder(c, x, y).unroll(c);
    first.compute_at(out, y).bound(c, 0, 3).reorder(c, x, y).unroll(c);
    s.output(out, {about(200), about(150), exactly(3)});
    s.inlined_reference = true;
}

void wrapper_past_a_stencil(Subject &s) {
    ImageParam in = s.input("in", Int(32), 2);
    Func first("first"), second("second"), out("out");
    first(x, y) = in(x, y) * in(x + 1, y);
    second(x, y) = first(x - 1, y) + first(x, y + 1);
    out(x, y) = second(x, y) * 2 + second(x + 1, y);
    first.in(second).compute_at(out, y);
    in.in().compute_at(out, y);
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

void clone_past_a_stencil(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func base("base"), left("left"), right("right"), out("out");
    base(x, y) = in(x, y) * in(x, y);
    left(x, y) = base(x - 1, y) + base(x, y);
    right(x, y) = base(x + 1, y) - base(x, y + 1);
    out(x, y) = left(x, y) * 2 + right(x, y);
    base.clone_in(right).compute_at(out, y);
    out.parallel(y);
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

struct TwoOutputs {
    Func first{"first"}, second{"second"}, left{"left"}, right{"right"};

    explicit TwoOutputs(Subject &s) {
        const ImageParam in = s.input("in", Int(32), 2);
        first(x, y) = in(x, y) * 5 - in(x + 1, y);
        second(x, y) = first(x, y - 1) + first(x, y + 1);
        left(x, y) = second(x, y) - first(x, y);
        right(x, y) = second(x, y) * 3;
        s.output(left, {about(200), about(150)});
        s.output(right, {about(200), about(150)});
        s.inlined_reference = true;
    }
};

void outputs_computed_together(Subject &s) {
    TwoOutputs c(s);
    c.right.compute_with(c.left, y);
}

void outputs_tiled_together(Subject &s) {
    TwoOutputs c(s);
    c.left.split(y, yo, yi, 8, guard).parallel(yo);
    c.right.split(y, yo, yi, 8, guard).parallel(yo);
    c.right.compute_with(c.left, yo);
    c.first.compute_root();
}

void updates_computed_together(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, 20, "r");
    Func first("first"), sums("sums"), squares("squares"), out("out");
    first(x, y) = in(x, y) - in(x, y + 1);
    sums(x) = 0;
    squares(x) = 1;
    sums(x) += first(x, r);
    squares(x) += first(x, r) * first(x + 1, r);
    out(x) = sums(x) * squares(x) + sums(x + 1);
    sums.compute_root();
    squares.compute_root();
    squares.update().compute_with(sums.update(), r);
    s.output(out, {about(200)});
    s.inlined_reference = true;
}

void group_inside_an_output(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func base("base"), left("left"), right("right"), between("between"), out("out");
    base(x, y) = in(x, y) * 7 + in(x + 1, y);
    left(x, y) = base(x, y) + 1;
    right(x, y) = base(x, y) * 2;
    between(x, y) = left(x - 1, y) + right(x + 1, y);
    out(x, y) = between(x, y) + between(x + 1, y);
    left.compute_at(out, y);
    right.compute_at(out, y).compute_with(left, x);
    s.output(out, {about(200), about(150)});
    s.inlined_reference = true;
}

void atomic_histogram(Subject &s) {
    const ImageParam in = s.input("in", UInt(8), 2, {0, 127});
    const RDom r(0, 64, 0, 48, "r");
    Func bright("bright"), counts("counts"), out("out");
    bright(x, y) = cast<uint8_t>(in(x, y) / 2 + in(x + 1, y) / 2);
    counts(x) = 0;
    counts(bright(r.x, r.y)) += 1;
    out(x) = counts(x) + counts(x + 1);
    counts.compute_root();
    counts.update().atomic().parallel(r.y);
    s.output(out, {exactly(128)});
    s.inlined_reference = true;
}

void factored_and_left(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, 64, "r");
    const RVar ro("ro"), ri("ri");
    const Var u("u");
    Func first("first"), sums("sums"), out("out");
    first(x, y) = in(x, y) + in(x, y + 1);
    sums(y) = 0;
    sums(y) += first(r, y);
    sums.compute_root();
    sums.update().split(r, ro, ri, 8).rfactor(ri, u).compute_at(sums, y);
    out(y) = sums(y) * 3 + sums(y + 1);
    s.output(out, {about(60)});
    s.inlined_reference = true;
}

}  // namespace

std::vector<Entry> partial_directives() {
    return {
        {"sliding_past_a_stencil", "store_root", sliding_past_a_stencil},
        {"sliding_past_a_sum", "store_at in parallel strips", sliding_past_a_sum},
        {"folded_past_a_sum", "fold_storage", folded_past_a_sum},
        {"hoisted_past_a_sum", "hoist_storage", hoisted_past_a_sum},
        {"asynchronous_past_a_sum", "async", asynchronous_past_a_sum},
        {"ring_buffer_past_a_sum", "ring_buffer", ring_buffer_past_a_sum},
        {"asynchronous_at_root", "async", asynchronous_at_root},
        {"memoized_past_a_sum", "memoize", memoized_past_a_sum},
        {"stacked_past_a_sum", "store_in", stacked_past_a_sum},
        {"unrolled_past_a_sum", "needs constant extents", unrolled_past_a_sum},
        {"specialised_past_a_sum", "specialize", specialised_past_a_sum},
        {"specialised_in_the_middle", "specialize", specialised_in_the_middle},
        {"prefetched_input", "prefetch", prefetched_input},
        {"prefetched_func", "prefetch", prefetched_func},
        {"bounds_of_all_kinds", "bound, align_bounds, align_extent", bounds_of_all_kinds},
        {"bounded_and_unrolled", "bound, unroll", bounded_and_unrolled},
        {"wrapper_past_a_stencil", "in()", wrapper_past_a_stencil},
        {"clone_past_a_stencil", "clone_in()", clone_past_a_stencil},
        {"outputs_computed_together", "compute_with", outputs_computed_together},
        {"outputs_tiled_together", "compute_with", outputs_tiled_together},
        {"updates_computed_together", "compute_with", updates_computed_together},
        {"group_inside_an_output", "compute_with in a row", group_inside_an_output},
        {"atomic_histogram", "atomic", atomic_histogram},
        {"factored_and_left", "rfactor", factored_and_left},
    };
}

}  // namespace cryolite::robustness
