// How often a stage does what it computes, with others inlined and its loops unrolled, counted by hand.
#include "code/stage/expanded_stage.h"
#include "code/stage/inner_loops.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

struct Computations : testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam input{UInt(8), 2, "input"};
    Halide::Func out{"out"};
    RDom taps{0, 3, 0, 3, "taps"};

    // Operations of the kind in one body of the stage's inner loops, over the runs of the body that share
    // them.
    static double per_body(const BuiltGraph &built, StageId stage, const Trace &trace, OpKind kind,
                           bool over_runs = false) {
        const LoopNest nest = scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        const InnerLoops in = inner_loops(nest.graph().stage(stage), nest.stage_nest(stage));
        double n = 0;
        for (const Computation &what : expander.expand(nest, stage).computations)
            for (const OperationCount &o : what.operations)
                if (o.kind == kind)
                    n += o.count * repeats_per_body(what, in) /
                         (over_runs ? runs_per_repeat(what, in) : 1);
        return n;
    }

    static Trace at_root(const BuiltGraph &built, const Halide::Func &f, Trace then) {
        Trace trace{action::ComputeRoot{func(built, f).id}};
        trace.insert(trace.end(), then.begin(), then.end());
        return trace;
    }

    // `dim` in groups of `factor` that are unrolled, innermost.
    static Trace unrolled(const Stage &stage, int16_t dim, int64_t factor) {
        std::vector<LoopName> order;
        for (size_t d = stage.loops.size(); d-- > 0;)
            order.push_back({stage.id, static_cast<int16_t>(d), 0});
        order.push_back({stage.id, dim, 1});
        return {action::Tile{stage.id, dim, {factor}}, action::Reorder{stage.id, order},
                action::Unroll{{stage.id, dim, 1}}};
    }
};

TEST_F(Computations, ARowOfAStencilIsSharedByTheRowsThatNeedIt) {
    Halide::Func row("row");
    row(x, y) = cast<uint16_t>(input(x, y)) + cast<uint16_t>(input(x + 1, y));
    out(x, y) = row(x, y) + row(x, y + 1) + row(x, y + 2);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    const Stage &stage = test::stage(built, out);
    const auto along = [&](int dim) {
        const Trace trace = at_root(built, out, unrolled(stage, test::loop_over(stage, dim), 4));
        return per_body(built, stage.id, trace, OpKind::Cast);
    };
    // Per point two casts in each of three rows; of four rows six are needed, of four columns five.
    EXPECT_EQ(per_body(built, stage.id, at_root(built, out, {}), OpKind::Cast), 6);
    EXPECT_EQ(along(1), 6 * 2);
    EXPECT_EQ(along(0), 3 * 5);
    // The sums of a row are shared between rows, and between no columns.
    const auto sums = [&](int dim) {
        const Trace trace = at_root(built, out, unrolled(stage, test::loop_over(stage, dim), 4));
        return per_body(built, stage.id, trace, OpKind::Add);
    };
    EXPECT_EQ(sums(1), 6 + 4 * 2);
    EXPECT_EQ(sums(0), 4 * 3 + 4 * 2);
}

TEST_F(Computations, CopiesOfAVectorShareNothingWithinIt) {
    out(x, y) = cast<uint16_t>(input(x, y)) + cast<uint16_t>(input(x + 1, y));
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    const Stage &stage = test::stage(built, out);
    const int16_t dx = test::loop_over(stage, 0), dy = test::loop_over(stage, 1);
    const Trace trace =
        at_root(built, out,
                {action::Tile{stage.id, dx, {32, 16}}, action::Vectorize{stage.id, dx, 16},
                 action::Reorder{
                     stage.id,
                     {{stage.id, dy, 0}, {stage.id, dx, 0}, {stage.id, dx, 1}, {stage.id, dx, 2}}},
                 action::Unroll{{stage.id, dx, 1}}});
    EXPECT_EQ(per_body(built, stage.id, trace, OpKind::Cast), 4);
}

