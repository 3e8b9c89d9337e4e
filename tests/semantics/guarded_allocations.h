// Allocations of a running pipeline between red zones, so that a store outside of an intermediate
// Func's buffer is found where it happens and not as a crash somewhere later.
#pragma once

#include <atomic>

#include <Halide.h>

namespace cryolite {

// Pass it to Pipeline::realize as its context.
struct GuardedAllocations : Halide::JITUserContext {
    GuardedAllocations();
    // Blocks whose red zone had changed when they were freed.
    std::atomic<int> damaged = 0;
};

}  // namespace cryolite
