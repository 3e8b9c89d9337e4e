// Windows that slide along a reduction loop, run in Halide against the unscheduled pipeline.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::RDom;
using Halide::Var;
using test::build;
using test::func;
using test::stage;

constexpr int width = 40, height = 128;

// sum(x, y) += what is read of f, and of `pair` which reads f, in the iteration r of `taps` from `first`.
using Reads = std::function<Expr(Halide::Func f, Halide::Func pair, Var x, Var y, Expr r)>;

class Pipeline {
public:
    Pipeline(const Reads &reads, int first, int taps, bool skips = false) {
        f(x, y) = cast<float>(3 * x + 7 * y);
        pair(x, y) = f(x, y) + f(x, y + 2);
        RDom r(first, taps, "r");
        if (skips) r.where(r.x % 3 != 1);
        sum(x, y) = 0.0f;
        sum(x, y) += reads(f, pair, x, y, r.x) * cast<float>(r.x + 5);
        out(x, y) = sum(x, y);
        out.set_estimates({{0, width}, {0, height}});
    }

    // The window of f, stored outside of the reduction loop. False: it is refused.
    bool schedule() {
        const BuiltGraph built = build({out});
        const StageGraph &graph = built.graph;
        const FuncId sum_id = func(built, sum).id, f_id = func(built, f).id;
        const StageId update = graph.func(sum_id).stages[1];
        const auto loop = [&](const std::string &name) {
            const std::vector<StageLoop> &loops = graph.stage(update).loops;
            return static_cast<int16_t>(std::ranges::find(loops, name, &StageLoop::name) -
                                        loops.begin());
        };
        const int16_t across = loop("x"), down = loop("y"), along = loop("r$x");
        const LoopName strips{update, down, 0}, taps{update, along, 0};
        Trace trace{
            action::ComputeRoot{func(built, out).id}, action::ComputeRoot{sum_id},
            action::Tile{update, down, {32}},
            action::Reorder{update, {strips, taps, {update, down, 1}, {update, across, 0}}}};
        for (const Func &other : graph.funcs())
            if (other.name == pair.name()) trace.push_back(action::Inline{other.id});
        trace.push_back(action::ComputeAt{f_id, taps});
        trace.push_back(action::StoreAt{f_id, strips});
        const auto replayed = replay(graph, trace);
        if (!replayed.ok()) {
            EXPECT_STREQ(name(replayed.error().reason), "no_window");
            return false;
        }
        EXPECT_TRUE(emit(built, *replayed).ok());
        return true;
    }

    Halide::Buffer<float> run() { return out.realize({width, height}); }

private:
    Var x{"x"}, y{"y"};
    Halide::Func f{"f"}, pair{"pair"}, sum{"sum"}, out{"out"};
};

// Whether the window is legal; if it is, it computes the same.
bool slides(const Reads &reads, int first, int taps, bool skips = false) {
    SCOPED_TRACE(std::to_string(taps) + " taps from " + std::to_string(first));
    Pipeline scheduled(reads, first, taps, skips);
    if (!scheduled.schedule()) return false;
    const Halide::Buffer<float> found = scheduled.run();
    Halide::Buffer<float> expected = Pipeline(reads, first, taps, skips).run();
    expected.for_each_element(
        [&](int x, int y) { ASSERT_EQ(found(x, y), expected(x, y)) << x << ", " << y; });
    return true;
}

TEST(ReductionWindows, SlideWhereAllThatIsReadMoves) {
    for (int first : {-3, 0})
        for (int taps : {4, 7, 24}) {
            EXPECT_TRUE(slides([](auto f, auto, Var x, Var y, Expr r) { return f(x, y + r); },
                               first, taps));
            EXPECT_TRUE(slides([](auto, auto pair, Var x, Var y, Expr r) { return pair(x, y + r); },
                               first, taps));
            EXPECT_TRUE(slides(
                [](auto f, auto, Var x, Var y, Expr r) { return f(x, y + r) * f(x, y + r + 3); },
                first, taps));
        }
}

// Halide 21 would compute the new rows only, and never those that the first iteration needs (nl_means).
TEST(ReductionWindows, AreRefusedWhereSomeOfItStays) {
    for (int first : {-3, 0})
        for (int taps : {4, 7, 24}) {
            EXPECT_FALSE(
                slides([](auto f, auto, Var x, Var y, Expr r) { return f(x, y) - f(x, y + r); },
                       first, taps));
            EXPECT_FALSE(slides(
                [](auto f, auto pair, Var x, Var y, Expr r) { return f(x, y) + pair(x, y + r); },
                first, taps));
            EXPECT_FALSE(
                slides([](auto f, auto, Var x, Var y, Expr r) { return f(x, y + 9) + f(x, y + r); },
                       first, taps));
        }
}

// What is new in an iteration that a predicate skips would be missing in the next one.
TEST(ReductionWindows, AreRefusedInLoopsOfWhichAPredicateSkipsIterations) {
    EXPECT_FALSE(
        slides([](auto f, auto, Var x, Var y, Expr r) { return f(x, y + r) + f(x, y + r + 3); }, 0,
               7, true));
}

// Nor may a pure loop of an update start earlier: Halide 21 computes wrong values.
TEST(ReductionWindows, AreRefusedInAllLoopsOfAnUpdateWhereSomeStays) {
    for (const bool stays : {false, true}) {
        const Var x("x");
        Halide::Func f("f"), sum("sum");
        const RDom r(0, 2, "r");
        f(x) = x * 37 % 101;
        sum(x) = 0;
        const Expr moving = f(x + r), staying = f(r);
        sum(x) = sum(x) * 3 - (stays ? moving * staying : moving);
        sum.set_estimate(x, 0, width);
        const BuiltGraph built = build({sum});
        const FuncId of_sum = func(built, sum).id, of_f = func(built, f).id;
        const Stage &update = stage(built, sum, 1);
        const bool first = update.loops[0].name == "x";
        const LoopName along{update.id, static_cast<int16_t>(first ? 0 : 1), 0},
            taps{update.id, static_cast<int16_t>(first ? 1 : 0), 0};
        const Trace trace{action::ComputeRoot{of_sum}, action::Reorder{update.id, {along, taps}},
                          action::ComputeAt{of_f, along}, action::StoreAt{of_f, {}}};
        const auto replayed = replay(built.graph, trace);
        EXPECT_EQ(replayed.ok(), !stays);
        if (!replayed.ok()) {
            EXPECT_STREQ(name(replayed.error().reason), "no_window");
        }
    }
}

}  // namespace
}  // namespace cryolite