// Found in a batch: the pixels of four rows under three taps are those of six rows.
TEST_F(Computations, UnrolledRowsAndTapsReachTheSamePixels) {
    ImageParam kernel(Float(32), 2, "kernel");
    out(x, y) = 0.5f;
    out(x, y) += kernel(taps.x, taps.y) * cast<float>(input(x + taps.x, y + taps.y));
    estimate(out, {64, 32});
    estimate(kernel, {3, 3});
    const BuiltGraph built = build({out});
    const Stage &stage = test::stage(built, out, 1);
    std::vector<int16_t> reductions;
    for (size_t d = 0; d < stage.loops.size(); d++)
        if (stage.loops[d].is_reduction) reductions.push_back(static_cast<int16_t>(d));
    const int16_t dx = test::loop_over(stage, 0), dy = test::loop_over(stage, 1);
    const LoopName rows{stage.id, dy, 1}, rx{stage.id, reductions[0], 0},
        ry{stage.id, reductions[1], 0};
    Trace trace =
        at_root(built, out,
                {action::Tile{stage.id, dy, {4}},
                 action::Reorder{stage.id, {{stage.id, dy, 0}, {stage.id, dx, 0}, ry, rx, rows}},
                 action::Unroll{rows}});
    EXPECT_EQ(per_body(built, stage.id, trace, OpKind::Cast), 4);
    // Each copy of a loop is a loop of its own.
    trace.push_back(action::Unroll{ry});
    EXPECT_EQ(per_body(built, stage.id, trace, OpKind::Cast), 4);
    trace.push_back(action::Unroll{rx});
    EXPECT_EQ(per_body(built, stage.id, trace, OpKind::Cast), 18);
    EXPECT_EQ(per_body(built, stage.id, trace, OpKind::Multiply), 36);
}

TEST_F(Computations, WeightsAreTheSameInAllChannels) {
    ImageParam image(Float(32), 3, "image");
    out(x, y, c) = image(x, y, c) * sqrt(cast<float>(input(x, y)));
    estimate(out, {64, 32, 4});
    estimate(image, {64, 32, 4});
    const BuiltGraph built = build({out});
    const Stage &stage = test::stage(built, out);
    const LoopName lx{stage.id, test::loop_over(stage, 0), 0},
        ly{stage.id, test::loop_over(stage, 1), 0}, lc{stage.id, test::loop_over(stage, 2), 0};
    const auto roots = [&](const std::vector<LoopName> &order, bool unroll) {
        Trace trace = at_root(built, out, {action::Reorder{stage.id, order}});
        if (unroll) {
            trace.insert(trace.end() - 1, action::Tile{stage.id, lc.dim, {4}});
            std::vector<LoopName> &all = std::get<action::Reorder>(trace.back()).order;
            all.push_back({stage.id, lc.dim, 1});
            trace.push_back(action::Unroll{{stage.id, lc.dim, 1}});
        }
        return per_body(built, stage.id, trace, OpKind::SquareRoot, true);
    };
    EXPECT_EQ(roots({lc, ly, lx}, false), 1);
    EXPECT_EQ(roots({ly, lx, lc}, false), 1.0 / 4);
    // The same four times, next to each other: once in the body.
    EXPECT_EQ(roots({lc, ly, lx}, true), 1);
}

TEST_F(Computations, PointsThatAreReachedTwiceAreComputedOnce) {
    Halide::Func half("half"), left("left"), right("right");
    half(x, y) = cast<uint16_t>(input(x, y)) / 2;
    left(x, y) = half(x, y) + half(x + 1, y);
    right(x, y) = half(x + 1, y) + half(x + 2, y);
    out(x, y) = left(x, y) * right(x, y);
    estimate(out, {64, 32});
    const BuiltGraph built = build({out});
    EXPECT_EQ(per_body(built, func(built, out).stages[0], at_root(built, out, {}), OpKind::Cast),
              3);
}

}  // namespace
}  // namespace cryolite
