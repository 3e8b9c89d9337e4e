// When pages are fresh: the sizes are those that were tried with glibc.
#include "analytical/memory/allocations.h"

#include <gtest/gtest.h>

#include "code/kernel/heap_extent.h"

namespace cryolite {
namespace {

constexpr double mega = 1 << 20;

KernelAllocations at_root(double megabytes, int blocks = 1) {
    KernelAllocations k;
    k.root_bytes = megabytes * mega;
    k.largest_root_block = k.root_bytes / blocks;
    k.root_fault_seconds = 1;
    return k;
}

KernelAllocations in_loops(double bytes, double extent, double largest) {
    KernelAllocations k;
    k.loop_bytes = bytes;
    k.in_loops.fill({largest, {HeapLevel{1, extent}}});
    k.loop_fault_seconds = 1;
    return k;
}

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

// A table of sums and squares, 2 x 8.3 MB: each run faulted on it anew.
TEST(Allocations, TheElementsOfATupleAreBlocksOfTheirOwn) {
    const Machine machine;
    Allocations all(machine);
    all.add(at_root(16.6, 2));
    EXPECT_GT(all.fresh_root(at_root(16.6, 2)), 0.3);
    all.add(at_root(40, 2));
    EXPECT_LT(all.fresh_root(at_root(40, 2)), 1) << "none of its blocks is mapped";
}

TEST(Allocations, LoopsHaveTheArenasOfTheirThreads) {
    Machine machine;
    machine.cores = 2;
    const KernelAllocations tile = in_loops(0.6 * mega, 0.6 * mega, 0.3 * mega);
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

// One of two threads is the caller's. A tile of a Kuwahara filter has 388 KB, of which one block has 219: only this
// thread gives its pages back.
TEST(Allocations, TheCallingThreadHasTheMainArena) {
    Machine machine;
    machine.cores = 2;
    const KernelAllocations tile = in_loops(388 * 1024, 388 * 1024, 219 * 1024);
    Allocations all(machine);
    all.add(tile);
    EXPECT_NEAR(all.fresh_loops(tile), 0.5 * 260 / 388, 1e-9);
}

// An encoder with blocks of 98, 66 and 33 KB at root and one of 197 KB in its tasks: neither reaches the threshold
// alone, and each run gave both back.
TEST(Allocations, TheBlocksOfTasksLieBehindThoseAtRoot) {
    Machine machine;
    machine.cores = 1;
    KernelAllocations kernel = in_loops(4 * 197 * 1024, 197 * 1024, 197 * 1024);
    kernel.in_loops[0].levels[0].times = kernel.in_loops[1].levels[0].times = 4;
    Allocations alone(machine);
    alone.add(kernel);
    EXPECT_EQ(alone.fresh_loops(kernel), 0);
    KernelAllocations root = at_root(197.0 / 1024, 2);
    Allocations beside_root(machine);
    beside_root.add(kernel);
    beside_root.add(root);
    const double given_back = (2 * 197 - 128.0) / (2 * 197);
    EXPECT_NEAR(beside_root.fresh_root(root), given_back, 1e-9);
    EXPECT_NEAR(beside_root.fresh_loops(kernel), given_back / 4, 1e-9) << "in one task of four";
    // An undecided Func counts as stored at root, but what is in loops may be elsewhere in the end.
    Allocations undecided(machine);
    undecided.add(kernel);
    undecided.add_undecided(197 * 1024, 98 * 1024);
    EXPECT_EQ(undecided.fresh_loops(kernel), 0);
}

// A block of an inner loop lies on one that lives around the loop. It is given back with that one, once per task.
TEST(Allocations, AnInnerBlockIsGivenBackWithTheOneAroundIt) {
    Machine machine;
    machine.cores = 1000;
    KernelAllocations tile = in_loops(1, 600 * 1024, 300 * 1024);
    for (LoopBlocks &blocks : tile.in_loops)
        blocks.levels = {HeapLevel{8, 600 * 1024}, HeapLevel{512, 200 * 1024}};
    tile.loop_bytes = (8 * 400 + 512 * 200) * 1024;
    Allocations all(machine);
    all.add(tile);
    EXPECT_NEAR(all.fresh_loops(tile) * tile.loop_bytes, 8 * (600 - 128) * 1024, 8 * 1024);
    // The inner ones alone reach the threshold.
    for (LoopBlocks &blocks : tile.in_loops) {
        blocks.largest = 100 * 1024;
        blocks.levels = {HeapLevel{8, 200 * 1024}, HeapLevel{512, 160 * 1024}};
    }
    Allocations small(machine);
    small.add(tile);
    EXPECT_NEAR(small.fresh_loops(tile) * tile.loop_bytes, (8 * 40 + 512 * 32) * 1024, 16 * 1024);
}

// Of the steps of Jacobi's method in tiles two are alive at once. Their sum is at most twice the larger one, but how
// large Halide makes them is not known that exactly: in tiles of 2.14 and 2.16 MB all pages were fresh.
TEST(Allocations, TwoBlocksOfTheSameSizeAtOnceAreProbablyGivenBack) {
    Machine machine;
    machine.cores = 1000;
    const double block = 2 * mega;
    const auto share = [&](double alive) {
        const KernelAllocations steps = in_loops(4 * block, alive * block, block);
        Allocations all(machine);
        all.add(steps);
        return all.fresh_loops(steps);
    };
    EXPECT_GT(share(1.98), 0.4) << "of four blocks the pages of two";
    EXPECT_LT(share(1.9), share(1.98));
    EXPECT_LT(share(1.8), 1e-3) << "well below the limit";
}

// A depthwise convolution of images of 0.93 MB into 0.77 MB, one image a task: no page was fresh.
TEST(Allocations, BlocksThatNoTileBoundsAreKnownExactly) {
    Machine machine;
    machine.cores = 2;
    const auto fresh = [&](double inexact) {
        KernelAllocations images = in_loops(8 * 1.7 * mega, 1.7 * mega, 0.93 * mega);
        for (LoopBlocks &b : images.in_loops) b.levels[0].inexact = inexact;
        Allocations all(machine);
        all.add(images);
        return all.fresh_loops(images);
    };
    EXPECT_EQ(fresh(0), 0) << "below twice the larger one, in the caller's arena, too";
    EXPECT_GT(fresh(1), 0.03);
}

// Halide bounded one of two blocks as it is needed, though both are read behind clamps.
TEST(Allocations, WhichOfTheBlocksAreLargerThanNeededIsNotKnown) {
    Machine machine;
    machine.cores = 1000;
    KernelAllocations steps = in_loops(4 * mega, 3.98 * mega, 2 * mega);
    steps.in_loops[1] = {3 * mega, {HeapLevel{1, 5 * mega}}};
    Allocations all(machine);
    all.add(steps);
    EXPECT_GT(all.fresh_loops(steps), 0.4);
    EXPECT_LT(all.fresh_loops(steps), 0.5);
}

TEST(HeapExtent, ABlockTakesThePlaceOfOneThatWasFreedIfItFits) {
    using Blocks = std::vector<HeapBlock>;
    EXPECT_EQ(heap_extent({}), 0);
    EXPECT_EQ(heap_extent(Blocks{{10, 0, 2}, {8, 1, 3}, {9, 2, 4}}), 18);
    EXPECT_EQ(heap_extent(Blocks{{10, 0, 2}, {8, 1, 3}, {11, 2, 4}}), 29) << "larger than the gap";
    EXPECT_EQ(heap_extent(Blocks{{10, 0, 5}, {8, 1, 5}, {11, 2, 5}}), 29) << "all alive";
    EXPECT_EQ(heap_extent(Blocks{{10, 0, 1}, {12, 1, 2}, {11, 2, 3}}), 12) << "one at a time";
}

// Blocks below 128 KB are never mapped, and raise no threshold: a task of unsharp with 99 KB and 49 KB
// faulted on all but 128 KB of them every time.
TEST(Allocations, SmallBlocksLeaveTheThresholdLow) {
    const Machine machine;
    const KernelAllocations tile = in_loops(148 * 1024, 148 * 1024, 99 * 1024);
    Allocations all(machine);
    all.add(tile);
    EXPECT_NEAR(all.fresh_loops(tile), 20.0 / 148, 1e-9);
}

}  // namespace
}  // namespace cryolite
