// What makes code slow to compile is counted.
#include "analytical/compile/compile_cost.h"

#include <gtest/gtest.h>

#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::some_machine;

struct CompileCosts : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam input{Float(32), 2, "input"};

    CodeSize size_of(const BuiltGraph &built, const Trace &trace) {
        return CompileModel(built.graph, some_machine()).size(test::scheduled(built.graph, trace));
    }

    // Sums of a column of `rows` clamped values, unrolled whole.
    CodeSize column(int rows) {
        const Halide::Func clamped = BoundaryConditions::repeat_edge(input);
        RDom r(0, rows, "r");
        Halide::Func sums("sums"), out("out");
        sums(x, y) = 0.0f;
        sums(x, y) += clamped(x, y + r);
        out(x, y) = sums(x, y);
        estimate(out, {512, 512});
        estimate(input, {512, 512});
        const BuiltGraph built = build({out});
        const StageId update = func(built, sums).stages[1];
        const Stage &stage = built.graph.stage(update);
        const int16_t across = test::loop_over(stage, 0), down = test::loop_over(stage, 1),
                      r_dim = test::loop_over(stage, -1);
        return size_of(
            built,
            {action::ComputeRoot{func(built, out).id}, action::ComputeRoot{func(built, sums).id},
             action::Vectorize{update, across, 8},
             action::Reorder{
                 update,
                 {{update, down, 0}, {update, across, 0}, {update, r_dim, 0}, {update, across, 1}}},
             action::Unroll{{update, r_dim, 0}}});
    }

    // A Func of vectors of values that stand two apart, the output itself or one that the output reads.
    CodeSize pairs(bool is_output) {
        Halide::Func copied("copied"), made("made"), out("out");
        copied(x, y) = cast<float>(x + y);
        made(x, y) = copied(2 * x, y) + copied(2 * x + 1, y);
        out(x, y) = made(x, y);
        Halide::Func &last = is_output ? made : out;
        estimate(last, {256, 512});
        const BuiltGraph built = build({last});
        const StageId stage = func(built, made).stages[0];
        Trace trace;
        if (!is_output) trace.push_back(action::ComputeRoot{func(built, out).id});
        trace.push_back(action::ComputeRoot{func(built, made).id});
        trace.push_back(action::Vectorize{stage, test::loop_over(built.graph.stage(stage), 0), 8});
        trace.push_back(action::ComputeRoot{func(built, copied).id});
        return size_of(built, trace);
    }

    // A Func inside an output that reads x / 2, with and without a choice by every second point.
    CodeSize halves(bool chooses) {
        ImageParam input(UInt(16), 2, "input");
        Halide::Func made("made"), out("out");
        const Expr even = input(x / 2, y) * 3, odd = input(x / 2 + 1, y) + input(x / 2, y + 1);
        made(x, y) = chooses ? select(x % 2 == 0, even, odd) : even + odd;
        out(x, y) = made(x, y) + made(x + 1, y);
        estimate(out, {256, 64});
        const BuiltGraph built = build({out});
        const StageId stage = func(built, made).stages[0];
        return size_of(built,
                       {action::ComputeRoot{func(built, out).id},
                        action::ComputeAt{func(built, made).id, {func(built, out).stages[0], 1, 0}},
                        action::Vectorize{stage, 0, 16}});
    }

    // Sums of 8 elements that lie in a row, each vector of sums from 8 rows: the output's own or of a Func inside.
    CodeSize sums_of_rows(bool is_output) {
        Halide::Func made("made"), sums("sums"), out("out");
        RDom r(0, 8, "r");
        made(x, y) = cast<float>(x + y);
        sums(y) = 0.0f;
        sums(y) += made(r, y);
        out(y) = sums(y);
        Halide::Func &last = is_output ? sums : out;
        estimate(last, {256});
        const BuiltGraph built = build({last});
        const StageId update = func(built, sums).stages[1];
        Trace trace;
        if (!is_output) trace.push_back(action::ComputeRoot{func(built, out).id});
        trace.push_back(action::ComputeRoot{func(built, sums).id});
        trace.push_back(
            action::Vectorize{update, test::loop_over(built.graph.stage(update), 0), 8});
        trace.push_back(action::ComputeRoot{func(built, made).id});
        return size_of(built, trace);
    }
};

// Found in a guided filter: sums of 17 rows of two clamped images, for four rows at once, took 20 s to lower.
TEST_F(CompileCosts, GrowWithTheSquareOfTheClampsThatALoopIsCutFor) {
    const CodeSize few = column(8), many = column(16);
    EXPECT_GT(few.cuts, 0);
    EXPECT_DOUBLE_EQ(many.cuts, 4 * few.cuts);
    EXPECT_GT(compile_cost(many).lowering_seconds(), 2 * compile_cost(few).lowering_seconds());
}

