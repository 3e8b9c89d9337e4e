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

// What is said of a window of `f` that slides along the rows of an output, whose rows read those of `f`.
std::string window_of_rows(const std::vector<Halide::Expr> &rows, const Halide::Var &y) {
    Halide::Var x{"x"};
    Halide::Func f{"f"}, out{"out"};
    f(x, y) = Halide::cast<float>(x * y);
    Halide::Expr sum = 0.0f;
    for (const Halide::Expr &row : rows) sum += f(x, row);
    out(x, y) = sum;
    out.set_estimates({{0, 640}, {0, 480}});
    const BuiltGraph built = test::build({out});
    const FuncId o = test::func(built, out).id, window = test::func(built, f).id;
    const LoopName row{built.graph.func(o).stages[0], 1, 0};
    return refusal(built.graph, {action::ComputeRoot{o}, action::ComputeAt{window, row}},
                   action::StoreAt{window, std::nullopt});
}

// Halide 21 computes none of the first row. Found in a wavelet by lifting, whose ends are mirrored.
TEST(WindowFilling, misses_first_points_that_a_clamp_from_below_holds) {
    const Halide::Var y{"y"};
    EXPECT_EQ(window_of_rows({max(y - 1, 0), y}, y), name(Reason::NoWindow));
    EXPECT_EQ(window_of_rows({clamp(y - 1, 0, 479), y}, y), name(Reason::NoWindow));
    EXPECT_EQ(window_of_rows({max(y - 1, 0), max(y + 1, 0)}, y), name(Reason::NoWindow));
}

TEST(WindowFilling, is_right_where_a_clamp_from_above_holds_the_last_point_too) {
    const Halide::Var y{"y"};
    EXPECT_EQ(window_of_rows({y - 1, y}, y), "accepted");
    EXPECT_EQ(window_of_rows({y, min(y + 1, 479)}, y), "accepted");
    EXPECT_EQ(window_of_rows({max(y - 1, 0), y, min(y + 1, 479)}, y), "accepted");
    EXPECT_EQ(window_of_rows({clamp(y - 1, 0, 479), clamp(y + 1, 0, 479)}, y), "accepted");
}

}  // namespace
}  // namespace cryolite
