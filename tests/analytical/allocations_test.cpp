// When pages are fresh: the sizes are those that were tried with glibc.
#include "analytical/allocations.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

constexpr double mega = 1 << 20;

KernelAllocations at_root(double megabytes) { return {megabytes * mega, 1, 0, 0, 0}; }

double fresh(std::initializer_list<double> megabytes) {
    const Machine machine;
    Allocations all(machine);
    for (double m : megabytes) all.add(at_root(m));
    return all.fresh_root(at_root(*megabytes.begin()));
}

TEST(Allocations, OneBlockUpToTheMappingThresholdIsKept) {
    EXPECT_EQ(fresh({1}), 0);
    EXPECT_EQ(fresh({31}), 0);
    EXPECT_EQ(fresh({32}), 1);  // what heads the block makes it larger
    EXPECT_EQ(fresh({33}), 1);
}

TEST(Allocations, TwiceTheLargestBlockIsGivenBack) {
    EXPECT_EQ(fresh({16, 15}), 0);
    EXPECT_GT(fresh({16, 16}), 0.3);
    EXPECT_GT(fresh({16, 15.95}), 0.3);
    EXPECT_EQ(fresh({20, 5, 5}), 0);
    EXPECT_GT(fresh({16, 4, 4, 4, 4}), 0.3);
}

TEST(Allocations, AMappedBlockDoesNotRaiseTheThreshold) {
    EXPECT_EQ(fresh({5, 33}), 0);
    EXPECT_GT(fresh({5, 33, 5, 5}), 0.3);
}

TEST(Allocations, ALittleIsAlwaysKept) {
    EXPECT_EQ(fresh({0.06, 0.06}), 0);
    EXPECT_GT(fresh({0.1, 0.1}), 0.3);
}

TEST(Allocations, LoopsHaveArenasOfTheirOwn) {
    const Machine machine;
    const KernelAllocations tile{0, 0, 0.6 * mega, 0.3 * mega, 1};
    Allocations alone(machine);
    alone.add(tile);
    EXPECT_NEAR(alone.fresh_loops(tile), (0.6 * 1024 - 128) / (0.6 * 1024), 1e-9);
    EXPECT_EQ(alone.fault_seconds(tile), alone.fresh_loops(tile));
    // A larger block elsewhere raises the threshold for all.
    Allocations beside_large(machine);
    beside_large.add(tile);
    beside_large.add(at_root(16));
    EXPECT_EQ(beside_large.fresh_loops(tile), 0);
    EXPECT_EQ(beside_large.fresh_root(at_root(16)), 0);
}

// Blocks below 128 KB are never mapped, and raise no threshold: a task of unsharp with 99 KB and 49 KB
// faulted on all but 128 KB of them every time.
TEST(Allocations, SmallBlocksLeaveTheThresholdLow) {
    const Machine machine;
    const KernelAllocations tile{0, 0, 148 * 1024, 99 * 1024, 1};
    Allocations all(machine);
    all.add(tile);
    EXPECT_NEAR(all.fresh_loops(tile), 20.0 / 148, 1e-9);
}

}  // namespace
}  // namespace cryolite