// Found in interpolate: four channels of a clamped image share their clamps. They were predicted to be lowered in 3 s,
// and not in a fifth of one, so that the search left out what was 17 % faster.
TEST_F(CompileCosts, CountTheClampsOfUnrolledChannelsOnce) {
    ImageParam image{Float(32), 3, "image"};
    Var c{"c"};
    const Halide::Func clamped = BoundaryConditions::repeat_edge(
        image, {{0, image.width()}, {0, image.height()}, {Expr(), Expr()}});
    Halide::Func out("out");
    out(x, y, c) = clamped(x, y, c) + clamped(x, y + 1, c);
    estimate(out, {512, 512, 4});
    estimate(image, {512, 512, 4});
    const BuiltGraph built = build({out});
    const FuncId id = func(built, out).id;
    const StageId s = func(built, out).stages[0];
    const auto size = [&](int16_t dim, int64_t copies) {
        Trace trace{action::ComputeRoot{id}, action::Tile{s, dim, {copies}},
                    action::Vectorize{s, 0, 8}};
        std::vector<LoopName> order{{s, 2, 0}, {s, 1, 0}, {s, 0, 0}, {s, dim, 1}, {s, 0, 1}};
        trace.push_back(action::Reorder{s, order});
        trace.push_back(action::Unroll{{s, dim, 1}});
        return size_of(built, trace);
    };
    const CodeSize channels = size(2, 4), rows = size(1, 4), fewer_rows = size(1, 2);
    EXPECT_GT(channels.cuts, 0);
    EXPECT_DOUBLE_EQ(channels.cuts / rows.cuts, 1.0 / 16);
    EXPECT_DOUBLE_EQ(fewer_rows.cuts / rows.cuts, 1.0 / 4);
    EXPECT_GT(channels.clamped, fewer_rows.clamped);
}

// Found in a wavelet of several outputs, LLVM's minutes: vectors that may reach past the end of an output load elements
// that lie apart one by one.
TEST_F(CompileCosts, CountElementsUnderMasks) {
    const CodeSize output = pairs(true), inner = pairs(false);
    EXPECT_GT(output.masked, 0);
    EXPECT_GT(output.masked_squares, output.masked);
    EXPECT_EQ(inner.masked, 0);
    EXPECT_GT(compile_cost(output).llvm_seconds(), compile_cost(inner).llvm_seconds());
}

// Found in a demosaicking that compiles in 8 s and was predicted to take 62.
TEST_F(CompileCosts, CountNoElementsWhereAChoiceTakesVectorsApart) {
    EXPECT_GT(halves(false).masked, 0);
    EXPECT_EQ(halves(true).masked, 0);
    EXPECT_EQ(halves(true).shuffled, 0);
}

// Found in a histogram in lanes: 64 vectors of elements apart, under the guards of an odd part, took LLVM minutes.
TEST_F(CompileCosts, CountElementsUnderTheGuardsOfOddPartsManyTimes) {
    const CodeSize output = sums_of_rows(true), inner = sums_of_rows(false);
    EXPECT_EQ(inner.masked, 0);
    EXPECT_GE(output.masked, 10 * 8);
}

struct Halved : CompileCosts {
    int step = 2;
    bool gathers = false;  // one more value is read at a loaded index

    // An image of which one in `step` points is left, filtered by `taps` x `taps`, for `rows` unrolled rows.
    double assumption_cubes(int taps, int rows) {
        Halide::Func made("made"), halved("halved"), out("out");
        made(x, y) = input(x, y) * 2;
        Expr sum = gathers ? made(clamp(cast<int>(input(x, y)), 0, 7), y) : Expr(0.0f);
        for (int i = 0; i < taps; i++)
            for (int j = 0; j < taps; j++) sum += made(step * x + i, step * y + j);
        halved(x, y) = sum;
        out(x, y) = halved(x, y) + halved(x, y + 1);
        estimate(out, {256, 256});
        const BuiltGraph built = build({out});
        const StageId stage = func(built, halved).stages[0];
        const int lanes = some_machine().vector_bytes / 4;
        Trace trace{action::ComputeRoot{func(built, out).id},
                    action::ComputeRoot{func(built, halved).id}};
        if (rows > 1) trace.push_back(action::Tile{stage, 1, {rows}});
        trace.push_back(action::Vectorize{stage, 0, lanes});
        if (rows > 1) {
            trace.push_back(action::Reorder{
                stage, {{stage, 1, 0}, {stage, 0, 0}, {stage, 1, 1}, {stage, 0, 1}}});
            trace.push_back(action::Unroll{{stage, 1, 1}});
        }
        trace.push_back(action::ComputeRoot{func(built, made).id});
        return size_of(built, trace).assumption_cubes;
    }
};

