// Which allocations are made of fresh pages on every run, whose first touch costs a page fault each.
//
// glibc (malloc's M_MMAP_THRESHOLD and M_TRIM_THRESHOLD) maps blocks from 128 KB on anew, until one has
// been freed: then the threshold is its size, up to 32 MB. Whenever more than a second threshold lies
// free at the end of an arena, the arena gives back all but 128 KB of it: 128 KB at first, twice the
// largest mapped block that was freed later. So a pipeline that runs again and again faults on blocks
// beyond 32 MB, and on all but 128 KB of its blocks if they add up to that second threshold (measured:
// 16 MB and 15 MB stay, 16 MB twice do not; the same in the arenas of threads). Allocations inside
// parallel loops come from the threads' arenas, those at root from the main one, which always asks for
// 128 KB more than it needs: two Funcs at root of nearly the same size are given back (measured, unsharp).
#pragma once

#include <algorithm>

#include "machine/machine.h"

namespace cryolite {

// What one kernel allocates, in bytes and in the seconds that its pages take if all are fresh.
struct KernelAllocations {
    double root_bytes = 0;  // its root Func's storage; 0 for an output
    double root_fault_seconds = 0;
    double loop_bytes = 0;  // of all Funcs stored inside its loops, once each
    double largest_loop_bytes = 0;
    double loop_fault_seconds = 0;
};

// Sums the kernels of a pipeline, then answers for each.
class Allocations {
public:
    explicit Allocations(const Machine &machine) : machine_(machine) {}
    void add(const KernelAllocations &kernel);
    // Several blocks at root, none of them mapped: how large they are together, and the largest.
    void add_root_blocks(double bytes, double largest) {
        root_bytes_ += bytes;
        largest_ = std::max(largest_, largest);
    }
    // Of blocks of the limit's own size, such as 32 MB, as well: what heads a block comes on top.
    static bool is_mapped(const Machine &machine, double bytes) {
        return bytes >= static_cast<double>(machine.mapped_allocation_bytes);
    }
    // The share of a kernel's pages that are fresh on every run.
    double fresh_root(const KernelAllocations &kernel) const;
    double fresh_loops(const KernelAllocations &kernel) const;
    double fault_seconds(const KernelAllocations &kernel) const;

private:
    bool is_mapped(double bytes) const { return is_mapped(machine_, bytes); }
    // The share of so many bytes, freed together, whose pages are fresh the next time. beside: what is
    // free at the end of the arena besides.
    double fresh_share(double bytes, double beside) const;

    const Machine &machine_;
    double root_bytes_ = 0;  // of the blocks that are not mapped
    double largest_ = 0;
};

}  // namespace cryolite
