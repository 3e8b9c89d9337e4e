// A Func that the user has scheduled keeps that schedule; the others are scheduled around it.
#include <algorithm>
#include <sstream>

#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using testing::expect_same;
using testing::quick;

// The loops of a Func as text. (Where it is computed can be asked only after lowering; the source of
// the schedule shows that nothing was said of it.)
std::string loops(const Halide::Func &func) {
    const Halide::Internal::Function f = func.function();
    std::ostringstream text;
    for (const Halide::Internal::Split &split : f.definition().schedule().splits())
        text << "; split " << split.old_var << " " << split.outer << " " << split.inner << " "
             << split.factor;
    for (const Halide::Internal::Dim &dim : f.definition().schedule().dims())
        text << "; loop " << dim.var << " " << static_cast<int>(dim.for_type);
    text << "; specialisations " << f.definition().specializations().size();
    return text.str();
}

struct Chain {
    Halide::Var x{"x"}, y{"y"}, block{"block"}, within{"within"};
    Halide::Func squares{"squares"}, sums{"sums"}, out{"out"};
    Chain() {
        squares(x, y) = (x * 31 + y * 17) * (x - y);
        sums(x, y) = squares(x, y) + squares(x + 1, y) + squares(x, y + 1);
        out(x, y) = sums(x, y) - sums(x, y + 3);
        out.set_estimates({{0, 200}, {0, 150}});
    }
};

TEST(UserSchedule, of_a_producer_is_left_as_it_is) {
    Chain c;
    c.squares.compute_root().split(c.x, c.block, c.within, 16).vectorize(c.within).parallel(c.y);
    const std::string before = loops(c.squares), out_before = loops(c.out);
    const std::string source = testing::schedule(c.out, quick()).schedule_source;
    EXPECT_EQ(loops(c.squares), before);
    EXPECT_EQ(source.find("squares.compute"), source.npos) << source;
    EXPECT_NE(loops(c.out), out_before) << "the others should be scheduled";
}

TEST(UserSchedule, of_an_output_is_left_as_it_is) {
    Chain c;
    c.out.split(c.y, c.block, c.within, 10).parallel(c.block);
    const std::string before = loops(c.out);
    testing::schedule(c.out, quick());
    EXPECT_EQ(loops(c.out), before);
}

TEST(UserSchedule, and_ours_together_compute_the_right_values) {
    for (const std::vector<int32_t> &size :
         std::vector<std::vector<int32_t>>{{200, 150}, {33, 21}, {16, 10}}) {
        expect_same(
            [] {
                Chain c;
                c.squares.compute_root().vectorize(c.x, 8, Halide::TailStrategy::GuardWithIf);
                return Halide::Pipeline(c.out);
            },
            size);
        expect_same(
            [] {
                Chain c;
                c.out.split(c.y, c.block, c.within, 10, Halide::TailStrategy::GuardWithIf)
                    .parallel(c.block);
                c.sums.compute_at(c.out, c.within);
                return Halide::Pipeline(c.out);
            },
            size);
    }
}

TEST(UserSchedule, is_kept_with_what_lies_between_a_func_and_its_place) {
    for (const std::vector<int32_t> &size :
         std::vector<std::vector<int32_t>>{{200, 150}, {33, 21}, {1, 1}}) {
        expect_same(
            [] {
                Chain c;
                c.out.split(c.y, c.block, c.within, 10, Halide::TailStrategy::GuardWithIf);
                c.squares.compute_at(c.out, c.block);
                return Halide::Pipeline(c.out);
            },
            size);
    }
}

TEST(UserSchedule, takes_our_funcs_into_its_loops) {
    Chain c;
    // A sum, which cannot be inlined.
    const Halide::RDom r(0, 3);
    Halide::Func both("both"), last("last");
    both(c.x, c.y) = 0;
    both(c.x, c.y) += c.squares(c.x + r, c.y);
    last(c.x, c.y) = both(c.x, c.y) + both(c.x, c.y + 1);
    last.set_estimates({{0, 200}, {0, 150}});
    last.split(c.y, c.block, c.within, 10, Halide::TailStrategy::GuardWithIf).parallel(c.block);
    c.squares.compute_at(last, c.block);
    const std::string source = testing::schedule(last, quick()).schedule_source;
    EXPECT_NE(source.find("both.compute_at(last, "), source.npos) << source;
}

TEST(UserSchedule, is_complete_after_the_first_call) {
    Chain c;
    testing::schedule(c.out, quick());
    const std::string before = loops(c.out) + loops(c.sums) + loops(c.squares);
    ::testing::internal::CaptureStderr();
    const std::string source = testing::schedule(c.out, quick({{"seed", "7"}})).schedule_source;
    const std::string warned = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(warned.find("all Funcs are scheduled already"), warned.npos) << warned;
    EXPECT_EQ(loops(c.out) + loops(c.sums) + loops(c.squares), before);
    for (const char *call : {".compute_", ".split", ".vectorize", ".parallel"})
        EXPECT_EQ(source.find(call), source.npos) << source;
    Halide::Buffer<int32_t> found = c.out.realize({33, 21}),
                            expected = Chain().out.realize({33, 21});
    for (int y = 0; y < 21; y++)
        for (int x = 0; x < 33; x++) ASSERT_EQ(found(x, y), expected(x, y)) << x << " " << y;
}

TEST(UserSchedule, that_is_kept_is_named_in_a_warning) {
    Chain c;
    c.sums.compute_root();
    ::testing::internal::CaptureStderr();
    testing::schedule(c.out, quick());
    const std::string warned = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(
        warned.find("left as they are scheduled: " + c.sums.name() + " (it has a compute level)"),
        warned.npos)
        << warned;
    EXPECT_EQ(std::ranges::count(warned, '\n'), 1) << warned;
}

TEST(UserSchedule, that_halide_refuses_fails_the_call_with_the_reason) {
    Chain c;
    c.sums.compute_root();
    c.squares.compute_at(c.out, c.y);  // sums, at root, reads it, too
    const std::string complaint = testing::complaint(c.out, quick());
    EXPECT_EQ(complaint.rfind("Cryolite: ", 0), 0u) << complaint;
    EXPECT_NE(complaint.find("squares"), complaint.npos) << complaint;
}

TEST(UserSchedule, with_no_place_for_a_func_leaves_it_to_halide_and_says_so) {
    Chain c;
    const Halide::RDom r(0, 3);
    Halide::Func window("window");
    window(c.x, c.y) = 0;
    window(c.x, c.y) += c.squares(c.x, c.y + r);
    Halide::Func last("last");
    last(c.x, c.y) = window(c.x, c.y);
    last.set_estimates({{0, 200}, {0, 150}});
    c.squares.store_root().compute_at(last, c.y);
    ::testing::internal::CaptureStderr();
    testing::schedule(last, quick());
    const std::string warned = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(warned.find("Func " + window.name() + " is left"), warned.npos) << warned;
}

}  // namespace
}  // namespace cryolite
