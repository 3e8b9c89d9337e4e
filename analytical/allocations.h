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
// limit is not sharp).
//
// Halide frees each block after its last reader, and a later block may take its place. So what lies free at the end is
// how far the arena had to grow (heap_extent.h). A Func of tuples has a block per element.
//
// Inside of loops the blocks are as large as Halide bounds them for a tile, which the cost model knows within about a
// tenth. Two blocks of nearly the same size that are alive at once are always at the limit: a Jacobi step's 2.14 and
// 2.16 MB were given back after every task, though their sum is below twice the larger one. So from nine tenths of the
// threshold on, pages are taken for fresh in proportion. Where Halide cannot cancel the parts of a bound, its blocks
// are larger than needed, some more than others. Which ones is not known, so a share of fresh pages is the mean of
// two cases: all blocks as large as needed, and those behind clamps larger.
#pragma once

#include <algorithm>
#include <array>

#include "graph/stage_graph.h"
#include "machine/machine.h"

namespace cryolite {

// The largest of a Func's blocks, which are of so many bytes together: a Func of tuples has one per element.
double largest_block(const Func &func, double bytes);

// Blocks in the loops of a kernel.
struct LoopBlocks {
    double extent = 0;   // heap_extent() of all, in bytes
    double largest = 0;  // block, in bytes
};

// The two cases: as large as needed, and as Halide may bound them.
template <typename T>
using BothBounds = std::array<T, 2>;

// What one kernel allocates: bytes, and the seconds of its page faults if all pages are fresh.
struct KernelAllocations {
    double root_bytes = 0;  // of the Funcs stored at root; an output has none
    double largest_root_block = 0;
    double root_fault_seconds = 0;
    double loop_bytes = 0;  // of all Funcs stored inside the kernel's loops, once each
    BothBounds<LoopBlocks> in_loops;
    double loop_fault_seconds = 0;
};

// Sums up the kernels of a pipeline, then answers for each of them.
class Allocations {
public:
    explicit Allocations(const Machine &machine) : machine_(machine) {}
    void add(const KernelAllocations &kernel);
    // Adds several blocks at root of which none is mapped. bytes: of all blocks together; largest: of the largest one.
    void add_root_blocks(double bytes, double largest) {
        root_bytes_ += bytes;
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
    // How many of `bytes`, freed together, are on fresh pages the next time. beside: further bytes that are free at the
    // end of the arena; largest: block that is ever freed.
    double fresh_bytes(double bytes, double beside, double largest) const;
    // The same for blocks whose sizes are known within `size_error` of the threshold: less of them below it.
    double likely_fresh_bytes(double bytes, double beside, double largest) const;
    double trim_threshold(double largest) const;
    double fresh_loops(const KernelAllocations &kernel, const LoopBlocks &blocks,
                       double largest) const;

    const Machine &machine_;
    double root_bytes_ = 0;  // of the blocks that are not mapped
    BothBounds<double> largest_{};
};

}  // namespace cryolite
