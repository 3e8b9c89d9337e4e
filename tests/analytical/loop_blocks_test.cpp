// What the tasks of a kernel take from malloc, and how long it lives there.
#include "analytical/loop_blocks.h"

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
        EXPECT_EQ(both[0].extent, both[1].extent) << "nothing is clamped";
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
    EXPECT_DOUBLE_EQ(one_by_one.extent, bytes_of_a() + bytes_of_b()) << "c is where a was";
}

// Found in Jacobi's method on a Zen 5: two blocks of 2.1 MB were believed to live one after another, but the second
// one is filled row by row out of the first, and both were given back in every task.
TEST_F(ThreeSteps, ABlockThatIsReadInALoopLivesUntilItsEnd) {
    const LoopBlocks in_a_loop = blocks(true);
    EXPECT_DOUBLE_EQ(in_a_loop.largest, bytes_of_a());
    EXPECT_DOUBLE_EQ(in_a_loop.extent, bytes_of_a() + bytes_of_b() + bytes_of_c());
}

}  // namespace
}  // namespace cryolite
