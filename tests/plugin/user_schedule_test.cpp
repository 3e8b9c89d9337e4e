// A Func that the user has scheduled keeps that schedule; the others are scheduled around it.
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

}  // namespace
}  // namespace cryolite
