// What is computed around a whole loop over a clamped side, run in Halide with an input that has no
// more than the unscheduled pipeline reads.
#include <gtest/gtest.h>

#include <functional>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using Halide::Expr;
using Halide::Var;
using test::build;
using test::func;

constexpr int channels = 16, width = 53, border = 1;

// padded(c, x) of what is read by out.
using Pad = std::function<Halide::Func(Halide::Func middle, Expr extent)>;
using Read = std::function<Expr(Halide::Func in, Var c, Var x)>;

Halide::Func repeat_edge(Halide::Func middle, const Expr &extent) {
    return Halide::BoundaryConditions::repeat_edge(middle, {{Expr(), Expr()}, {Expr(0), extent}});
}

class Pipeline {
public:
    Pipeline(const Pad &pad, const Read &read) {
        Halide::Func source("source");
        source(c, x) = input(c, x);
        first(c, x) = read(source, c, x) * 2;
        middle(c, x) = first(c, x) + 1;
        const Halide::Func padded = pad(middle, input.dim(1).extent());
        out(c, x) = padded(c, x - border) + padded(c, x + border);
        input.set_estimates({{0, channels}, {0, width}});
        out.set_estimates({{0, channels}, {0, width}});
    }

    // first at the channels' outer loop of middle, around all of its x; `columns`: or around a split of
    // it. Empty, or why not.
    std::string schedule(int columns) {
        const BuiltGraph built = build({out});
        const StageGraph &graph = built.graph;
        const FuncId out_id = func(built, out).id, middle_id = func(built, middle).id;
        const StageId o = graph.func(out_id).stages[0], m = graph.func(middle_id).stages[0];
        Trace trace{action::ComputeRoot{out_id}, action::Tile{o, 1, {8}},
                    action::Reorder{o, {{o, 1, 0}, {o, 1, 1}, {o, 0, 0}}}};
        for (const Func &other : graph.funcs())
            if (other.id > out_id && other.id < middle_id)
                trace.push_back(action::Inline{other.id});
        trace.push_back(action::ComputeAt{middle_id, {o, 1, 0}});
        trace.push_back(action::Tile{m, 0, {8}});
        std::vector<LoopName> order{{m, 0, 0}, {m, 1, 0}, {m, 0, 1}};
        if (columns > 0) {
            trace.push_back(action::Tile{m, 1, {columns}});
            order.insert(order.begin() + 2, {m, 1, 1});
        }
        trace.push_back(action::Reorder{m, order});
        trace.push_back(action::ComputeAt{func(built, first).id, {m, 0, 0}});
        for (const Func &other : graph.funcs())
            if (!other.is_input() && other.id > func(built, first).id)
                trace.push_back(action::Inline{other.id});
        const auto replayed = replay(graph, trace);
        if (!replayed.ok()) return name(replayed.error().reason);
        EXPECT_TRUE(emit(built, *replayed).ok());
        return "";
    }

    // With `beyond` more columns of the input on either side.
    Halide::Buffer<float> run(int beyond) {
        Halide::Buffer<float> all(channels, width + 2 * beyond);
        all.set_min(0, -beyond);
        all.for_each_element([&](int i, int j) { all(i, j) = static_cast<float>(i * 7 + j * 3); });
        input.set(all);
        return out.realize({channels, width});
    }

private:
    Var c{"c"}, x{"x"};
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func first{"first"}, middle{"middle"}, out{"out"};
};

// "" if the schedule is legal and computes the same; else why it is not legal.
std::string outcome(const Pad &pad, const Read &read, int columns, int beyond) {
    Pipeline scheduled(pad, read);
    const std::string why_not = scheduled.schedule(columns);
    if (!why_not.empty()) return why_not;
    const Halide::Buffer<float> found = scheduled.run(beyond);
    Halide::Buffer<float> expected = Pipeline(pad, read).run(beyond);
    expected.for_each_element([&](int i, int j) { EXPECT_EQ(found(i, j), expected(i, j)); });
    return "";
}

