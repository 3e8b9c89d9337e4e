// Kernels: what a schedule maps to a GPU. The blocks of a stage of a Func at root are a kernel; in
// them lie the stage's own threads and the Funcs that are computed at the block level, each with
// threads of its own and its values in shared memory; in the threads lie serial loops and the Funcs
// computed there, with their values in registers. Blocks ⊃ threads ⊃ serial.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/loop_nest.h"

namespace cryolite {

enum class KernelLevel : uint8_t { Host, Block, Thread };

// Of what is computed in the body of `site`; nullopt is root.
KernelLevel level_of(const LoopNest &nest, std::optional<LoopName> site);

// Where a predicate leaves nothing of a reader, nothing of what it reads is needed, and Halide writes that
// as a negative extent. On a CPU such a buffer does no harm; the runtimes of CUDA and OpenCL end the
// program when they allocate it (seen with 21). By FuncId: whether it may be such a Func, or a reader of
// one.
std::vector<bool> funcs_kept_on_host(const StageGraph &graph);
inline bool stays_on_host(const StageGraph &graph, FuncId f) {
    return funcs_kept_on_host(graph)[f.index()];
}

// Whether the storage of `f`, computed at `site`, has a limit at all sizes: its box moves as a whole
// with the loops around, and nothing makes it longer. Shared memory and registers are given out when
// a kernel is compiled or launched, so that only such Funcs are computed in one.
bool has_bounded_storage(const LoopNest &nest, FuncId f, LoopName site);

// The storage of a kernel's Funcs is one allocation of the widest type among them. Halide makes it as
// long as the sum of their bytes, but has each begin at a whole element: where two narrower ones fill
// no whole elements, the last runs over the end (seen with 19 and 21), and the simplifier takes the
// kernel for one that is never reached and drops it. So every Func fills whole elements.
//
// Of how many values the first side of f's storage is a multiple; 1: it stays as it is.
int64_t storage_alignment(const LoopNest &nest, FuncId f);

// Whether the kernel around `site` keeps more than one value that has no side to be made longer and
// is narrower than the widest type. One alone does no harm.
bool has_unpadded_scalars(const LoopNest &nest, LoopName site);

// Halide gives the shared memory of a Func to another once nothing in the text of the kernel reads it any
// more, though a loop around may go on to the next iteration (seen with 19 and 21). Whether `f` is kept
// outside of a loop and read in it, beside another that is kept in the loop and comes after all
// readers, or the other way round: then one of the two is overwritten. Readers that the other computes
// or feeds come after it; of those that have nothing to do with it, any may come first.
bool is_overwritten_in_loop(const LoopNest &nest, FuncId f);

// Whether the barriers between the stages of `f`, computed at the block level, may stand under a
// condition. Halide makes one of a loop of one iteration; where the stages have such loops around
// their threads, it is one condition for all. What has one iteration at all sizes has one at the
// estimates.
bool has_conditional_barriers(const LoopNest &nest, FuncId f);

struct GpuKernel {
    StageId stage;                            // whose blocks they are
    std::array<int64_t, 3> blocks{1, 1, 1};   // x, y, z, at the estimates
    std::array<int64_t, 3> threads{1, 1, 1};  // the most of any stage inside, as Halide has it
    int64_t widest = 1;        // bytes of the widest type that the kernel keeps a Func of
    int64_t shared_bytes = 0;  // of all Funcs at the block level; Halide reuses what is dead
};
std::vector<GpuKernel> gpu_kernels_of(const LoopNest &nest);

// What a GPU and the runtime that launches kernels on it grant.
struct LaunchLimits {
    int64_t threads_per_block = 1024;
    std::array<int64_t, 3> threads{1024, 1024, 64};
    std::array<int64_t, 3> blocks{INT32_MAX, 65535, 65535};
    int64_t shared_bytes = 48 << 10;
    // Barriers may stand under a condition that is the same for all threads, as OpenCL grants. PoCL's
    // compiler (3.1 and 6.0) makes wrong values of some such kernels, or crashes.
    bool conditional_barriers = true;
};

struct KernelFault {
    StageId kernel;  // whose blocks they are
    std::string text;
};
// What keeps a kernel of a complete nest from being launched; nullopt if nothing does. A stage at the
// block level that maps none of the loops that it could is one, too: one thread would run it while
// the others wait.
std::optional<KernelFault> find_kernel_fault(const LoopNest &nest, const LaunchLimits &limits);

}  // namespace cryolite
