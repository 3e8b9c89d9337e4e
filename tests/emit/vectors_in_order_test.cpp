// Vectors along a reduction loop that races only across the steps of a loop around it: Halide is told, and the result
// is that of the steps in order.
#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

// The cheapest way down a map of costs, row by row.
struct Ways {
    static constexpr int width = 61, height = 9;
    Var x{"x"}, y{"y"};
    Buffer<int> costs{width, height};
    RDom r{1, width - 2, 1, height - 1, "r"};
    Halide::Func ways{"ways"}, out{"out"};

    Ways() {
        costs.for_each_element([&](int i, int j) { costs(i, j) = (i * 37 + j * 11) % 23; });
        ways(x, y) = costs(x, y);
        ways(r.x, r.y) += min(ways(r.x - 1, r.y - 1), ways(r.x, r.y - 1), ways(r.x + 1, r.y - 1));
        out(x, y) = ways(x, y);
        test::estimate(out, {width, height});
    }
    std::vector<int> result() {
        Buffer<int> b = out.realize({width, height});
        return {b.begin(), b.end()};
    }
};

TEST(VectorsInOrder, ComputeWhatTheStepsDo) {
    Ways vectors, steps;
    const BuiltGraph built = test::build({vectors.out});
    const FuncId ways = test::func(built, vectors.ways).id;
    const StageId update = test::stage(built, vectors.ways, 1).id;
    const Result<LoopNest, ReplayFailure> nest =
        replay(built.graph, Trace{action::ComputeRoot{test::func(built, vectors.out).id},
                                  action::ComputeRoot{ways}, action::Tile{update, 0, {16}},
                                  action::Vectorize{update, 0, 8}, action::Unroll{{update, 0, 1}}});
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    ASSERT_EQ(validate(*nest), "");
    const Result<Emitted> emitted = emit(built, *nest);
    ASSERT_TRUE(emitted.ok());
    EXPECT_NE(emitted->source.find(".allow_race_conditions()"), std::string::npos);
    EXPECT_EQ(vectors.result(), steps.result());
}

// Steps that stood inside of the vectors would read what the rows before have not stored yet.
TEST(VectorsInOrder, KeepTheStepsOutside) {
    Ways ways;
    const BuiltGraph built = test::build({ways.out});
    const StageId update = test::stage(built, ways.ways, 1).id;
    const Result<LoopNest, ReplayFailure> nest = replay(
        built.graph,
        Trace{action::ComputeRoot{test::func(built, ways.out).id},
              action::ComputeRoot{test::func(built, ways.ways).id}, action::Vectorize{update, 0, 8},
              action::Reorder{update, {{update, 0, 0}, {update, 1, 0}, {update, 0, 1}}}});
    EXPECT_FALSE(nest.ok());
}

}  // namespace
}  // namespace cryolite
