// One way to arrange the loops of a Func's stages on a GPU, before it is spelled out as actions.
#pragma once

#include <array>
#include <vector>

#include "base/small_vector.h"
#include "code/legality/gpu_kernels.h"
#include "search/space/tiling_template.h"

namespace cryolite {

// A template for all stages of a Func; every stage takes from it what its loops allow.
struct GpuTemplate {
    struct Along {
        int dim = 0;          // of the Func
        int64_t threads = 1;  // of a block
        int64_t points = 1;   // that a thread computes one beside the other; copies of the body
    };
    SmallVector<Along, 3> threads;  // x first
    // Where the loops of the other dimensions go, in a kernel of their own: each is a dimension of the grid, or, if it
    // is short, a loop in every thread.
    bool others_in_threads = false;
    TilingTemplate::Unrolled unrolled_reductions = TilingTemplate::Unrolled::None;
    // At the thread level: so many iterations of the innermost reduction loop become copies where its range is a
    // constant and not unrolled as a whole. 1: none.
    int64_t reduction_part = 1;
    // At the block level: reduction loops stand around the threads, so that what each iteration reads can be computed
    // there, in shared memory.
    bool reductions_around_threads = false;
};

// The actions that give `stage` this shape at its place. Loops from the outside: loops on the host, if there are more
// dimensions than a grid has; blocks; threads; loops of a thread; copies. At the block level the loops that threads do
// not cover stand around the threads. At the thread level there are loops and copies only.
// Empty for a stage at root without a loop that blocks can take.
std::vector<Action> to_actions(const Stage &stage, const Intervals &range, KernelLevel level,
                               const GpuTemplate &shape);

// The Func's dimensions in the order in which threads take them: the innermost of storage first, but interleaved
// colours, too few for a warp, last.
std::vector<int> dims_of_threads(const LoopNest &nest, const Func &func);

// Blocks that suit any GPU: a line of threads, or a tile of two dimensions if there are two. At the block level the
// threads of the kernel.
GpuTemplate plain_gpu_template(const LoopNest &nest, const Func &func);

// At the block level, of a thread: where a product's sums wait in shared memory between two parts of the reduction.
constexpr int64_t most_points_in_blocks = 32;

// At the block level: the threads of the kernel, each with its share of the first two sides, as copies of the body. One
// thread then has several loads on their way together. Sides that make more than `most_points` copies are walked
// in loops.
GpuTemplate shared_by_threads(const LoopNest &nest, const Func &func, int64_t most_points);

// The threads of the kernel in which the Func is computed: x, y, z.
std::array<int64_t, 3> threads_of_kernel(const LoopNest &nest, FuncId func);

}  // namespace cryolite