// Found in a local Laplacian filter: an image halved by inlined filters, four rows at once, took LLVM 90 s. Rows whose
// distance is not known share no loads.
TEST_F(Halved, TakesAssumptionsForManyAccesses) {
    EXPECT_GE(assumption_cubes(8, 4), 256.0 * 256 * 256);
    CodeSize size;
    size.assumption_cubes = assumption_cubes(8, 4);
    EXPECT_GT(compile_cost(size).llvm_seconds(), 30);
    EXPECT_GT(assumption_cubes(18, 1), 0);
}

TEST_F(Halved, TakesNoneForFewAccesses) {
    EXPECT_EQ(assumption_cubes(8, 1), 0);
    EXPECT_EQ(assumption_cubes(5, 4), 0);
}

// 800 such loads take LLVM less than a second.
TEST_F(Halved, TakesNoneForStepsOfTheAccessesSize) {
    step = 1;
    EXPECT_EQ(assumption_cubes(10, 4), 0);
}

TEST_F(Halved, TakesNoneBesideGathers) {
    gathers = true;
    EXPECT_EQ(assumption_cubes(8, 4), 0);
}

// Found in a joint bilateral upsampling, whose means of 4 x 4 pixels were kept from being unrolled: the steps of a sum
// share the vectors of a row.
TEST_F(CompileCosts, TakeNoAssumptionsForTheUnrolledStepsOfASum) {
    ImageParam bytes{UInt(8), 2, "bytes"};
    const RDom r(0, 4, 0, 4, "r");
    Halide::Func sums("sums"), out("out");
    sums(x, y) = cast<uint16_t>(0);
    sums(x, y) += cast<uint16_t>(bytes(4 * x + r.x, 4 * y + r.y));
    out(x, y) = sums(x, y);
    estimate(out, {256, 256});
    estimate(bytes, {1024, 1024});
    const BuiltGraph built = build({out});
    const StageId update = func(built, sums).stages[1];
    const Stage &stage = built.graph.stage(update);
    const int16_t across = test::loop_over(stage, 0), down = test::loop_over(stage, 1);
    Trace trace{action::ComputeRoot{func(built, out).id}, action::ComputeRoot{func(built, sums).id},
                action::Tile{update, down, {4}},
                action::Vectorize{update, across, some_machine().vector_bytes / 2}};
    std::vector<LoopName> order{{update, down, 0}, {update, across, 0}, {update, down, 1}};
    std::vector<LoopName> steps;
    for (int16_t l = 0; l < static_cast<int16_t>(stage.loops.size()); l++)
        if (l != across && l != down) steps.push_back({update, l, 0});
    order.insert(order.end(), steps.begin(), steps.end());
    order.push_back({update, across, 1});
    trace.push_back(action::Reorder{update, {order.begin(), order.end()}});
    trace.push_back(action::Unroll{{update, down, 1}});
    for (const LoopName &step : steps) trace.push_back(action::Unroll{step});
    EXPECT_EQ(size_of(built, trace).assumption_cubes, 0);
}

// Found in a chain of 90 Funcs on a GPU, a kernel each: LLVM took 20 s over the code for the host.
TEST_F(CompileCosts, CountFuncsThatAreLaunched) {
    Halide::Func made("made"), out("out");
    made(x) = cast<float>(x);
    out(x) = made(x) + made(x + 1);
    estimate(out, {4096});
    const BuiltGraph built = build({out});
    const auto kernel = [&](const Halide::Func &f) {
        const StageId stage = func(built, f).stages[0];
        return Trace{action::ComputeRoot{func(built, f).id}, action::Tile{stage, 0, {64}},
                     action::MapToBlocks{stage, {{stage, 0, 0}}},
                     action::MapToThreads{stage, {{stage, 0, 1}}}};
    };
    Trace two = kernel(out), one = kernel(out);
    for (const Action &a : kernel(made)) two.push_back(a);
    one.push_back(action::Inline{func(built, made).id});
    EXPECT_EQ(size_of(built, two).launched, 2);
    EXPECT_EQ(size_of(built, one).launched, 1);
    CodeSize many;
    many.launched = 90;
    EXPECT_GT(compile_cost(many).llvm_seconds(), 15);
}

}  // namespace
}  // namespace cryolite
