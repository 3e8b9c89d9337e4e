// How long the compiler keeps a sum in registers.
#include "code/kernel/stage_code.h"
#include "tests/featurize/scheduled.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

struct RegisterRuns : testing::Test {
    Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 3, "in"};
    Param<int> rows{"rows"};

    // Of a sum over three columns, so many rows and 32 channels. inner: the loops around the body from the inside, by
    // their place in the RDom; -1 is x.
    double runs(const Expr &height, const std::vector<int> &inner) {
        rows.set_estimate(5);
        RDom r(0, 3, 0, height, 0, 32, "r");
        Halide::Func out("out");
        out(x, y) += in(x + r.x, y + r.y, r.z);
        estimate(out, {640, 480});
        estimate(in, {644, 500, 32});
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id;
        const StageId s = built.graph.func(o).stages[1];
        const auto &loops = built.graph.stage(s).loops;
        const std::string names[] = {x.name(), r.x.name(), r.y.name(), r.z.name(), y.name()};
        const auto loop = [&](int i) {
            const auto found = std::ranges::find_if(loops, [&](const StageLoop &l) {
                return l.name == names[static_cast<size_t>(i + 1)];
            });
            return LoopName{s, static_cast<int16_t>(found - loops.begin()), 0};
        };
        std::vector<LoopName> order{loop(3)};
        for (auto i = inner.rbegin(); i != inner.rend(); ++i) order.push_back(loop(*i));
        const LoopNest nest =
            scheduled(built.graph, {action::ComputeRoot{o}, action::Reorder{s, order}});
        StageExpander expander(built.graph);
        const StageCode code = stage_code(nest, s, expander);
        for (const LoadGroup &load : code.body->loads)
            if (load.is_self) return runs_in_registers(*code.stage, load, code.inner);
        return 0;
    }
};

TEST_F(RegisterRuns, AreThoseOfAllReductionLoopsAroundTheBody) {
    EXPECT_EQ(runs(5, {0, 1, 2, -1}), 3 * 5 * 32);
    EXPECT_EQ(runs(5, {0, -1, 1, 2}), 3);
    EXPECT_EQ(runs(5, {-1, 0, 1, 2}), 1);
}

// A loop that may not run at all keeps the store where it is.
TEST_F(RegisterRuns, EndAroundALoopOfUnknownLength) {
    EXPECT_EQ(runs(rows, {0, 1, 2, -1}), 3 * 5);
    EXPECT_EQ(runs(rows, {1, 0, 2, -1}), 5);
}

}  // namespace
}  // namespace cryolite
