// Which allocations get fresh pages on every run. The first touch of a fresh page costs a page fault.
//
// glibc's malloc has two thresholds (M_MMAP_THRESHOLD and M_TRIM_THRESHOLD):
// - It maps every block from the first threshold on anew. The threshold is 128 KB at first. After a mapped block was
//   freed, the threshold is the size of that block, up to 32 MB.
// - An arena gives memory back when more than the second threshold lies free at its end. It keeps 128 KB. The second
//   threshold is 128 KB at first, and later twice the largest mapped block that was freed.
//
// So a pipeline that runs again and again faults on every block beyond 32 MB. If its smaller blocks add up to the
// second threshold, it faults on all but 128 KB of them. Measured, also in the arenas of threads: 16 MB and 15 MB stay,
// 16 MB twice do not.
//
// Allocations inside parallel loops come from the arena of the thread that runs the task. The thread that called the
// pipeline runs tasks as well, and its arena is the main one, which allocations at root come from, too. The main arena
// always asks for 128 KB more than it needs. So two Funcs at root of nearly the same size are given back (measured; the
// limit is not sharp). The caller's tasks have their blocks behind those at root. If both together reach the threshold,
// the end of the run gives all of them back, and the next run finds their pages fresh once: an encoder of 0.09 ms, with
// blocks of 98, 66 and 33 KB at root and one of 197 KB in its tasks, took twice as long.
//
// Halide frees each block after its last reader, and a later block may take its place. So what lies free at the end is
// how far the arena had to grow (heap_extent.h). A Func of tuples has a block per element.
//
// Where a block is freed in an inner loop, what lives around that loop lies below it. So each block's pages are fresh
// as often as it, or what lives around it, reaches the threshold when freed.
//
// Inside of loops the blocks are as large as Halide bounds them for a tile, which the cost model knows within about a
// tenth. Two blocks of nearly the same size that are alive at once are always at the limit: a Jacobi step's 2.14 and
// 2.16 MB were given back after every task, though their sum is below twice the larger one. So from nine tenths of the
// threshold on, pages are taken for fresh in proportion. No tile bounds a dimension that is whole, or a single point:
// two blocks of 0.93 and 0.77 MB in a loop over images, each of a whole image, stay as the sums say.
//
// Where Halide cannot cancel the parts of a bound, its blocks are larger than needed, some more than others. Which ones
// is not known, so a share of fresh pages is the mean of two cases: all blocks as large as needed, and those behind
// clamps larger.
#pragma once

#include <algorithm>
#include <array>

#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// The largest of a Func's blocks, which are of so many bytes together: a Func of tuples has one per element.
double largest_block(const Func &func, double bytes);

// The blocks in loops that are allocated and freed at least so many times per run.
struct HeapLevel {
    double times = 0;
    double extent = 0;   // heap_extent(), in bytes
    double inexact = 1;  // the share of the bytes that are bounded for tiles
};

// Blocks in the loops of a kernel.
struct LoopBlocks {
    double largest = 0;  // block, in bytes
    // From all blocks to those of the innermost loops. Where there are more levels, the last one stands for the rest.
    // Unused ones are empty.
    std::array<HeapLevel, 3> levels;
};

// The two cases: as large as needed, and as Halide may bound them.
template <typename T>
using BothBounds = std::array<T, 2>;

// What one kernel allocates: bytes, and the seconds of its page faults if all pages are fresh.
struct KernelAllocations {
    double root_bytes = 0;  // of the Funcs stored at root; an output has none
    double largest_root_block = 0;
    double root_fault_seconds = 0;
    // Of all Funcs stored inside the kernel's loops: the bytes that are allocated during a run.
    double loop_bytes = 0;
    BothBounds<LoopBlocks> in_loops;
    double loop_fault_seconds = 0;
};

// Sums up the kernels of a pipeline, then answers for each of them.
class Allocations {
public:
    explicit Allocations(const Machine &machine) : machine_(machine) {}
    void add(const KernelAllocations &kernel);
    // Adds the blocks that undecided Funcs would have at root, of which none is mapped. bytes: of all blocks together;
    // largest: of the largest one. What kernels have in loops is not held against them: many of them will be elsewhere.
    void add_undecided(double bytes, double largest) {
        undecided_bytes_ += bytes;
        for (double &l : largest_) l = std::max(l, largest);
    }
    // Whether malloc maps a block of so many bytes anew. A block of exactly the limit is mapped too, since malloc adds
    // a header.
    static bool is_mapped(const Machine &machine, double bytes) {
        return bytes >= static_cast<double>(machine.mapped_allocation_bytes);
    }
    // The share of fresh pages where a kernel frees blocks of so many bytes together, and nothing larger is ever freed.
    // largest: of the blocks.
    static double fresh_share_alone(const Machine &machine, double bytes, double largest);
    // The share of a kernel's pages that are fresh on every run.
    double fresh_root(const KernelAllocations &kernel) const;
    double fresh_loops(const KernelAllocations &kernel) const;
    double fault_seconds(const KernelAllocations &kernel) const;

private:
    bool is_mapped(double bytes) const { return is_mapped(machine_, bytes); }
    // largest: block that is ever freed.
    double trim_threshold(double largest) const;
    // How likely so many bytes that are free at the end of an arena reach the threshold. Their number may be off by
    // `error`: from that far below the threshold on, they do so more and more likely.
    double likely_trimmed(double free_bytes, double error, double largest) const;
    // The share of so many bytes in the main arena that it gives back at the end of a run.
    double given_back_share(double held, double error, double largest) const;
    // The same of all blocks at root and in loops. bounds: which of both.
    double given_back_with_loops(size_t bounds) const;
    // The bytes that a kernel's loops find fresh during a run, in an arena with so many bytes beside them.
    double fresh_in_tasks(const LoopBlocks &blocks, double beside, double largest) const;
    double fresh_loops(const KernelAllocations &kernel, size_t bounds) const;

    const Machine &machine_;
    double root_bytes_ = 0, undecided_bytes_ = 0;  // of the blocks that are not mapped
    BothBounds<double> largest_{};
    // Of the kernels whose blocks in loops are not mapped: the largest extent, and all together.
    BothBounds<double> loop_extent_{}, loop_extents_{};
    BothBounds<double> loop_error_{};  // of the largest extent
};

}  // namespace cryolite
