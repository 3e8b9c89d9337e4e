// What the tasks of a kernel take from malloc, and how long it lives there.
#include "analytical/memory/loop_blocks.h"

#include <gtest/gtest.h>

#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

constexpr int width = 1000, rows = 64;

// Three stencils of rows, one read by the next, in strips of `rows` rows.
class ThreeSteps : public ::testing::Test {
protected:
    ThreeSteps() {
        const auto step = [this](Halide::Func from) { return from(x, y) + from(x, y + 1); };
        a(x, y) = in(x, y) * 2.0f;
        b(x, y) = step(a);
        c(x, y) = step(b);
        out(x, y) = step(c);
        estimate(out, {width, 16 * rows});
    }

    // `inner`: b and c are computed in the loop over the strip's rows, and stored around it.
    LoopBlocks blocks(bool inner) {
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id;
        const StageId s = built.graph.func(o).stages[0];
        const auto id = [&](const Halide::Func &f) { return func(built, f).id; };
        const LoopName strip{s, 1, 0}, row{s, 1, 1};
        Trace trace{action::ComputeRoot{o}, action::Tile{s, 1, {rows}}};
        const LoopName at = inner ? row : strip;
        for (const Halide::Func &f : {c, b}) {
            trace.push_back(action::ComputeAt{id(f), at});
            if (inner) trace.push_back(action::StoreAt{id(f), strip});
        }
        trace.push_back(action::ComputeAt{id(a), strip});
        const LoopNest nest = test::scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        FootprintWalker walker(built.graph);
        const std::vector<FuncId> members{o, id(c), id(b), id(a)};
        const KernelWork work(built.graph, test::some_machine(), expander, walker, nest, members);
        std::vector<size_t> allocated;
        for (size_t i = 0; i < work.stages().size(); i++)
            if (work.stages()[i].code->stage->func != o) allocated.push_back(i);
        for (const FuncId f : members)
            if (f != o) bytes_.push_back(work.members().at(f).allocated_bytes);
        const BothBounds<LoopBlocks> both = blocks_in_loops(built.graph, work, allocated);
        EXPECT_EQ(both[0].levels[0].extent, both[1].levels[0].extent) << "nothing is clamped";
        return both[0];
    }

    double bytes_of_c() const { return bytes_[0]; }
    double bytes_of_b() const { return bytes_[1]; }
    double bytes_of_a() const { return bytes_[2]; }

    Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Halide::Func a{"a"}, b{"b"}, c{"c"}, out{"out"};
    std::vector<double> bytes_;
};

TEST_F(ThreeSteps, EachBlockLivesUntilItsReaderIsDone) {
    const LoopBlocks one_by_one = blocks(false);
    EXPECT_DOUBLE_EQ(bytes_of_a(), (rows + 3) * width * 4.0);
    EXPECT_DOUBLE_EQ(one_by_one.largest, bytes_of_a());
    EXPECT_DOUBLE_EQ(one_by_one.levels[0].extent, bytes_of_a() + bytes_of_b())
        << "c is where a was";
}

// Found in Jacobi's method on a Zen 5: two blocks of 2.1 MB were believed to live one after another, but the second
// one is filled row by row out of the first, and both were given back in every task.
TEST_F(ThreeSteps, ABlockThatIsReadInALoopLivesUntilItsEnd) {
    const LoopBlocks in_a_loop = blocks(true);
    EXPECT_DOUBLE_EQ(in_a_loop.largest, bytes_of_a());
    EXPECT_DOUBLE_EQ(in_a_loop.levels[0].extent, bytes_of_a() + bytes_of_b() + bytes_of_c());
}

// A sum over 15 rows of a stencil, computed for strips of the output.
class SumInStrips : public ::testing::Test {
protected:
    SumInStrips() {
        a(x, y) = in(x, y) * 2.0f;
        sum(x, y) = 0.0f;
        sum(x, y) += a(x, y + r);
        out(x, y) = sum(x, y) + 1.0f;
        estimate(out, {width, strips * rows});
    }

