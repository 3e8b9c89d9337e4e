// What every pipeline of the corpus must come to, with a search that is small enough for every run of the
// tests.
#pragma once

#include <gtest/gtest.h>

#include "tests/robustness/trial.h"

namespace cryolite::robustness {

inline const Options small_search = {{"beam_size", "4"}, {"tilings", "8"}, {"num_passes", "1"}};

// It is the number of Funcs that matters.
constexpr GraphImage small_image = {.width = 64, .height = 48};

inline void expect_sound(const Entry &entry) {
    SCOPED_TRACE(entry.name + ": " + entry.about);
    const TrialReport report = try_out(entry, small_search);
    EXPECT_EQ(report.outcome, CaseOutcome::Passed) << name(report.outcome) << "\n" << report.log;
    if (report.fell_back) {
        EXPECT_FALSE(entry.known_refusal.empty()) << report.log;
        EXPECT_NE(report.log.find(entry.known_refusal), std::string::npos) << report.log;
    }
    EXPECT_GT(report.funcs, 0u);
    // In CPU seconds and far below them: nothing that a slow or busy machine could change.
    EXPECT_TRUE(report.within_limits())
        << report.cpu_seconds << " CPU seconds, " << report.peak_megabytes << " MB";
}

}  // namespace cryolite::robustness
