// Pyramids and butterflies: resolutions that change by two, exchanges at growing distance.
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y"), k("k");

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }

Func halved(Func in, int i) {
    Func rows = numbered("down_rows", i), out = numbered("down", i);
    rows(x, y) = (in(2 * x - 1, y) + 2 * in(2 * x, y) + in(2 * x + 1, y)) / 4;
    out(x, y) = (rows(x, 2 * y - 1) + 2 * rows(x, 2 * y) + rows(x, 2 * y + 1)) / 4;
    return out;
}

Func doubled(Func in, int i) {
    Func rows = numbered("up_rows", i), out = numbered("up", i);
    rows(x, y) = (in(x / 2, y) + in((x + 1) / 2, y)) / 2;
    out(x, y) = (rows(x, y / 2) + rows(x, (y + 1) / 2)) / 2;
    return out;
}

void eight_levels_down_and_up(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(512), about(384)}, {0, 9999});
    std::vector<Func> down = {BoundaryConditions::repeat_edge(in)};
    for (int i = 1; i < 8; i++) {
        Func level = halved(down.back(), i);
        down.push_back(level);
    }
    Func last = down.back();
    for (int i = 7; i-- > 0;) {
        Func wide = doubled(last, i), sharp = numbered("sharp", i);
        sharp(x, y) = down[static_cast<size_t>(i)](x, y) + wide(x, y) / 2;
        last = sharp;
    }
    s.output(last, {about(512), about(384)});
}

// A stack of pyramids and a choice between them by the data.
void pyramids_chosen_by_the_data(Subject &s) {
    const ImageParam in = s.sized_input("in", Int(32), {about(256), about(256)}, {0, 255});
    const Func edge = BoundaryConditions::repeat_edge(in);
    Func remapped("remapped");
    remapped(x, y, k) = edge(x, y) * (k + 1) - abs(edge(x, y) - 32 * k);
    std::vector<Func> stacks = {remapped}, images(1, Func("image"));
    images[0](x, y) = edge(x, y);
    for (int i = 1; i < 4; i++) {
        Func stack = numbered("stack", i), image = halved(images.back(), i);
        const Func before = stacks.back();
        stack(x, y, k) = (before(2 * x, 2 * y, k) + before(2 * x + 1, 2 * y, k) +
                          before(2 * x, 2 * y + 1, k) + before(2 * x + 1, 2 * y + 1, k)) /
                         4;
        stacks.push_back(stack);
        images.push_back(image);
    }
    Func last;
    for (int i = 3; i >= 0; i--) {
        const size_t level = static_cast<size_t>(i);
        Func chosen = numbered("chosen", i), sum_of = numbered("sum_of", i);
        const Expr which = clamp(images[level](x, y) / 32, 0, 6);
        chosen(x, y) = stacks[level](x, y, which) + stacks[level](x, y, which + 1);
        if (last.defined()) {
            Func wide = doubled(last, i);
            sum_of(x, y) = chosen(x, y) + wide(x, y);
            last = sum_of;
        } else {
            last = chosen;
        }
    }
    s.output(last, {about(256), about(256)});
}

// The butterflies of a transform of 64 points, in whole numbers modulo a prime.
void butterflies(Subject &s) {
    constexpr int points = 64, modulus = 257;
    const ImageParam in = s.input("in", Int(32), 2, {0, 256});
    Func last("first");
    last(x, y) = in(x, y);
    int i = 0;
    for (int distance = 1; distance < points; distance *= 2, i++) {
        Func next = numbered("stage", i);
        const Expr upper = (x / distance) % 2 == 1;
        const Expr partner = x + select(upper, -distance, distance);
        const Expr twiddle = (x % distance) * 3 + 1;
        next(x, y) = select(upper, last(partner, y) - last(x, y) * twiddle,
                            last(x, y) + last(partner, y) * twiddle) %
                     modulus;
        last = next;
    }
    s.output(last, {exactly(points), about(100)});
}

// Batcher's network for 32 values: 15 rounds of exchanges.
void sorting_network(Subject &s) {
    constexpr int length = 32;
    const ImageParam in = s.input("in", Int(32), 2);
    Func last("first");
    last(x, y) = in(x, y);
    int i = 0;
    for (int block = 2; block <= length; block *= 2) {
        for (int distance = block / 2; distance > 0; distance /= 2, i++) {
            Func next = numbered("round", i);
            const Expr upper = (x / distance) % 2 == 1, falling = (x / block) % 2 == 1;
            const Expr other = last(x + select(upper, -distance, distance), y);
            next(x, y) = select(upper == falling, min(last(x, y), other), max(last(x, y), other));
            last = next;
        }
    }
    s.output(last, {exactly(length), about(200)});
}

}  // namespace

std::vector<Entry> pyramids() {
    return {
        {"eight_levels_down_and_up", "regions halve and double", eight_levels_down_and_up},
        {"pyramids_chosen_by_the_data", "a data-dependent choice per level",
         pyramids_chosen_by_the_data},
        {"butterflies", "exchanges at growing distance; 6165", butterflies},
        {"sorting_network", "fifteen rounds of exchanges", sorting_network},
    };
}

}  // namespace cryolite::robustness
