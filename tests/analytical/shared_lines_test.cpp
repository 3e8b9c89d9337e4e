// Tasks that write the same cache lines again and again.
#include "analytical/memory/shared_lines.h"

#include <gtest/gtest.h>

#include "tests/analytical/cycles_of.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::loop_over;
using test::scheduled;
using test::some_machine;

class SharedLines : public ::testing::Test {
protected:
    SharedLines() {
        estimate(values, {points, 96});
        estimate(group, {points});
    }

    // The update of `sum` in tasks of so many columns, each with the whole reduction inside.
    struct InTasks {
        BuiltGraph built;
        StageId update;
        Trace trace;
        LoopNest nest() const { return scheduled(built.graph, trace); }
        double share() const {
            const LoopNest n = nest();
            return share_on_shared_lines(n, n.stage_nest(update), line_bytes);
        }
        double stores() const { return test::cycles_of(nest(), some_machine(), update).stores; }
    };

    InTasks in_tasks(const Halide::Func &sum, int columns, int64_t of_task) {
        Halide::Func out("out");
        out(x, y) = sum(x, y);
        estimate(out, {columns, groups});
        InTasks t{build({out}), {}, {}};
        const FuncId f = func(t.built, sum).id;
        const StageId s = t.update = t.built.graph.func(f).stages[1];
        const int16_t c = loop_over(t.built.graph.stage(s), 0);
        const int16_t r = loop_over(t.built.graph.stage(s), -1);
        t.trace = {action::ComputeRoot{func(t.built, out).id}, action::ComputeRoot{f},
                   action::Tile{s, c, {of_task}},
                   action::Reorder{s, {{s, c, 0}, {s, r, 0}, {s, c, 1}}}, action::Parallel{s, 1}};
        return t;
    }

    // Columns are summed up by the group of each point.
    InTasks by_group(int columns, int64_t of_task) {
        Halide::Func sum("sum");
        sum(x, y) = 0.0f;
        sum(x, clamp(group(r), 0, groups - 1)) += values(r, x);
        return in_tasks(sum, columns, of_task);
    }

    static constexpr int points = 4096, groups = 16, line_bytes = 64;
    Var x{"x"}, y{"y"};
    RDom r{0, points, "r"};
    ImageParam values{Float(32), 2, "values"}, group{Int(32), 1, "group"};
};

TEST_F(SharedLines, AreThoseAtTheEndsOfATasksColumns) {
    EXPECT_EQ(by_group(8, 4).share(), 1);    // 16 bytes of a row of 32
    EXPECT_EQ(by_group(64, 16).share(), 0);  // a line each
    EXPECT_NEAR(by_group(96, 24).share(), 64.0 / 96, 1e-9);
    EXPECT_EQ(by_group(8, 8).share(), 0);  // one task
}

TEST_F(SharedLines, MatterWhereTheyAreWrittenAgain) {
    const RDom down(1, groups - 1, "down");
    Halide::Func sum("sum");
    sum(x, y) = values(y, x);
    sum(x, down) += sum(x, down - 1);
    EXPECT_EQ(in_tasks(sum, 8, 4).share(), 0);
}

TEST_F(SharedLines, CostEachStore) {
    const double apart = by_group(32, 16).stores(), shared = by_group(32, 4).stores();
    const double stores = 32.0 * points;
    EXPECT_NEAR(shared - apart, stores * some_machine().core.shared_line_cycles, 0.1 * shared);
}

}  // namespace
}  // namespace cryolite
