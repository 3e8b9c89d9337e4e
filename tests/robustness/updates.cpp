// Updates: in place, many of them, scans in both directions, time as a dimension.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), t("t");

void two_dozen_updates(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2);
    Func stage("stage"), out("out");
    stage(x, y) = in(x, y);
    for (int i = 0; i < 24; i++) {
        if (i % 3 == 0) stage(x, y) = stage(x, y) * 2 - in(x, y + i);
        if (i % 3 == 1) stage(x, y) += x * i;
        if (i % 3 == 2) stage(x, y) = max(stage(x, y), -i);
    }
    out(x, y) = stage(x, y) + stage(x + 1, y);
    s.output(out, {about(200), about(150)});
}

// Single rows and columns are overwritten by ones of their own.
void updates_at_constant_places(Subject &s) {
    constexpr int width = 120, height = 90;
    const ImageParam in = s.input("in", Int(32), 2);
    Func f("f"), out("out");
    f(x, y) = in(x, y);
    for (int i = 0; i < 6; i++) {
        f(i, y) = f(width - 1 - i, y) + i;
        f(x, i) = f(x, height - 1 - i) - i;
    }
    f(0, 0) = 12345;
    out(x, y) = f(x, y) * 2;
    s.output(out, {exactly(width), exactly(height)});
}

// A recursive filter down and up again, then along the rows.
void scans_both_ways(Subject &s) {
    constexpr int width = 160, height = 120;
    const ImageParam in = s.input("in", Int(32), 2, {0, 1000});
    const RDom down(1, height - 1, "down"), right(1, width - 1, "right");
    Func f("f"), g("g");
    f(x, y) = in(x, y) * 16;
    f(x, down) = (f(x, down - 1) * 3 + f(x, down)) / 4;
    f(x, height - 1 - down) = (f(x, height - down) * 3 + f(x, height - 1 - down)) / 4;
    g(x, y) = f(x, y);
    g(right, y) = (g(right - 1, y) + g(right, y)) / 2;
    s.output(g, {exactly(width), exactly(height)});
}

// Every value needs the ones to its left and above.
void wavefront(Subject &s) {
    constexpr int size = 96;
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(1, size - 1, 1, size - 1, "r");
    Func f("f"), out("out");
    f(x, y) = in(x, y);
    f(r.x, r.y) = max(f(r.x - 1, r.y), f(r.x, r.y - 1)) / 2 + f(r.x, r.y);
    out(x, y) = f(x, y) - in(x, y);
    s.output(out, {exactly(size), exactly(size)});
}

// Time as a dimension: each plane is made of the one before.
void cellular_automaton(Subject &s) {
    constexpr int width = 64, height = 48, steps = 10;
    const ImageParam in = s.input("in", UInt(8), 2, {0, 1});
    const RDom r(0, width, 0, height, 1, steps, "r");
    Func world("world"), out("out");
    world(x, y, t) = cast<uint8_t>(0);
    world(x, y, 0) = in(clamp(x, 0, width - 1), clamp(y, 0, height - 1));
    Expr neighbours = cast<uint8_t>(0);
    for (int dx = -1; dx <= 1; dx++) {
        for (int dy = -1; dy <= 1; dy++) {
            if (dx == 0 && dy == 0) continue;
            neighbours += world((r.x + dx + width) % width, (r.y + dy + height) % height, r.z - 1);
        }
    }
    const Expr alive = world(r.x, r.y, r.z - 1) == 1;
    world(r.x, r.y, r.z) =
        cast<uint8_t>(select(neighbours == 3 || (neighbours == 2 && alive), 1, 0));
    out(x, y) = world(x, y, steps);
    s.output(out, {exactly(width), exactly(height)});
}

// Elimination without pivots in whole numbers: the triangle shrinks with every step.
void elimination_in_place(Subject &s) {
    constexpr int size = 24;
    const ImageParam in = s.input("in", Int(32), 2, {1, 9});
    RDom r(0, size, 0, size, 0, size, "r");  // column, row, step
    r.where(r.x > r.z && r.y > r.z);
    Func matrix("matrix");
    matrix(x, y) = in(x, y);
    matrix(r.x, r.y) = (matrix(r.x, r.y) * 3 - matrix(r.z, r.y) * matrix(r.x, r.z)) % 1009;
    s.output(matrix, {exactly(size), exactly(size)});
}

// Pairs are exchanged where they lie, in rounds of odd and even neighbours: as many as there are values.
void sorting_in_place(Subject &s) {
    constexpr int length = 10;
    const ImageParam in = s.input("in", Int(32), 2);
    Func list("list");
    list(x, y) = in(x, y);
    for (int round = 0; round < length; round++) {
        const int first = round % 2;
        const RDom r(0, (length - first) / 2, "r");
        const Expr left = r * 2 + first;
        Func next("list" + std::to_string(round));
        next(x, y) = list(x, y);
        next(left, y) = min(list(left, y), list(left + 1, y));
        next(left + 1, y) = max(list(left, y), list(left + 1, y));
        list = next;
    }
    s.output(list, {exactly(length), about(200)});
}

// Half of it is never defined, and never read.
void undefined_half(Subject &s) {
    constexpr int size = 100;
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(0, size, "r");
    Func f("f"), out("out");
    f(x, y) = undef<int>();
    f(r * 2, y) = in(r, y) + 1;
    out(x, y) = f(x * 2, y) * 3;
    s.output(out, {exactly(size), about(150)});
}

// An output with updates that another output reads.
void updated_output_read_by_another(Subject &s) {
    constexpr int width = 150;
    const ImageParam in = s.input("in", Int(32), 2);
    const RDom r(1, width - 1, "r");
    Func sums("sums"), out("out");
    sums(x, y) = in(x, y);
    sums(r, y) += sums(r - 1, y);
    out(x, y) = sums(x, y) / (x + 1);
    s.output(sums, {exactly(width), about(100)});
    s.output(out, {exactly(width), about(100)});
}

}  // namespace

std::vector<Entry> updates() {
    return {
        {"two_dozen_updates", "24 updates of one Func", two_dozen_updates},
        {"updates_at_constant_places", "rows, columns and a point", updates_at_constant_places},
        {"scans_both_ways", "recursive filters", scans_both_ways},
        {"wavefront", "a dependence in both directions", wavefront},
        {"cellular_automaton", "time as a dimension", cellular_automaton},
        {"elimination_in_place", "a predicate over three reduction variables",
         elimination_in_place},
        {"sorting_in_place", "ten rounds of exchanges between neighbours", sorting_in_place},
        {"undefined_half", "undef with holes", undefined_half},
        {"updated_output_read_by_another", "an output scanned in place",
         updated_output_read_by_another},
    };
}

}  // namespace cryolite::robustness