Expr plainly(const Halide::Func &in, const Var &c, const Var &x) { return in(c, x); }

// Found by a batch of resnet_bottleneck: "input is accessed at 107, which is beyond the max (106)".
TEST(ClampedLoops, AskForTooMuchAroundThem) {
    EXPECT_EQ(outcome(repeat_edge, plainly, 0, 0), "overreaches_clamped_loop");
}

TEST(ClampedLoops, AreBoundedWellIfTheyAreSplit) {
    EXPECT_EQ(outcome(repeat_edge, plainly, 4, 0), "");
}

TEST(ClampedLoops, MayHaveAroundThemWhatIsClampedItself) {
    const Read clamped = [](const Halide::Func &in, const Var &c, const Var &x) {
        return in(c, Halide::clamp(x, 0, width - 1));
    };
    EXPECT_EQ(outcome(repeat_edge, clamped, 0, 0), "");
}

TEST(ClampedLoops, AreThoseOfClampedSidesOnly) {
    const Pad none = [](const Halide::Func &middle, const Expr &) { return middle; };
    EXPECT_EQ(outcome(none, plainly, 0, border), "");
}

// Row 1 of middle is needed, whatever row of it out asks for: an update changes rows 0 and 1, or out reads row 1 as well.
// out asks for rows below: those of the input from there to row 1 are what there is. first is computed around all rows
// of middle, or inside of a row.
std::string outcome_of_held_rows(bool by_update, bool around_rows) {
    const auto run = [&](bool is_scheduled, std::string &why_not) {
        Var x("x"), y("y");
        Halide::ImageParam input(Halide::Int(32), 2, "input");
        Halide::Func first("first"), middle("middle"), out("out");
        const Halide::RDom r(0, 8, "r");
        first(x, y) = input(x, y);
        middle(x, y) = first(x, y) * 3;
        if (by_update) middle(r, 1) = middle(r, 1) + middle(r, 0) * 5;
        out(x, y) = by_update ? middle(x, y) : middle(x, y) + middle(x, 1);
        input.set_estimates({{0, 8}, {0, 5}});
        out.set_estimates({{0, 8}, {0, 5}});
        if (is_scheduled) {
            const BuiltGraph built = build({out});
            const FuncId o = func(built, out).id, m = func(built, middle).id;
            const StageId os = built.graph.func(o).stages[0], ms = built.graph.func(m).stages[0];
            Trace trace{action::ComputeRoot{o}, action::ComputeAt{m, {os, 1, 0}}};
            if (around_rows) trace.push_back(action::Reorder{ms, {{ms, 0, 0}, {ms, 1, 0}}});
            trace.push_back(action::ComputeAt{
                func(built, first).id, LoopName{ms, static_cast<int16_t>(around_rows ? 0 : 1), 0}});
            for (const Func &other : built.graph.funcs())
                if (!other.is_input() && other.id > func(built, first).id)
                    trace.push_back(action::Inline{other.id});
            const auto replayed = replay(built.graph, trace);
            if (!replayed.ok()) {
                why_not = name(replayed.error().reason);
                return Halide::Buffer<int>();
            }
            EXPECT_TRUE(emit(built, *replayed).ok());
        }
        Halide::Buffer<int> all(8, 11);
        all.set_min(0, -9);
        all.for_each_element([&](int i, int j) { all(i, j) = i * 7 + j * 3; });
        input.set(all);
        Halide::Buffer<int> found(8, 9);
        found.set_min(0, -9);
        out.realize(found);
        return found;
    };
    std::string why_not;
    const Halide::Buffer<int> found = run(true, why_not);
    if (!why_not.empty()) return why_not;
    Halide::Buffer<int> expected = run(false, why_not);
    expected.for_each_element([&](int i, int j) { EXPECT_EQ(found(i, j), expected(i, j)); });
    return "";
}

