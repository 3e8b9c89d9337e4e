// Vectors and tasks along a reduction loop that races only across the steps of a loop around it: Halide is told, and
// the result is that of the steps in order.
#include <functional>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "schedule/trace_text.h"
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

// Of the update's loops r.x (0) and r.y (1), which `actions` arrange.
void expect_result_of_steps(const std::function<Trace(StageId)> &actions) {
    Ways arranged, steps;
    const BuiltGraph built = test::build({arranged.out});
    Trace trace{action::ComputeRoot{test::func(built, arranged.out).id},
                action::ComputeRoot{test::func(built, arranged.ways).id}};
    const Trace loops = actions(test::stage(built, arranged.ways, 1).id);
    trace.insert(trace.end(), loops.begin(), loops.end());
    const Result<LoopNest, ReplayFailure> nest = replay(built.graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    ASSERT_EQ(validate(*nest), "");
    const Trace canonical = trace_of(*nest);
    EXPECT_EQ(*parse_trace(built.graph, to_text(built.graph, canonical)), canonical);
    const Result<Emitted> emitted = emit(built, *nest);
    ASSERT_TRUE(emitted.ok());
    EXPECT_NE(emitted->source.find(".allow_race_conditions()"), std::string::npos);
    EXPECT_EQ(arranged.result(), steps.result());
}

TEST(LoopsInOrder, ComputeInVectorsWhatTheStepsDo) {
    expect_result_of_steps([](StageId s) {
        return Trace{action::Tile{s, 0, {16}}, action::Vectorize{s, 0, 8},
                     action::Unroll{{s, 0, 1}}};
    });
}

TEST(LoopsInOrder, ComputeInTasksWhatTheStepsDo) {
    expect_result_of_steps([](StageId s) {
        return Trace{action::Tile{s, 0, {16}}, action::Vectorize{s, 0, 8},
                     action::Parallel{s, 1, 1}};
    });
    // Steps of two rows.
    expect_result_of_steps([](StageId s) {
        return Trace{action::Tile{s, 0, {16}}, action::Tile{s, 1, {2}}, action::Parallel{s, 1, 2}};
    });
}

// Steps that stood inside of the vectors would read what the rows before have not stored yet.
TEST(LoopsInOrder, AreNotTheStepsThemselves) {
    Ways ways;
    const BuiltGraph built = test::build({ways.out});
    const StageId update = test::stage(built, ways.ways, 1).id;
    const Result<LoopNest, ReplayFailure> nest = replay(
        built.graph,
        Trace{action::ComputeRoot{test::func(built, ways.out).id},
              action::ComputeRoot{test::func(built, ways.ways).id}, action::Vectorize{update, 0, 8},
              action::Reorder{update, {{update, 0, 0}, {update, 1, 0}, {update, 0, 1}}}});
    EXPECT_FALSE(nest.ok());
    const LoopNest placed =
        *replay(built.graph, Trace{action::ComputeRoot{test::func(built, ways.out).id},
                                   action::ComputeRoot{test::func(built, ways.ways).id}});
    EXPECT_EQ(apply(placed, action::Parallel{update, 1}).error(), Reason::NotParallelizable);
    EXPECT_EQ(apply(placed, action::Parallel{update, 2}).error(), Reason::NotParallelizable);
    EXPECT_TRUE(apply(placed, action::Parallel{update, 1, 1}).ok());
}

// Halide's tasks are those of one loop, and each of the update's loops carries nothing here once the others stand still.
TEST(LoopsInOrder, StandOutsideOfWhatMovesTheirPoints) {
    Var x{"x"};
    Halide::Func count{"count"}, out{"out"};
    RDom r{0, 32, 0, 8, "r"};
    count(x) = 0;
    count(r.x + r.y) += 1;
    out(x) = count(x);
    test::estimate(out, {39});
    const BuiltGraph built = test::build({out});
    const StageId update = test::stage(built, count, 1).id;
    const LoopNest placed =
        *replay(built.graph, Trace{action::ComputeRoot{test::func(built, out).id},
                                   action::ComputeRoot{test::func(built, count).id}});
    EXPECT_TRUE(apply(placed, action::Parallel{update, 1, 1}).ok());
    const LoopNest swapped =
        *apply(placed, action::Reorder{update, {{update, 0, 0}, {update, 1, 0}}});
    EXPECT_EQ(apply(swapped, action::Parallel{update, 1}).error(), Reason::NotParallelizable);
    EXPECT_EQ(apply(*apply(placed, action::Parallel{update, 1, 1}),
                    action::Reorder{update, {{update, 0, 0}, {update, 1, 0}}})
                  .error(),
              Reason::NotReorderable);
}

TEST(LoopsInOrder, OfPureDefinitionsAreOutermostIfParallel) {
    Ways ways;
    const BuiltGraph built = test::build({ways.out});
    const StageId pure = test::stage(built, ways.ways, 0).id;
    const LoopNest placed =
        *replay(built.graph, Trace{action::ComputeRoot{test::func(built, ways.out).id},
                                   action::ComputeRoot{test::func(built, ways.ways).id}});
    EXPECT_EQ(apply(placed, action::Parallel{pure, 1, 1}).error(), Reason::NotParallelizable);
    EXPECT_EQ(apply(placed, action::Parallel{pure, 1, -1}).error(), Reason::NotParallelizable);
}

}  // namespace
}  // namespace cryolite
