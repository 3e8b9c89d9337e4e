// Every kind gets a schedule that Halide takes and that computes the right values, and so does its schedule by
// hand. The kinds have the sizes of real ones: minutes of running. kinds_test has the cheapest.
#include <ostream>

#include "tests/robustness/expect_sound.h"
#include "tests/robustness/kinds/kinds.h"

namespace cryolite::robustness {
namespace {

std::vector<Entry> all_kinds() {
    std::vector<Entry> all;
    for (const Theme &theme : kinds())
        all.insert(all.end(), theme.entries.begin(), theme.entries.end());
    return all;
}

std::vector<Entry> kinds_by_hand() {
    std::vector<Entry> all;
    for (const Entry &entry : all_kinds()) {
        Subject subject;
        entry.make(subject);
        if (subject.hand_schedule) all.push_back(entry);
    }
    return all;
}

std::string name_of(const ::testing::TestParamInfo<Entry> &info) { return info.param.name; }

class Kinds : public ::testing::TestWithParam<Entry> {};

TEST_P(Kinds, GetLegalSchedulesAndTheRightValuesWithinTheirLimits) {
    warm_up();
    expect_sound(GetParam());
}

INSTANTIATE_TEST_SUITE_P(, Kinds, ::testing::ValuesIn(all_kinds()), name_of);

class KindsByHand : public ::testing::TestWithParam<Entry> {};

TEST_P(KindsByHand, ComputeTheRightValues) {
    warm_up();
    const TrialReport report = try_by_hand(GetParam());
    EXPECT_EQ(report.outcome, CaseOutcome::Passed) << name(report.outcome) << "\n" << report.log;
}

INSTANTIATE_TEST_SUITE_P(, KindsByHand, ::testing::ValuesIn(kinds_by_hand()), name_of);

}  // namespace
}  // namespace cryolite::robustness
