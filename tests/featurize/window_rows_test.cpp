// How many points of a chain of windows Halide computes, counted while it runs, against what the model
// says: a window that does not slide after all is computed whole in every iteration.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <mutex>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "featurize/counts/kernel_work.h"
#include "scheduled.h"

namespace cryolite {
namespace {

using Halide::Expr;
using Halide::Func;
using Halide::Var;

constexpr int width = 24, height = 96, strip = 32, length = 4;

// Chain of Funcs over three rows each; out.back() is the output. Bit i of `clamped`: the rows of Func i
// are clamped where they are read. Bit i of `windows`: Func i is stored outside of the loop over rows
// that it is computed in, if that is allowed. Bit i of `divided`: Func i is read at row / divisor.
struct Chain {
    unsigned clamped, windows;
    bool in_strips;
    unsigned divided = 0;
    int divisor = 2;
    int step = 1;  // rows of the output at a time
    // A divided Func is read over three rows after the division, at one, over three before, or at rows of which some
    // are divided and some are not.
    enum class Taps : uint8_t { After, None, Before, Mixed } taps = Taps::After;
    int part = 1;  // rows of the other Funcs that are unrolled together

    std::vector<Func> make() const {
        const Var x("x"), y("y");
        std::vector<Func> funcs;
        Halide::Param<int> rows("rows");
        rows.set(height);
        rows.set_estimate(height);
        Func input("input");
        input(x, y) = 3 * x + y;
        for (int i = 0; i < length; i++) {
            Func f("f" + std::to_string(i)), before = i ? funcs.back() : input;
            const bool clamps = i > 0 && (clamped >> (i - 1) & 1);
            Expr sum = 0;
            const bool divides = i > 0 && (divided >> (i - 1) & 1);
            for (int tap = -1; tap <= 1; tap++) {
                const Expr row = !divides || (taps == Taps::Mixed && tap < 0) ? Expr(y + tap)
                                 : taps == Taps::None                         ? Expr(y / divisor)
                                 : taps == Taps::After ? Expr(y / divisor + tap)
                                                       : Expr((y + tap) / divisor);
                sum += before(x, clamps ? Halide::clamp(Halide::likely(row), 0, rows - 1) : row);
            }
            f(x, y) = sum;
            funcs.push_back(f);
        }
        funcs.back().set_estimates({{0, width}, {0, height}});
        return funcs;
    }
};

std::map<std::string, double> computed_by_halide(const std::vector<Func> &funcs) {
    static std::mutex mutex;
    static std::map<std::string, double> points;
    points.clear();
    for (Func f : funcs) f.trace_stores();
    Func out = funcs.back();
    out.jit_handlers().custom_trace = [](Halide::JITUserContext *,
                                         const halide_trace_event_t *event) {
        const std::lock_guard lock(mutex);
        if (event->event == halide_trace_store) points[event->func] += event->type.lanes;
        return 0;
    };
    out.realize({width, height});
    return points;
}

// Returns which windows are allowed.
unsigned check(const Chain &chain) {
    SCOPED_TRACE("clamped " + std::to_string(chain.clamped) + ", windows " +
                 std::to_string(chain.windows) + (chain.in_strips ? ", in strips" : "") +
                 ", divided " + std::to_string(chain.divided) + " by " +
                 std::to_string(chain.divisor) + ", " + std::to_string(chain.step) +
                 " rows at a time, taps " + std::to_string(static_cast<int>(chain.taps)));
    const std::vector<Func> funcs = chain.make();
    const BuiltGraph built = test::build({funcs.back()});
    const FuncId out = test::func(built, funcs.back()).id;
    const StageId o = test::stage(built, funcs.back()).id;
    Trace trace{action::ComputeRoot{out}};
    LoopName rows{o, 1, 0};
    std::optional<LoopName> outside;
    if (chain.in_strips) {
        trace.push_back(chain.step > 1 ? action::Tile{o, 1, {strip, chain.step}}
                                       : action::Tile{o, 1, {strip}});
        std::vector<LoopName> order{{o, 1, 0}, {o, 1, 1}, {o, 0, 0}};
        if (chain.step > 1) order.push_back({o, 1, 2});
        trace.push_back(action::Reorder{o, order});
        outside = rows;
        rows = {o, 1, 1};
    }
    std::vector<FuncId> members{out};
    unsigned accepted = 0;
    for (int i = length - 2; i >= 0; i--) {
        const FuncId f = test::func(built, funcs[static_cast<size_t>(i)]).id;
        members.push_back(f);
        trace.push_back(action::ComputeAt{f, rows});
        trace.push_back(action::StoreAt{f, outside});
        const unsigned window = 1u << i;
        if ((chain.windows & window) && replay(built.graph, trace).ok())
            accepted |= window;
        else
            trace.pop_back();
        if (chain.part == 1) continue;
        const StageId s = built.graph.func(f).stages[0];
        trace.push_back(action::Tile{s, 1, {chain.part}});
        trace.push_back(action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}}});
        trace.push_back(action::Unroll{{s, 1, 1}});
    }
    // Without clamps all of them slide; with clamps one does at least, the uppermost. Rows y / 3 may count as none.
    if (chain.divided == 0) {
        if (chain.clamped == 0)
            EXPECT_EQ(accepted, chain.windows);
        else
            EXPECT_GE(accepted, std::bit_floor(chain.windows));
    }
    const LoopNest nest = test::scheduled(built.graph, trace);
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest, members);
    std::map<std::string, double> expected;
    for (const StageWork &s : work.stages())
        expected[built.graph.func(s.code->stage->func).name] = s.code->runs.back();
    EXPECT_TRUE(emit(built, nest).ok());
    const std::map<std::string, double> points = computed_by_halide(funcs);
    // Near the ends of the image clamped rows are fewer. A divided window counts as moving by a row each time. Of rows
    // y / 3 some iterations need one more than those in mid-range.
    for (const auto &[name, computed] : points) {
        const auto f = std::ranges::find(funcs, name, &Func::name) - funcs.begin();
        if (chain.clamped == 0 && chain.divided == 0 && (accepted >> f & 1)) {
            EXPECT_DOUBLE_EQ(expected[name], computed) << name;
        }
        const std::string what = name + ": " + std::to_string(computed / width / height) +
                                 " per pixel, and not " +
                                 std::to_string(expected[name] / width / height);
        EXPECT_GE(expected[name] / computed, chain.divisor == 3 ? 0.6 : 0.85) << what;
        if (chain.divided == 0) {
            EXPECT_LE(expected[name] / computed, 1.15) << what;
        }
    }
    return accepted;
}

