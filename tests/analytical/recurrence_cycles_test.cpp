// Waits of cumulative sums and recursive filters for their own steps.
#include "analytical/cycles/recurrence_cycles.h"

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;
using test::some_machine;

struct RecurrenceCycles : testing::Test {
    static constexpr int width = 512, height = 128;
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};

    // Waiting for each step of a sum along the rows.
    using Loops = std::function<Trace(StageId update, int16_t along, int16_t rows)>;
    double waits(const Loops &loops) {
        return waits(loops, [](const Expr &before, const Expr &value) { return value + before; });
    }
    // The same of another scan.
    double waits(const Loops &loops, const std::function<Expr(Expr before, Expr value)> &step,
                 Type type = Float(32)) {
        Halide::Func sum("sum"), out("out");
        RDom r(1, width - 1, "r");
        sum(x, y) = cast(type, input(x, y));
        sum(r, y) = step(sum(r - 1, y), sum(r, y));
        out(x, y) = sum(x, y);
        out.bound(x, 0, width).bound(y, 0, height);
        estimate(out, {width, height});
        const BuiltGraph built = build({out});
        const Func &f = func(built, sum);
        const StageId update = f.stages[1];
        const Stage &stage = built.graph.stage(update);
        Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{f.id}};
        const Trace more =
            loops(update, static_cast<int16_t>(stage.recurrence->loop), test::loop_over(stage, 1));
        trace.insert(trace.end(), more.begin(), more.end());
        const StageCycles cycles =
            test::cycles_of(scheduled(built.graph, trace), some_machine(), update);
        loops_ = cycles.loops / (width * height);
        return cycles.dependence / (width * height);
    }
    double loops_ = 0;  // overhead of the last ones' loops, branches included

    double rolled() {
        return waits([](StageId, int16_t, int16_t) { return Trace{}; });
    }
    double unrolled(int steps) {
        return waits([&](StageId s, int16_t along, int16_t) {
            return Trace{action::Tile{s, along, {steps}}, action::Unroll{{s, along, 1}}};
        });
    }
};

TEST_F(RecurrenceCycles, AreAtLeastTheOperationsOfEachStep) {
    EXPECT_GE(rolled(), 3 * 0.99);
    EXPECT_LT(rolled(), 3 + some_machine().core.store_forward_cycles);
}

// LLVM makes branches of them, which are taken by chance.
TEST_F(RecurrenceCycles, SelectionsOfWholeNumbersAreGuessed) {
    const auto in_rows = [](StageId, int16_t, int16_t) { return Trace{}; };
    waits(
        in_rows, [](const Expr &before, const Expr &value) { return before + value; }, Int(32));
    const double sums = loops_;
    waits(
        in_rows, [](const Expr &before, const Expr &value) { return min(before + 1, value); },
        Int(32));
    EXPECT_GT(loops_, sums + 0.2 * some_machine().core.misprediction_cycles);
}

TEST_F(RecurrenceCycles, AreMoreThroughMemoryFromBodyToBody) {
    EXPECT_GT(unrolled(4), rolled());
    EXPECT_GT(unrolled(4), unrolled(8));
}

TEST_F(RecurrenceCycles, AreFilledBestByRowsThatStandInsideOfUnrolledSteps) {
    constexpr int steps = 128, copies = 8;
    const auto with = [&](bool rows_inside) {
        return waits([&](StageId s, int16_t along, int16_t rows) {
            const LoopName step{s, along, 1}, row{s, rows, 1};
            return Trace{action::Tile{s, along, {steps}}, action::Tile{s, rows, {copies}},
                         action::Reorder{s,
                                         {{s, rows, 0},
                                          {s, along, 0},
                                          rows_inside ? step : row,
                                          rows_inside ? row : step}},
                         action::Unroll{step}, action::Unroll{row}};
        });
    };
    EXPECT_LT(with(true), 0.7 * with(false));
    EXPECT_LT(with(false), rolled());
}

TEST_F(RecurrenceCycles, AreFilledByRowsInsideOfEachStep) {
    const double inside = waits([](StageId s, int16_t along, int16_t rows) {
        return Trace{action::Reorder{s, {{s, along, 0}, {s, rows, 0}}}};
    });
    EXPECT_LT(inside, 0.2 * rolled());
}

}  // namespace
}  // namespace cryolite
