// Which candidate is taken by its times, and when they are enough.
#include "autotune/choice.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

// Of as many rounds. The times go from seconds * (1 - noise) to seconds * (1 + noise) in each eleven rounds.
Entry timed(double seconds, size_t rounds = 44, double noise = 0, size_t shift = 0) {
    Entry e;
    e.end = Entry::End::Timed;
    for (size_t r = 0; r < rounds; r++) {
        const double at = static_cast<double>((r * 7 + shift) % 11) / 5 - 1;
        e.seconds.push_back(seconds * (1 + noise * at));
    }
    return e;
}

TEST(Choice, is_the_fastest_unless_the_first_is_as_fast) {
    EXPECT_EQ(choice_of({timed(1.0), timed(0.8), timed(0.9)}), 1u);
    EXPECT_EQ(choice_of({timed(1.0), timed(0.995)}), 0u);
    EXPECT_EQ(choice_of({timed(1.0), timed(0.985)}), 1u);
}

TEST(Choice, is_among_those_that_were_timed) {
    Entry wrong = timed(0.1);
    wrong.end = Entry::End::Wrong;
    EXPECT_EQ(choice_of({wrong, timed(1.0), timed(0.9)}), 2u);
    EXPECT_EQ(choice_of({wrong}), std::nullopt);
    EXPECT_TRUE(is_decided({wrong}));
}

TEST(Choice, is_decided_once_no_other_can_be_much_faster) {
    EXPECT_TRUE(is_decided({timed(1.0), timed(1.1)}));
    EXPECT_TRUE(is_decided({timed(1.0), timed(0.9), timed(1.0)}));
    // By 20 % up and down in each round, 10 % are not told apart in ten rounds.
    EXPECT_FALSE(is_decided({timed(1.0, 10, 0.2), timed(0.9, 10, 0.2, 3)}));
    EXPECT_TRUE(is_decided({timed(1.0, 10, 0.01), timed(0.9, 10, 0.01, 3)}));
    // Too few rounds to be sure of anything but a large difference in each.
    EXPECT_FALSE(is_decided({timed(1.0, 3), timed(1.02, 3, 0.1)}));
}

TEST(Choice, that_is_not_the_first_must_be_faster_than_it) {
    // As fast as the first within 1.5 %: it may be by chance. The same between two others does not matter.
    const Entry near_first = timed(0.985, 44, 0.05);
    EXPECT_EQ(choice_of({timed(1.0), near_first}), 1u);
    EXPECT_FALSE(is_decided({timed(1.0), near_first}));
    EXPECT_TRUE(is_decided({timed(1.2), timed(1.0), timed(1.005)}));
}

}  // namespace
}  // namespace cryolite