TEST(WindowRows, AreThoseThatHalideComputes) {
    for (const bool in_strips : {false, true})
        for (unsigned clamped = 0; clamped < 8; clamped++)
            for (const unsigned windows : {5u, 6u, 7u}) check({clamped, windows, in_strips});
}

// The rows that fill a window are rounded up to those that are unrolled together.
TEST(WindowRows, AreExactWhereSomeAreUnrolled) {
    for (int step : {4, 8})
        for (unsigned windows : {2u, 5u, 7u})
            for (int part : {1, 4, step})
                check({.clamped = 0,
                       .windows = windows,
                       .in_strips = true,
                       .step = step,
                       .part = part});
}

// Found in learned_demosaic: below a window of rows y / 2 Halide computed all of three rows for each, and five below
// them. In camera_pipe such windows do slide.
TEST(WindowRows, OfDividedWindowsAreThoseThatHalideComputes) {
    for (const auto &[divisor, step] : {std::pair{2, 1}, {2, 4}, {3, 2}, {4, 2}, {4, 8}})
        for (const unsigned divided : {1u, 2u, 4u, 6u})
            for (const auto taps :
                 {Chain::Taps::After, Chain::Taps::None, Chain::Taps::Before, Chain::Taps::Mixed})
                check({0, 7, true, divided, divisor, step, taps});
}

// At whole quotients alone: with two rows at a time below (y + 1) / 2, but not below y / 2 + 1.
TEST(WindowRows, BelowDividedWindowsSlideAtWholeQuotients) {
    using enum Chain::Taps;
    EXPECT_EQ(check({0, 7, true, 4, 2, 2, Before}), 7u);
    EXPECT_EQ(check({0, 7, true, 4, 2, 2, After}) & 4u, 4u);
    EXPECT_NE(check({0, 7, true, 4, 2, 2, After}), 7u);
    // The output reads one row more of Func 2, so that its rows end one later.
    EXPECT_EQ(check({0, 7, true, 2, 2, 2, After}), 7u);
    EXPECT_NE(check({0, 7, true, 2, 2, 2, Before}), 7u);
}

}  // namespace
}  // namespace cryolite
