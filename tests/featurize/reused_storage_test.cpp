// Memory that one Func gives back holds a later one, so that a loop touches less than the sum of what is stored in it.
#include <gtest/gtest.h>

#include "featurize/counts/kernel_work.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

constexpr int width = 1024, rows = 32;
constexpr double block = 4.0 * width * rows;
constexpr double line = 64;  // an input may begin anywhere in one

// A chain of pointwise Funcs, all computed and stored in strips of `rows` rows.
class Chain : public ::testing::Test {
protected:
    Chain() {
        const ImageParam in(Float(32), 2, "in");
        steps_.emplace_back("first");
        steps_[0](x_, y_) = in(x_, y_) * 2.0f;
        for (int i = 1; i < 4; i++) {
            steps_.emplace_back("step_" + std::to_string(i));
            steps_.back()(x_, y_) = steps_[static_cast<size_t>(i) - 1](x_, y_) + 1.0f;
        }
    }

    // Bytes that one strip touches.
    double working_set(const Expr &value) {
        out_(x_, y_) = value;
        estimate(out_, {width, 16 * rows});
        const BuiltGraph built = build({out_});
        const FuncId o = func(built, out_).id;
        const LoopName strip{built.graph.func(o).stages[0], 1, 0};
        Trace trace{action::ComputeRoot{o}, action::Tile{strip.stage, 1, {rows}}};
        std::vector<FuncId> members{o};
        for (size_t i = steps_.size(); i-- > 0;) {
            members.push_back(func(built, steps_[i]).id);
            trace.push_back(action::ComputeAt{members.back(), strip});
        }
        const LoopNest nest = test::scheduled(built.graph, trace);
        StageExpander expander(built.graph);
        FootprintWalker walker(built.graph);
        const KernelWork work(built.graph, test::some_machine(), expander, walker, nest, members);
        return work.working_set(work.stages()[0].code->stack[0].id);
    }

    Var x_{"x"}, y_{"y"};
    std::vector<Halide::Func> steps_;
    Halide::Func out_{"out"};
};

TEST_F(Chain, OccupiesWhatIsAliveAtATime) {
    EXPECT_NEAR(working_set(steps_[3](x_, y_) * 3.0f), (2 + 2) * block, line)
        << "the input, the output and two of the four blocks";
}

TEST_F(Chain, KeepsWhatIsReadLater) {
    EXPECT_NEAR(working_set(steps_[3](x_, y_) * steps_[0](x_, y_)), (2 + 3) * block, line);
}

}  // namespace
}  // namespace cryolite
