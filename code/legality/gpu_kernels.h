// Kernels: the parts of a schedule that are mapped to a GPU. Blocks ⊃ threads ⊃ serial loops.
// - The blocks of a stage of a Func at root are a kernel.
// - In the blocks lie the stage's own threads, and the Funcs that are computed at the block level. Each of these has
//   threads of its own. Its values lie in shared memory.
// - In the threads lie serial loops, and the Funcs that are computed there. Their values lie in registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/gpu_device.h"
#include "schedule/loop_nest.h"

namespace cryolite {

enum class KernelLevel : uint8_t { Host, Block, Thread };

// The level of a Func that is computed in the body of `site`. nullopt: root.
KernelLevel level_of(const LoopNest &nest, std::optional<LoopName> site);

// Funcs that must stay on the host, by FuncId: those whose buffer may be empty, and their readers. If a predicate
// leaves nothing of a reader, nothing of its producers is needed. Halide writes this as a negative extent. On a CPU
// such a buffer does no harm. The runtimes of CUDA and OpenCL end the program when they allocate it (seen with 21).
// A producer that is free to inline does not keep its readers on the host: inlined, it has no buffer.
std::vector<bool> funcs_kept_on_host(const StageGraph &graph);
inline bool stays_on_host(const StageGraph &graph, FuncId f) {
    return funcs_kept_on_host(graph)[f.index()];
}

// Whether `f` has a buffer that may be empty and is read on the device.
bool brings_empty_buffer(const LoopNest &nest, FuncId f);

// Whether the storage of `f`, computed at `site`, is bounded at all sizes. Its box then moves as a whole with the loops
// around and never gets longer. Shared memory and registers are given out when a kernel is compiled or launched. So
// only such Funcs may be computed in a kernel.
bool has_bounded_storage(const LoopNest &nest, FuncId f, LoopName site);

// Whether every side has a bound that is known. A Func at the thread level needs that. Halide puts others into the
// GPU's global memory, a part for each thread, at a size that it finds before the launch. That is slow. A kernel has
// also written past the end of such a part (seen with 21 through PoCL).
inline bool is_bounded_at_all_sizes(const FuncNest &placed) {
    return std::ranges::all_of(placed.storage_bound, [](int64_t bound) { return bound > 0; });
}

// The first side of f's storage must be a multiple of this many values. 1: any length will do.
//
// The storage of a kernel's Funcs is one allocation of the widest type among them. Its length is the sum of the Funcs'
// bytes. But Halide lets each Func begin at a whole element. If two Funcs of narrower types fill no whole elements, the
// last Func runs over the end (seen with 19 and 21). The simplifier then takes the kernel for unreachable and drops it.
// So every Func must fill whole elements.
int64_t storage_alignment(const LoopNest &nest, FuncId f);

// Whether the kernel around `site` keeps more than one scalar in shared memory that is narrower than the widest type. A
// scalar has no side that could be padded. One alone does no harm.
bool has_unpadded_scalars(const LoopNest &nest, LoopName site);

// Whether `f` and another Func overwrite each other in shared memory. Halide reuses the memory of a Func after its last
// reader in the text of the kernel. But a loop around may go on to the next iteration (seen with 19 and 21).
//
// Suppose that one of the two Funcs is stored outside of a loop and read in it, and the other is stored in the loop.
// The first is overwritten if the second comes after all readers of the first. A reader that computes the second Func,
// or depends on it, comes after it. Any other reader may come first.
bool is_overwritten_in_loop(const LoopNest &nest, FuncId f);

// Whether the barriers between the stages of `f`, computed at the block level, may stand under a condition. Halide
// turns a loop of one iteration into a condition. If the stages have such loops around their threads, one condition
// holds for all of them. The test looks at the estimates: a loop with one iteration at all sizes has one there.
bool has_conditional_barriers(const LoopNest &nest, FuncId f);

struct GpuKernel {
    StageId stage;                            // the stage that has the blocks
    std::array<int64_t, 3> blocks{1, 1, 1};   // x, y, z, at the estimates
    std::array<int64_t, 3> threads{1, 1, 1};  // the most of any stage inside, as in Halide
    int64_t widest = 1;           // bytes of the widest type of a Func computed in the kernel
    int64_t shared_bytes = 0;     // sum over Funcs at the block level; Halide reuses dead ones
    int64_t funcs_in_blocks = 0;  // Funcs at the block level
};
std::vector<GpuKernel> gpu_kernels_of(const LoopNest &nest);
// Those of one Func at root: of its stages that have blocks.
std::vector<GpuKernel> gpu_kernels_of(const LoopNest &nest, FuncId root);

// The limits of a GPU and of the runtime that launches kernels on it.
struct LaunchLimits {
    int64_t threads_per_block = 1024;
    std::array<int64_t, 3> threads{1024, 1024, 64};
    std::array<int64_t, 3> blocks{INT32_MAX, 65535, 65535};
    int64_t shared_bytes = 48 << 10;
    // Whether barriers may stand under a condition that is the same for all threads. OpenCL allows it. The compiler of
    // PoCL (3.1 and 6.0) makes some such kernels compute wrong values, or crashes.
    bool conditional_barriers = true;
};

LaunchLimits launch_limits(const gpu::GpuDevice &device);

struct KernelFault {
    StageId kernel;  // the stage that has the blocks
    std::string text;
};
// Why a kernel of a complete nest must not be launched; nullopt: all may be. A stage at the block level that maps no
// loop to threads, though it could, is a fault too: one thread would run the stage while the others wait.
std::optional<KernelFault> find_kernel_fault(const LoopNest &nest, const LaunchLimits &limits);
// Of the kernels of one Func at root. The nest may be incomplete: later decisions only add to a kernel.
std::optional<KernelFault> find_kernel_fault(const LoopNest &nest, FuncId root,
                                             const LaunchLimits &limits);

}  // namespace cryolite
