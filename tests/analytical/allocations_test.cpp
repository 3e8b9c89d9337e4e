// When pages are fresh: the sizes are those that were tried with glibc.
#include "analytical/allocations.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

constexpr double mega = 1 << 20;

KernelAllocations at_root(double megabytes) { return {megabytes * mega, 1, 0, 0, 0}; }

bool first_is_fresh(std::initializer_list<double> megabytes) {
    const Machine machine;
    Allocations all(machine);
    for (double m : megabytes) all.add(at_root(m));
    return all.root_is_fresh(at_root(*megabytes.begin()));
}

TEST(Allocations, OneBlockUpToTheMappingThresholdIsKept) {
    EXPECT_FALSE(first_is_fresh({1}));
    EXPECT_FALSE(first_is_fresh({31}));
    EXPECT_TRUE(first_is_fresh({33}));
}

TEST(Allocations, TwiceTheLargestBlockIsGivenBack) {
    EXPECT_FALSE(first_is_fresh({16, 15}));
    EXPECT_TRUE(first_is_fresh({16, 16}));
    EXPECT_FALSE(first_is_fresh({20, 5, 5}));
    EXPECT_TRUE(first_is_fresh({16, 4, 4, 4, 4}));
}

TEST(Allocations, AMappedBlockDoesNotRaiseTheThreshold) {
    EXPECT_FALSE(first_is_fresh({5, 33}));
    EXPECT_TRUE(first_is_fresh({5, 33, 5, 5}));
}

TEST(Allocations, ALittleIsAlwaysKept) {
    EXPECT_FALSE(first_is_fresh({0.06, 0.06}));
    EXPECT_TRUE(first_is_fresh({0.1, 0.1}));
}

TEST(Allocations, LoopsHaveArenasOfTheirOwn) {
    const Machine machine;
    const KernelAllocations tile{0, 0, 0.6 * mega, 0.3 * mega, 1};
    Allocations alone(machine);
    alone.add(tile);
    EXPECT_TRUE(alone.loops_are_fresh(tile));
    EXPECT_EQ(alone.fault_seconds(tile), 1);
    // A larger block elsewhere raises the threshold for all.
    Allocations beside_large(machine);
    beside_large.add(tile);
    beside_large.add(at_root(16));
    EXPECT_FALSE(beside_large.loops_are_fresh(tile));
    EXPECT_FALSE(beside_large.root_is_fresh(at_root(16)));
}

}  // namespace
}  // namespace cryolite
