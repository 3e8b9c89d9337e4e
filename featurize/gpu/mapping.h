// A stage on a GPU: the roles of its loops, and how each access moves with them. All of it is plain numbers, so that a
// test can write a mapping and count by hand. stage_mapping.h makes mappings of schedules.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace cryolite {

enum class GpuLoopRole : uint8_t { Block, Thread, Serial, Unrolled };

struct GpuLoop {
    GpuLoopRole role = GpuLoopRole::Serial;
    int64_t extent = 1;
    int thread_dim = 0;  // for threads: 0 is x, whose neighbours are neighbouring lanes
};

enum class GpuMemory : uint8_t { Global, Shared, Register };
inline constexpr size_t num_gpu_memories = 3;

// An index that moves by parts of an element, such as x / 2. It is
//   step * floor((sum over loops of strides[l] * iteration + offset) / divisor) elements.
struct GpuFraction {
    int64_t step = 1;
    int64_t divisor = 2;  // > 1
    int64_t offset = 0;
    std::vector<int64_t> strides;  // per loop of the mapping
};

// How a loop on the host, around the kernel, moves an access from launch to launch.
struct GpuHostWalk {
    size_t loop = 0;        // index into GpuMapping::host_loops
    int64_t step = 0;       // elements from one position to the next
    int64_t positions = 1;  // an upper bound of the distinct ones
    bool operator==(const GpuHostWalk &) const = default;
};

// Loads or stores of one buffer that differ in their constants alone. The address is the sum of the strides' part, an
// offset, the fractions and the host walks.
struct GpuAccess {
    GpuMemory memory = GpuMemory::Global;
    bool is_store = false;
    int buffer = 0;  // the number of its allocation
    double allocation_bytes = 0;
    int element_bytes = 4;            // a power of two up to 16
    std::vector<int64_t> strides;     // per loop of the mapping, in elements
    std::vector<int64_t> offsets{0};  // in elements from a multiple of 128 bytes
    std::vector<GpuFraction> fractions;
    std::vector<GpuHostWalk> host_walks;
    bool gather = false;  // its index is loaded or not affine: lanes lie anywhere
    // Of GpuMemory::Register: some index of the Func is known at run time only. Registers have no addresses, so that
    // the Func lies in the thread's local memory, which L1 holds.
    bool in_local_memory = false;
    // So many copies of an unrolled loop, neighbours in memory, are one instruction (vectors.h). 1: each is its
    // own.
    int64_t joined = 1;
    size_t joined_loop = 0;  // index into GpuMapping::loops
};

struct GpuMapping {
    // Extents of the loops on the host around the kernel, outermost first. Each iteration launches the kernel once.
    std::vector<int64_t> host_loops;
    std::vector<GpuLoop> loops;  // outermost first, all inside the kernel
    // Threads of a block, x first: along each dimension the most that any stage of the kernel uses.
    std::array<int64_t, 3> block_threads{1, 1, 1};
    // How often a block, or a thread, computes the stage's Func: iterations of the loops of other stages inside.
    double productions = 1;
    // The number of loops around the Func's storage, loops on the host included.
    size_t realisation_depth = 0;
    std::vector<GpuAccess> accesses;
    double block_shared_bytes = 0;  // allocated at the stage's block level
    double thread_bytes = 0;        // allocated at the thread level
    double register_bytes = 0;      // of these, by Funcs that live in registers
};

// What is wrong with the mapping. Empty: nothing.
std::string validate(const GpuMapping &mapping);

// Whether the loop's iterations access different elements.
bool moves(const GpuAccess &access, size_t loop);

// Threads of the stage in x, y and z.
std::array<int64_t, 3> stage_threads(const GpuMapping &mapping);

}  // namespace cryolite
