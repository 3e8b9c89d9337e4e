// Every pipeline of the corpus gets a schedule that Halide takes and that computes the right values,
// within the limits of CPU time and memory.
// The search is smaller than by default, so that all of it fits into every run of the tests; the
// program robustness_report does the same at the defaults and reports time and memory.
#include <cstdlib>
#include <set>

#include "tests/robustness/expect_sound.h"

namespace cryolite::robustness {
namespace {

class Robustness : public ::testing::TestWithParam<Theme> {};

TEST_P(Robustness, GetsLegalSchedulesAndTheRightValuesWithinItsLimits) {
    warm_up();
    for (const Entry &entry : GetParam().entries) expect_sound(entry);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Robustness, ::testing::ValuesIn(corpus(small_image)),
                         [](const auto &info) { return info.param.name; });

TEST(RobustnessCorpus, HasNamesOfItsOwn) {
    std::set<std::string> names;
    for (const Theme &theme : corpus(small_image))
        for (const Entry &entry : theme.entries)
            EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    for (const Entry &entry : large_graphs(small_image))
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

// The trial itself must notice what it is there for.
TEST(RobustnessTrial, NoticesAWrongValueAReadTooManyAndACrash) {
    warm_up();
    const Entry wrong = {"wrong", "made differently the second time", [](Subject &s) {
                             static int made = 0;
                             const Halide::Var x("x");
                             const Halide::ImageParam in = s.input("in", Halide::Int(32), 1);
                             Halide::Func out("out");
                             out(x) = in(x) + made++;
                             s.output(out, {about(100)});
                         }};
    EXPECT_EQ(try_out(wrong, small_search).outcome, CaseOutcome::Failed);

    const Entry greedy = {"greedy", "reads more the first time", [](Subject &s) {
                              static int made = 0;
                              const Halide::Var x("x");
                              const Halide::ImageParam in = s.input("in", Halide::Int(32), 1);
                              Halide::Func out("out");
                              out(x) = made++ == 0 ? in(x) + min(in(x + 1), -1000) : in(x)-1000;
                              s.output(out, {about(100)});
                          }};
    const TrialReport report = try_out(greedy, small_search);
    EXPECT_EQ(report.outcome, CaseOutcome::Failed);
    EXPECT_NE(report.log.find("Input buffer in is accessed"), std::string::npos) << report.log;

    const Entry crashing = {"crashing", "", [](Subject &) { std::abort(); }};
    EXPECT_EQ(try_out(crashing, small_search).outcome, CaseOutcome::Crashed);
}

}  // namespace
}  // namespace cryolite::robustness
