// Deadlines by a clock that the test turns.
#include "base/deadline.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

TEST(Deadline, passes_when_its_clock_says_so) {
    double now = 100;
    const Deadline d = Deadline::after(5, [&] { return now; });
    EXPECT_EQ(d.left(), 5);
    EXPECT_FALSE(d.passed());
    now = 104.5;
    EXPECT_FALSE(d.passed());
    now = 105;
    EXPECT_TRUE(d.passed());
    now = 107;
    EXPECT_EQ(d.left(), -2);
}

TEST(Deadline, by_default_never_passes) {
    EXPECT_FALSE(Deadline().passed());
    EXPECT_FALSE(Deadline().earlier(1e9).passed());
    EXPECT_GT(Deadline().left(), 1e300);
}

TEST(Deadline, is_shortened_from_now_and_from_its_end) {
    double now = 0;
    const Deadline whole = Deadline::after(10, [&] { return now; });
    now = 4;
    EXPECT_EQ(whole.at_most(3).left(), 3);
    EXPECT_EQ(whole.at_most(30).left(), 6);
    EXPECT_EQ(whole.earlier(2).left(), 4);
    EXPECT_EQ(whole.earlier(2).at_most(100).left(), 4);
    // By a clock of its own, since the one that never passes has none.
    EXPECT_LE(Deadline().at_most(3).left(), 3);
}

}  // namespace
}  // namespace cryolite
