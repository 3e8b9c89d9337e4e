// What Halide's checks of buffers will say of schedules made by hand.
#include "plugin/trial/buffer_checks.h"

#include <gtest/gtest.h>

#include "machine/presets.h"
#include "plugin/trial/verify.h"
#include "search/search.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using Halide::Expr;
using Halide::TailStrategy;
using Halide::Tuple;
using Halide::Var;

std::string failing(const std::vector<Halide::Func> &outputs) {
    const BuiltGraph built = test::build(outputs);
    Halide::Pipeline pipeline(outputs);
    return failing_buffer_check(pipeline.compile_to_module(pipeline.infer_arguments(), "checked"),
                                built.graph);
}

// `first` around all columns of `middle`, which is computed in tiles of `out` and read through a clamp;
// or around a split of them. See code/legality/clamped_loops.h, which refuses the former.
std::string failing_around_clamped_loop(int columns) {
    constexpr int channels = 16, width = 53;
    Var c("c"), x("x"), xo("xo"), xi("xi"), co("co"), ci("ci");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Func first("first"), middle("middle"), out("out");
    first(c, x) = input(c, x) * 2;
    middle(c, x) = first(c, x) + 1;
    const Halide::Func padded = Halide::BoundaryConditions::repeat_edge(
        middle, {{Expr(), Expr()}, {Expr(0), input.dim(1).extent()}});
    out(c, x) = padded(c, x - 1) + padded(c, x + 1);
    input.set_estimates({{0, channels}, {0, width}});
    out.set_estimates({{0, channels}, {0, width}});

    out.split(x, xo, xi, 8, TailStrategy::ShiftInwards).reorder(c, xi, xo);
    middle.compute_at(out, xo).split(c, co, ci, 8, TailStrategy::GuardWithIf);
    if (columns > 0)
        middle.split(x, xo, xi, columns, TailStrategy::GuardWithIf).reorder(ci, xi, xo, co);
    else
        middle.reorder(ci, x, co);
    first.compute_at(middle, co);
    return failing({out});
}

TEST(BufferChecks, fail_around_a_loop_over_a_clamped_side) {
    const std::string found = failing_around_clamped_loop(0);
    EXPECT_NE(found.find("Input buffer input is accessed from 0 to "), std::string::npos) << found;
    EXPECT_NE(found.find("in dimension 1, where it reaches from 0 to 52"), std::string::npos)
        << found;
    EXPECT_EQ(failing_around_clamped_loop(4), "");
}

TEST(BufferChecks, fail_where_a_loop_is_rounded_up_beyond_an_input) {
    for (const bool rounds : {true, false}) {
        Var x("x"), xo("xo"), xi("xi");
        Halide::ImageParam input(Halide::UInt(8), 1, "input");
        Halide::Func mean("mean"), out("out");
        mean(x) = input(x) + input(x + 1);
        out(x) = mean(x) * mean(x + 1);
        input.set_estimates({{0, 102}});
        out.set_estimates({{0, 100}});
        mean.compute_root().split(x, xo, xi, 32,
                                  rounds ? TailStrategy::RoundUp : TailStrategy::GuardWithIf);
        EXPECT_EQ(failing({out}).empty(), !rounds);
    }
}

// Of a tuple that reads its input at an estimated distance; the input is `short_by` columns too small.
std::string failing_at_a_distance(int distance, int short_by) {
    Var x("x"), y("y");
    Halide::ImageParam input(Halide::Float(32), 2, "input");
    Halide::Param<int> by("by");
    Halide::Func two("two"), out("out");
    two(x, y) = Tuple(input(x + by, y), input(x, y + by));
    out(x, y) = Tuple(two(x, y)[0] + two(x + 1, y)[1], two(x, y)[1]);
    by.set_estimate(distance);
    const int beyond = std::abs(distance);
    input.set_estimates({{std::min(0, distance), 64 + std::max(1, beyond) - short_by},
                         {std::min(0, distance), 48 + beyond}});
    out.set_estimates({{0, 64}, {0, 48}});
    two.compute_root();
    return failing({out});
}

TEST(BufferChecks, know_the_estimates_of_scalars) {
    // x + 1 is read to the right of what distances to the left reach.
    EXPECT_EQ(failing_at_a_distance(5, -1), "");
    EXPECT_EQ(failing_at_a_distance(-3, -1), "");
    for (const int distance : {5, -3}) {
        const std::string found = failing_at_a_distance(distance, 2);
        EXPECT_NE(found.find("in dimension 0"), std::string::npos) << distance << ": " << found;
    }
}

// Estimates of an input that are less than what is read are no fault of the schedule.
TEST(BufferChecks, are_no_reason_to_refuse_what_fails_for_the_plain_schedule_too) {
    Var x("x");
    Halide::ImageParam input(Halide::Float(32), 1, "input");
    Halide::Func out("out");
    out(x) = input(x) + input(x + 7);
    input.set_estimates({{0, 10}});
    out.set_estimates({{0, 100}});
    EXPECT_EQ(
        failing({out}),
        "Input buffer input is accessed from 0 to 106 in dimension 0, where it reaches from 0 to "
        "9 at the estimates");
    const BuiltGraph built = test::build({out});
    const Machine machine = *machine_preset("x86-sse4");
    const LoopNest nest = plain_schedule(built.graph, machine);
    EXPECT_EQ(
        what_halide_refuses(Halide::Pipeline(out), built, nest, Halide::get_host_target(), machine),
        "");
}

}  // namespace
}  // namespace cryolite
