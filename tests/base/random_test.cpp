#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace cryolite {
namespace {

TEST(Random, repeats_for_a_seed_and_forks_into_streams_of_their_own) {
    Random a(1), b(1);
    for (int i = 0; i < 100; i++) EXPECT_EQ(a(), b());
    std::set<uint64_t> firsts;
    for (uint64_t i = 0; i < 1000; i++) firsts.insert(Random(1).fork("x", i)());
    EXPECT_EQ(firsts.size(), 1000u);
    // Drawing from the parent afterwards does not change what a fork made before yields.
    Random parent(7);
    Random fork = parent.fork("child");
    parent();
    Random again = Random(7).fork("child");
    EXPECT_EQ(fork(), again());
}

TEST(Random, below_stays_below_and_reaches_all) {
    Random r(3);
    std::set<uint64_t> seen;
    for (int i = 0; i < 1000; i++) {
        const uint64_t v = r.below(7);
        EXPECT_LT(v, 7u);
        seen.insert(v);
    }
    EXPECT_EQ(seen.size(), 7u);
}

}  // namespace
}  // namespace cryolite
