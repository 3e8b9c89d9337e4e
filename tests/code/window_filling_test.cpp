// Windows that are filled through other Funcs of their loop reach further than they must.
#include <gtest/gtest.h>

#include "tests/code/refusals.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using testing::refusal;

// grey → between → sums → out, on an input that has no row more than they reach. Found in a corner detector, whose
// input was read two rows before its first.
struct Chain {
    Halide::Var x{"x"}, y{"y"};
    Halide::ImageParam in{Halide::Float(32), 2, "in"};
    Halide::Func grey{"grey"}, between{"between"}, sums{"sums"}, out{"out"};
    BuiltGraph built = build();

    BuiltGraph build() {
        grey(x, y) = in(x, y) * 2;
        between(x, y) = grey(x, y - 1) * grey(x, y + 1);
        sums(x, y) = between(x, y) + 1;
        out(x, y) = sums(x, y - 1) + sums(x, y) + sums(x, y + 1);
        out.set_estimates({{2, 640}, {2, 480}});
        in.set_estimates({{2, 640}, {0, 484}});
        return test::build({out});
    }
    FuncId id(const Halide::Func &f) const { return test::func(built, f).id; }
    // All at the loop of two rows, inside strips of 32.
    Trace trace(bool sums_in_window) const {
        const StageId o = built.graph.func(id(out)).stages[0];
        const LoopName strips{o, 1, 0}, pairs{o, 1, 1};
        Trace t{action::ComputeRoot{id(out)}, action::Tile{o, 1, {16, 2}},
                action::Reorder{o, {strips, pairs, {o, 0, 0}, {o, 1, 2}}},
                action::ComputeAt{id(sums), pairs}};
        if (sums_in_window) t.push_back(action::StoreAt{id(sums), strips});
        t.push_back(action::ComputeAt{id(between), pairs});
        t.push_back(action::ComputeAt{id(grey), pairs});
        return t;
    }
    std::string window_of_grey(bool sums_in_window) const {
        const StageId o = built.graph.func(id(out)).stages[0];
        return refusal(built.graph, trace(sums_in_window),
                       action::StoreAt{id(grey), LoopName{o, 1, 0}});
    }
};

TEST(WindowFilling, reaches_too_far_through_a_func_without_a_window) {
    EXPECT_EQ(Chain().window_of_grey(true), name(Reason::WindowOvershoots));
}

TEST(WindowFilling, is_exact_where_no_other_window_starts_the_loop_earlier) {
    EXPECT_EQ(Chain().window_of_grey(false), "accepted");
}

}  // namespace
}  // namespace cryolite
