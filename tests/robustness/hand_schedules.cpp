// Pipelines of which the user has scheduled a part.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), xo("xo"), xi("xi"), yo("yo"), yi("yi");
constexpr auto guard = TailStrategy::GuardWithIf;

struct Chain {
    Func first{"first"}, second{"second"}, third{"third"}, out{"out"};

    explicit Chain(Subject &s) {
        const ImageParam in = s.input("in", Int(32), 2);
        first(x, y) = in(x, y) * 5 - in(x + 1, y);
        second(x, y) = first(x - 1, y) + first(x + 1, y);
        third(x, y) = second(x, y - 1) * 2 + second(x, y + 1);
        out(x, y) = third(x, y) - first(x, y);
        s.output(out, {about(400), about(300)});
    }
};

void stage_in_the_middle(Subject &s) {
    Chain c(s);
    c.second.compute_root().tile(x, y, xo, yo, xi, yi, 32, 8, guard).vectorize(xi, 8).parallel(yo);
    s.scheduled_by_hand(c.second);
}

void output_and_what_it_holds(Subject &s) {
    Chain c(s);
    c.out.tile(x, y, xo, yo, xi, yi, 64, 16, guard).vectorize(xi, 8).parallel(yo);
    c.third.compute_at(c.out, xo).vectorize(x, 8, guard);
    s.scheduled_by_hand(c.out);
    s.scheduled_by_hand(c.third);
}

void sliding_window_by_hand(Subject &s) {
    Chain c(s);
    c.second.store_root().compute_at(c.third, y).vectorize(x, 8, guard);
    c.third.compute_root();
    s.scheduled_by_hand(c.second);
    s.scheduled_by_hand(c.third);
}

void specialised_output(Subject &s) {
    Chain c(s);
    c.out.specialize(c.out.output_buffer().dim(0).extent() >= 128).vectorize(x, 16);
    c.out.specialize(c.out.output_buffer().dim(1).extent() == 1).unroll(x, 2, guard);
    s.scheduled_by_hand(c.out);
}

void everything_scheduled(Subject &s) {
    Chain c(s);
    c.first.compute_root();
    c.second.compute_root();
    c.third.compute_at(c.out, y);
    c.out.parallel(y);
    for (const Func &f : {c.first, c.second, c.third, c.out}) s.scheduled_by_hand(f);
}

void only_an_update_scheduled(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, 9, "r");
    Func sums("sums"), out("out");
    sums(x, y) = 0;
    sums(x, y) += in(x + r, y) * r;
    out(x, y) = sums(x, y) + sums(x, y + 1);
    sums.compute_root();
    sums.update().unroll(r, 3).vectorize(x, 8, guard);
    s.scheduled_by_hand(sums);
    s.output(out, {about(400), about(300)});
}

void reduction_factored_by_hand(Subject &s) {
    constexpr int length = 4096;
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, length, "r");
    const RVar ro("ro"), ri("ri");
    const Var u("u");
    Func sums("sums"), out("out");
    sums(y) = 0;
    sums(y) += in(r, y);
    Func partial = sums.update().split(r, ro, ri, 8).rfactor(ri, u);
    partial.compute_root().vectorize(u, 8);
    partial.update().vectorize(u, 8);
    out(y) = sums(y) * 3;
    s.scheduled_by_hand(partial);
    s.scheduled_by_hand(sums);
    sums.compute_root();
    s.output(out, {about(60)});
}

void fused_with_another(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func first("first"), second("second"), out("out");
    first(x, y) = in(x, y) + 1;
    second(x, y) = in(x, y) * 2;
    out(x, y) = first(x, y) * second(x, y + 1);
    first.compute_root();
    second.compute_root().compute_with(first, y);
    s.scheduled_by_hand(first);
    s.scheduled_by_hand(second);
    s.output(out, {about(400), about(300)});
}

void wrappers_and_clones(Subject &s) {
    ImageParam in = s.input("in", Int(32), 2);
    Func base("base"), left("left"), right("right"), out("out");
    base(x, y) = in(x, y) * in(x, y);
    left(x, y) = base(x - 1, y) + base(x, y);
    right(x, y) = base(x + 1, y) - base(x, y + 1);
    out(x, y) = left(x, y) * 2 + right(x, y);
    base.clone_in(right);
    base.in(left);
    in.in();
    s.output(out, {about(400), about(300)});
}

void stored_and_padded(Subject &s) {
    Chain c(s);
    c.first.compute_root().align_storage(x, 16).store_in(MemoryType::Heap);
    c.second.compute_root().reorder_storage(y, x);
    s.scheduled_by_hand(c.first);
    s.scheduled_by_hand(c.second);
}

}  // namespace

std::vector<Entry> hand_schedules() {
    return {
        {"stage_in_the_middle", "a tiled stage; 6848", stage_in_the_middle},
        {"output_and_what_it_holds", "a stage inside of the output's tiles",
         output_and_what_it_holds},
        {"sliding_window_by_hand", "storage outside of computation", sliding_window_by_hand},
        {"specialised_output", "two specialisations; 3104", specialised_output},
        {"everything_scheduled", "nothing is left to do; 4067", everything_scheduled},
        {"only_an_update_scheduled", "an update's loops", only_an_update_scheduled},
        {"reduction_factored_by_hand", "rfactor", reduction_factored_by_hand},
        {"fused_with_another", "compute_with", fused_with_another},
        {"wrappers_and_clones", "in() and clone_in()", wrappers_and_clones},
        {"stored_and_padded", "layouts of storage", stored_and_padded},
    };
}

}  // namespace cryolite::robustness
