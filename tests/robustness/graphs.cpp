#include "tests/robustness/graphs.h"

#include <algorithm>

#include "base/random.h"
#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

namespace {

using namespace Halide;

const Var x("x"), y("y");

// Values stay within 0 and this, so that nothing overflows however many Funcs there are.
constexpr int most = 1023;

Func numbered(const std::string &name, int i) { return Func(name + std::to_string(i)); }

Func first_of(Subject &s) {
    const ImageParam in = s.input("in", Int(32), 2, {0, most});
    Func first("first");
    first(x, y) = in(x, y) & most;
    return first;
}

Expr pointwise(const Expr &a, const Expr &b, uint64_t kind) {
    switch (kind % 5) {
        case 0: return (a + b) / 2;
        case 1: return a ^ b;
        case 2: return max(a - b, b / 2);
        case 3: return select(a > b, a, (b * 3 + a) / 4);
        default: return (a * 5 + b + 1) & most;
    }
}

Expr blurred(const Func &f, bool along_rows) {
    return along_rows ? (f(x - 1, y) + f(x, y) * 2 + f(x + 1, y)) / 4
                      : (f(x, y - 1) + f(x, y) * 2 + f(x, y + 1)) / 4;
}

// What has been made of a random graph. Every Func finds a reader: those without one are taken first.
class Growing {
public:
    Growing(Subject &s, uint64_t seed) : random(seed), made_{first_of(s)}, unread_(made_) {}

    Random random;

    Func take() {
        if (unread_.empty()) return recent(8);
        const size_t at = random.below(unread_.size());
        const Func taken = unread_[at];
        unread_.erase(unread_.begin() + static_cast<std::ptrdiff_t>(at));
        return taken;
    }
    // One of the last so many.
    Func recent(uint64_t within) {
        return made_[made_.size() - 1 - random.below(std::min<uint64_t>(made_.size(), within))];
    }
    Func any() { return made_[random.below(made_.size())]; }
    void add(const Func &f) {
        made_.push_back(f);
        unread_.push_back(f);
    }
    size_t unread() const { return unread_.size(); }
    // A Func that reads all that nobody reads.
    Func joined(const std::string &name) {
        Expr all = take()(x, y);
        while (!unread_.empty()) all = (all + take()(x, y)) / 2;
        Func f(name);
        f(x, y) = all;
        return f;
    }

private:
    std::vector<Func> made_, unread_;
};

Sizes sizes_of(const GraphSize &size) { return {about(size.width), about(size.height)}; }

void define_mixed(Func &f, Growing &graph) {
    const Func a = graph.take();
    // So that the graph gets no wider than eight.
    const bool joins = graph.unread() >= 8 || graph.random.chance(0.4);
    const Func b = joins ? graph.take() : graph.recent(12);
    const uint64_t kind = graph.random.below(5);
    switch (graph.random.below(8)) {
        case 0:
        case 1: f(x, y) = pointwise(blurred(a, graph.random.chance(0.5)), b(x, y), kind); break;
        case 2: f(x, y) = pointwise(a(x + 3, y - 2), b(x, y), kind); break;
        case 3: {
            const RDom r(-2, 5, "r");
            f(x, y) = b(x, y) & (most / 8);
            f(x, y) += a(x + r, y) / 8;
            break;
        }
        default: f(x, y) = pointwise(a(x, y), b(x, y), kind); break;
    }
}

}  // namespace

void elementwise_graph(Subject &s, const GraphSize &size) {
    Growing graph(s, size.seed);
    for (int i = 1; i < size.funcs - 3; i++) {
        Func next = numbered("stage", i);
        Expr value = graph.take()(x, y);
        const uint64_t more = graph.unread() >= 8 ? 3 : graph.random.below(4);
        for (uint64_t k = 0; k < more; k++) {
            const Func other = graph.random.chance(0.1)   ? graph.any()
                               : graph.random.chance(0.4) ? graph.take()
                                                          : graph.recent(8);
            value = pointwise(value, other(x, y), graph.random.below(5));
        }
        next(x, y) = value;
        graph.add(next);
    }
    Func wide = graph.joined("wide"), near = numbered("near", 0), far = numbered("far", 0);
    near(x, y) = graph.recent(4)(x, y) - wide(x, y);
    far(x, y) = graph.any()(x, y) + graph.any()(x, y);
    for (const Func &out : {wide, near, far}) s.output(out, sizes_of(size));
}

void stencil_graph(Subject &s, const GraphSize &size) {
    Growing graph(s, size.seed);
    for (int i = 1; i < size.funcs - 1; i++) {
        Func next = numbered("stage", i);
        const Func before = graph.take();
        next(x, y) =
            pointwise(blurred(before, i % 2 == 0), graph.recent(8)(x, y), graph.random.below(5));
        graph.add(next);
    }
    s.output(graph.joined("out"), sizes_of(size));
}

void mixed_graph(Subject &s, const GraphSize &size) {
    Growing graph(s, size.seed);
    for (int i = 1; i < size.funcs - 1; i++) {
        Func next = numbered("stage", i);
        define_mixed(next, graph);
        graph.add(next);
    }
    s.output(graph.joined("out"), sizes_of(size));
}

void pointwise_chain(Subject &s, const GraphSize &size) {
    Func last = first_of(s);
    for (int i = 1; i < size.funcs; i++) {
        Func next = numbered("stage", i);
        next(x, y) = pointwise(last(x, y), i % (most + 1), static_cast<uint64_t>(i));
        last = next;
    }
    s.inlined_reference = true;
    s.output(last, sizes_of(size));
}

