// Core-bound cycles of updates under predicates.
#include "analytical/cycles/stage_cycles.h"

#include "analytical/cycles/access_cycles.h"

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

// Sixteen operations, of which a predicate lets pass the one that each step names.
struct InterpreterCycles : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 3, "input"}, program{Int(32), 1, "program"};
    Halide::Func pixel{"pixel"}, out{"out"};
    static constexpr int operations = 16, steps = 10;

    BuiltGraph interpreter(bool predicate) {
        RDom r(0, operations, 0, steps, "r");
        if (predicate) r.where(r.x == program(r.y));
        pixel(x, y) = 0.0f;
        std::vector<Expr> ways;
        for (int i = 0; i < operations; i++)
            ways.push_back(sqrt(pixel(x, y) * static_cast<float>(i) + input(x, y, r.y)));
        pixel(x, y) = mux(r.x, ways);
        out(x, y) = pixel(x, y) + 1.0f;
        estimate(out, {640, 480});
        estimate(program, {steps});
        return build({out});
    }
    StageCycles of(const BuiltGraph &built, const std::vector<int16_t> &unrolled) {
        const Func &f = func(built, pixel);
        const StageId update = f.stages[1];
        const Stage &stage = built.graph.stage(update);
        const int16_t along = test::loop_over(stage, 0);
        const auto lanes = static_cast<int16_t>(some_machine().vector_bytes / 4);
        Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{f.id},
                    action::Vectorize{update, along, lanes}};
        std::vector<LoopName> order{{update, test::loop_over(stage, 1), 0}, {update, along, 0}};
        for (int16_t loop : {int16_t{1}, int16_t{0}}) order.push_back({update, loop, 0});
        order.push_back({update, along, 1});
        trace.push_back(action::Reorder{update, order});
        for (int16_t loop : unrolled) trace.push_back(action::Unroll{{update, loop, 0}});
        const LoopNest nest = scheduled(built.graph, trace);
        return test::cycles_of(nest, some_machine(), update);
    }
};

TEST_F(InterpreterCycles, AnUnrolledCopyIsOneOperation) {
    for (const bool predicate : {false, true}) {
        pixel = Halide::Func("pixel");
        out = Halide::Func("out");
        const BuiltGraph built = interpreter(predicate);
        const StageCycles rolled = of(built, {}), unrolled = of(built, {0});
        EXPECT_GT(rolled.arithmetic, 8 * unrolled.arithmetic);
        // All copies together are about what one body was.
        EXPECT_LT(unrolled.code_operations, 2 * rolled.code_operations);
        EXPECT_NEAR(of(built, {0, 1}).code_operations, steps * unrolled.code_operations, 1);
    }
}

TEST_F(InterpreterCycles, APredicateLeavesTheRunsThatItLetsPass) {
    const StageCycles all = of(interpreter(false), {});
    pixel = Halide::Func("pixel");
    out = Halide::Func("out");
    const StageCycles some = of(interpreter(true), {});
    EXPECT_GT(all.arithmetic, 8 * some.arithmetic);
    // The sum stays in a register either way: what is left of it is as before.
    EXPECT_GT(all.memory_operations(), some.memory_operations());
}

// Votes of bright pixels, by angle: the angles around the pixels, or inside.
struct VotingCycles : testing::Test {
    static constexpr int width = 512, height = 384, angles = 64;

    StageCycles of(int threshold, bool angles_inside, int columns = width) {
        Var x{"x"}, a{"a"};
        ImageParam pixels{UInt(8), 2, "pixels"};
        Halide::Func votes{"votes"}, out{"out"};
        RDom r(0, columns, 0, height, "r");
        r.where(pixels(r.x, r.y) > threshold);
        votes(x, a) = 0;
        votes(clamp(r.x * a / 64 + r.y, 0, 1023), a) += 1;
        out(x, a) = votes(x, a);
        out.bound(x, 0, 1024).bound(a, 0, angles);
        estimate(out, {1024, angles});
        const BuiltGraph built = build({out});
        const Func &f = func(built, votes);
        const StageId update = f.stages[1];
        const Stage &stage = built.graph.stage(update);
        const int16_t along = test::loop_over(stage, 1);
        Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{f.id}};
        if (angles_inside)
            trace.push_back(
                action::Reorder{update, {{update, 1, 0}, {update, 0, 0}, {update, along, 0}}});
        const LoopNest nest = scheduled(built.graph, trace);
        return test::cycles_of(nest, some_machine(), update);
    }
};

TEST_F(VotingCycles, AConditionOnLoadedValuesIsTestedAndForetoldWrongly) {
    const Machine &machine = some_machine();
    const double tests = double(width) * height;
    const StageCycles hardly = of(254, true), seldom = of(229, true), often = of(127, true);
    // 26 of 256 bytes pass, and so many branches are a surprise. Half of them are with the other threshold.
    const double surprised = tests * machine.core.misprediction_cycles;
    EXPECT_GT(seldom.loops, 0.1 * surprised);
    EXPECT_GT(often.loops, seldom.loops + 0.35 * surprised);
    EXPECT_LT(hardly.loops, 0.05 * surprised + 3 * tests * machine.loop_iteration_cycles);
    // Fewer pass: so much less is done in all.
    EXPECT_GT(often.arithmetic, 2 * seldom.arithmetic);
    // Asked for every angle, the pixels cost as many times more.
    const StageCycles outside = of(229, false);
    EXPECT_GT(outside.loops, 10 * seldom.loops);
    EXPECT_GT(outside.memory_operations(), 1.5 * seldom.memory_operations());
}

TEST_F(VotingCycles, FewOutcomesAreLearned) {
    const Machine &machine = some_machine();
    const auto per_test = [&](int columns) {
        return of(127, true, columns).loops / (columns * height);
    };
    // 4 x 384 outcomes are foretold when they come again; 64 x 384 are not.
    EXPECT_GT(per_test(64), per_test(4) + 0.3 * machine.core.misprediction_cycles);
}

// Sums of rows that have lengths of their own, over gathered values.
TEST(RaggedRows, AreAsSurprisingLaneByLaneAsRowByRow) {
    constexpr int rows = 4096, longest = 16;
    Var i{"i"};
    ImageParam lengths{Int(32), 1, "lengths"}, columns{Int(32), 2, "columns"},
        values{Float(32), 1, "values"};
    Halide::Func sums{"sums"}, out{"out"};
    RDom k(0, longest, "k");
    k.where(k < lengths(i));
    sums(i) = 0.0f;
    sums(i) += values(clamp(columns(i, k), 0, rows - 1));
    out(i) = sums(i);
    estimate(lengths, {rows});
    estimate(columns, {rows, longest});
    estimate(values, {rows});
    estimate(out, {rows});
    const BuiltGraph built = build({out});
    const Func &f = func(built, sums);
    const StageId update = f.stages[1];
    const auto along = test::loop_over(built.graph.stage(update), 0);
    const auto loops = [&](const Trace &then) {
        Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{f.id}};
        trace.insert(trace.end(), then.begin(), then.end());
        return test::cycles_of(scheduled(built.graph, trace), some_machine(), update).loops;
    };
    const double surprised = 0.25 * rows * longest * some_machine().core.misprediction_cycles;
    const LoopName step{update, 0, 0}, row{update, along, 0}, lane{update, along, 1};
    EXPECT_GT(loops({action::Reorder{update, {step, row}}}), surprised);
    EXPECT_GT(
        loops({action::Vectorize{update, along, 8}, action::Reorder{update, {row, step, lane}}}),
        surprised);
}

}  // namespace
}  // namespace cryolite