    // inside: a is computed in the loop over the rows of the sum, else beside the sum.
    LoopBlocks blocks(bool inside) {
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id, s = func(built, sum).id, p = func(built, a).id;
        const StageId stage = built.graph.func(o).stages[0];
        // The sum's loops are those over r, x and y.
        const LoopName strip{stage, 1, 0}, row{built.graph.func(s).stages[1], 2, 0};
        const LoopNest nest = test::scheduled(
            built.graph, {action::ComputeRoot{o}, action::Tile{stage, 1, {rows}},
                          action::ComputeAt{s, strip}, action::ComputeAt{p, inside ? row : strip}});
        StageExpander expander(built.graph);
        FootprintWalker walker(built.graph);
        const std::vector<FuncId> members{o, s, p};
        const KernelWork work(built.graph, test::some_machine(), expander, walker, nest, members);
        EXPECT_EQ(work.stages()[1].code->stage->func, s);
        EXPECT_EQ(work.stages()[3].code->stage->func, p);
        const std::vector<size_t> allocated{1, 3};
        return blocks_in_loops(built.graph, work, allocated)[0];
    }

    static constexpr int strips = 16, taps = 15;
    static constexpr double sum_bytes = rows * width * 4.0;
    Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Halide::Func a{"a"}, sum{"sum"}, out{"out"};
    RDom r{0, taps, "r"};
};

// The sum reads its input in its update, which runs last of its stages: both blocks are alive at once. Found in a bank
// of filters, whose mean over windows was believed to take the place of what it reads.
TEST_F(SumInStrips, LivesBesideWhatItReads) {
    const LoopBlocks beside = blocks(false);
    EXPECT_EQ(beside.levels[0].times, strips);
    EXPECT_DOUBLE_EQ(beside.levels[0].extent, sum_bytes + (rows + taps - 1) * width * 4.0);
    EXPECT_EQ(beside.levels[1].times, 0) << "both are freed once per strip";
}

TEST_F(SumInStrips, IsBoundedForTiles) { EXPECT_EQ(blocks(false).levels[0].inexact, 1); }

TEST_F(SumInStrips, HasLevelsOfBlocks) {
    const LoopBlocks inside = blocks(true);
    EXPECT_EQ(inside.levels[0].times, strips);
    EXPECT_DOUBLE_EQ(inside.levels[0].extent, sum_bytes + taps * width * 4.0);
    EXPECT_EQ(inside.levels[1].times, strips * rows);
    EXPECT_DOUBLE_EQ(inside.levels[1].extent, taps * width * 4.0);
    EXPECT_EQ(inside.levels[2].times, 0);
}

// A Func of whole images, in a loop over them.
TEST(LoopBlocks, NoTileBoundsWhatIsWhole) {
    Var x{"x"}, y{"y"}, n{"n"};
    ImageParam in{Float(32), 3, "in"};
    Halide::Func a{"a"}, out{"out"};
    a(x, y, n) = in(x, y, n) * 2.0f;
    out(x, y, n) = a(y, x, n) + 1.0f;
    estimate(out, {256, 256, 8});
    const BuiltGraph built = build({out});
    const FuncId o = func(built, out).id, f = func(built, a).id;
    const LoopNest nest = test::scheduled(
        built.graph, {action::ComputeRoot{o},
                      action::ComputeAt{f, LoopName{built.graph.func(o).stages[0], 2, 0}}});
    StageExpander expander(built.graph);
    FootprintWalker walker(built.graph);
    const std::vector<FuncId> members{o, f};
    const KernelWork work(built.graph, test::some_machine(), expander, walker, nest, members);
    const std::vector<size_t> allocated{1};
    EXPECT_EQ(blocks_in_loops(built.graph, work, allocated)[0].levels[0].inexact, 0);
}

}  // namespace
}  // namespace cryolite