void parameter_chain(Subject &s, const GraphSize &size, int parameters) {
    Func last = first_of(s);
    for (int i = 1; i < size.funcs; i++) {
        Func next = numbered("stage", i);
        Expr value = last(x, y);
        for (int k = 0; k < parameters; k++) {
            const Param<int> p =
                s.parameter("p" + std::to_string(i) + "_" + std::to_string(k), k + 1, 2 * k + 3);
            value = k % 2 == 0 ? Expr((value * p) & most) : Expr(max(value - p, 0));
        }
        next(x, y) = value;
        last = next;
    }
    s.output(last, sizes_of(size));
}

void bitonic_sort_of_rows(Subject &s, int elements, int rows) {
    Func last = first_of(s);
    int round = 0;
    for (int block = 2; block <= elements; block *= 2) {
        for (int distance = block / 2; distance > 0; distance /= 2) {
            Func next = numbered("round", round++);
            const Expr other = last(clamp(x ^ distance, 0, elements - 1), y);
            const Expr takes_less = ((x & distance) == 0) == ((x & block) == 0);
            next(x, y) = select(takes_less, min(last(x, y), other), max(last(x, y), other));
            last = next;
        }
    }
    s.output(last, {exactly(elements), about(rows)});
}

void bitonic_sort_of_tuples(Subject &s, int elements, int width, int height) {
    const ImageParam in = s.input("in", Int(32), 3, {0, most});
    Func last("first");
    std::vector<Expr> values;
    for (int i = 0; i < elements; i++) values.push_back(in(x, y, i));
    last(x, y) = Tuple(values);
    int round = 0;
    for (int block = 2; block <= elements; block *= 2) {
        for (int distance = block / 2; distance > 0; distance /= 2) {
            Func next = numbered("round", round++);
            for (int i = 0; i < elements; i++) {
                const Expr here = last(x, y)[i], other = last(x, y)[i ^ distance];
                const bool takes_less = ((i & distance) == 0) == ((i & block) == 0);
                values[static_cast<size_t>(i)] = takes_less ? min(here, other) : max(here, other);
            }
            next(x, y) = Tuple(values);
            last = next;
        }
    }
    Func out("out");
    out(x, y) = last(x, y)[0] - last(x, y)[elements / 2] * 3 + last(x, y)[elements - 1] * 7;
    s.output(out, {about(width), about(height)});
}

namespace {

template <typename Make, typename... Rest>
Entry sized(const std::string &name, const std::string &about, Make make, const GraphSize &size,
            Rest... rest) {
    return {name + "_of_" + std::to_string(size.funcs), about,
            [=](Subject &s) { make(s, size, rest...); }};
}

// Where Halide 21 knows the range of x it takes the clamp of x ^ distance away, and then finds no bounds for what is
// left. With everything at root and no splits it refuses this pipeline; a split with a guard hides the range.
Entry row_sort(int elements, int rows) {
    return {"bitonic_sort_of_" + std::to_string(elements), "rounds of exchanges along rows",
            [=](Subject &s) { bitonic_sort_of_rows(s, elements, rows); },
            "is accessed over an unbounded domain in dimension x"};
}

Entry tuple_sort(int elements, int width, int height) {
    return {"bitonic_tuple_of_" + std::to_string(elements), "rounds of exchanges in a tuple",
            [=](Subject &s) { bitonic_sort_of_tuples(s, elements, width, height); }};
}

Entry with_parameters(int funcs, int width, int height) {
    return sized("parameter_chain", "nested as deep as it is long, Halide does not lower it",
                 parameter_chain, {funcs, width, height}, funcs);
}

}  // namespace

std::vector<Entry> graphs(GraphImage image) {
    const auto [width, height] = image;
    return {
        sized("elementwise_graph", "one to four reads, three outputs", elementwise_graph,
              {40, width, height}),
        sized("stencil_graph", "three points and another Func", stencil_graph, {20, width, height}),
        sized("pointwise_chain", "elementwise", pointwise_chain, {120, width, height}),
        sized("mixed_graph", "elementwise, stencils, reductions", mixed_graph, {10, width, height}),
        with_parameters(6, width, height),
        row_sort(16, 200),
        tuple_sort(8, width, height),
    };
}

std::vector<Entry> large_graphs(GraphImage image) {
    const auto [width, height] = image;
    return {
        sized("elementwise_graph", "one to four reads, three outputs", elementwise_graph,
              {200, width, height}),
        sized("stencil_graph", "three points and another Func", stencil_graph,
              {100, width, height}),
        sized("pointwise_chain", "elementwise", pointwise_chain, {500, width, height}),
        with_parameters(10, width, height),
        row_sort(64, 8 * height),
        tuple_sort(16, width, height),
        sized("mixed_graph", "elementwise, stencils, reductions", mixed_graph, {30, width, height}),
        sized("mixed_graph", "elementwise, stencils, reductions", mixed_graph,
              {100, width, height}),
        sized("mixed_graph", "elementwise, stencils, reductions", mixed_graph,
              {300, width, height}),
        sized("mixed_graph", "elementwise, stencils, reductions", mixed_graph,
              {1000, width, height}),
    };
}

}  // namespace cryolite::robustness
