// Which allocations are made of fresh pages on every run, whose first touch costs a page fault each.
//
// glibc maps blocks beyond a threshold anew each time. The threshold grows to the largest block freed
// so far, up to 32 MB; and whenever twice as much as that lies free at the end of an arena, the arena
// gives it back. So a pipeline that runs again and again faults on blocks beyond 32 MB, and on all its
// blocks if they add up to twice the largest (measured: 16 MB and 15 MB stay, 16 MB twice do not; the
// same in the arenas of threads). Allocations inside parallel loops come from the threads' arenas,
// those at root from the main one.
#pragma once

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
    bool root_is_fresh(const KernelAllocations &kernel) const;
    bool loops_are_fresh(const KernelAllocations &kernel) const;
    double fault_seconds(const KernelAllocations &kernel) const;

private:
    bool is_mapped(double bytes) const {
        return bytes > static_cast<double>(machine_.mapped_allocation_bytes);
    }
    bool is_given_back(double bytes) const;

    const Machine &machine_;
    double root_bytes_ = 0;  // of the blocks that are not mapped
    double largest_ = 0;
};

}  // namespace cryolite