// "input is accessed at 10, which is beyond the max (1)": the last beginning and the longest extent.
TEST(ClampedLoops, AskForTooMuchWhereAnEndIsHeld) {
    for (const bool by_update : {true, false}) {
        EXPECT_EQ(outcome_of_held_rows(by_update, true), "overreaches_clamped_loop");
        EXPECT_EQ(outcome_of_held_rows(by_update, false), "");
    }
}

// out reads middle at (x + offset) / `parts` for two offsets; first is computed at the channels' outer loop of middle,
// around all of its x. The input has no more than the pipeline reads.
class Fractions {
public:
    Fractions(int parts, int last) : parts_(parts), last_(last) {
        first(c, x) = input(c, x) * 2;
        middle(c, x) = first(c, x) + 1;
        out(c, x) = middle(c, x / parts) + middle(c, (x + last) / parts);
        input.set_estimates({{0, channels}, {0, (width + last) / parts + 1}});
        out.set_estimates({{0, channels}, {0, width}});
    }

    // "" if it is legal and right at all sizes up to a few tiles; else why it is not legal.
    std::string outcome(int tile) {
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id, m = func(built, middle).id;
        const StageId os = built.graph.func(o).stages[0], ms = built.graph.func(m).stages[0];
        Trace trace{action::ComputeRoot{o}};
        std::vector<LoopName> order{{os, 1, 0}, {os, 0, 0}};
        if (tile > 1) {
            trace.push_back(action::Tile{os, 1, {tile}});
            order.insert(order.begin() + 1, {os, 1, 1});
        }
        trace.push_back(action::Reorder{os, order});
        trace.push_back(action::ComputeAt{m, {os, 1, 0}});
        trace.push_back(action::Tile{ms, 0, {8}});
        trace.push_back(action::Reorder{ms, {{ms, 0, 0}, {ms, 1, 0}, {ms, 0, 1}}});
        trace.push_back(action::ComputeAt{func(built, first).id, {ms, 0, 0}});
        for (const Func &other : built.graph.funcs())
            if (!other.is_input() && other.id > func(built, first).id)
                trace.push_back(action::Inline{other.id});
        const auto replayed = replay(built.graph, trace);
        if (!replayed.ok()) return name(replayed.error().reason);
        EXPECT_TRUE(emit(built, *replayed).ok());
        for (int columns : {1, 2, 3, 5, 6, 7, 11, 12, 23}) {
            const int needed = (columns - 1 + last_) / parts_ + 1;
            Halide::Buffer<float> all(channels, needed);
            all.for_each_element([&](int i, int j) { all(i, j) = static_cast<float>(i + 5 * j); });
            input.set(all);
            Halide::Buffer<float> found;
            try {
                found = out.realize({channels, columns});
            } catch (const Halide::Error &e) {
                return std::to_string(columns) + " columns: " + e.what();
            }
            for (int j = 0; j < columns; j++)
                EXPECT_EQ(found(3, j), 2 * (all(3, j / parts_) + all(3, (j + last_) / parts_) + 1));
        }
        return "";
    }

private:
    const int parts_, last_;
    Var c{"c"}, x{"x"};
    Halide::ImageParam input{Halide::Float(32), 2, "input"};
    Halide::Func first{"first"}, middle{"middle"}, out{"out"};
};

// Found by a random schedule: "accessed at 2, which is beyond the max (1)".
TEST(FractionalLoops, AskForTooMuchAroundThem) {
    for (const auto &[parts, tile] :
         {std::pair{2, 5}, {3, 1}, {3, 4}, {3, 6}, {4, 1}, {4, 2}, {4, 6}})
        EXPECT_EQ(Fractions(parts, 1).outcome(tile), "overreaches_clamped_loop")
            << parts << " " << tile;
}

TEST(FractionalLoops, AreBoundedWellIfTheyMoveByHalves) {
    for (int last : {1, 2, 3})
        for (const auto &[parts, tile] : {std::pair{2, 1}, {2, 2}, {2, 4}, {2, 16}})
            EXPECT_EQ(Fractions(parts, last).outcome(tile), "") << parts << " " << tile;
}

}  // namespace
}  // namespace cryolite
