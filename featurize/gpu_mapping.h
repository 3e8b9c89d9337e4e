// A stage as it runs on a GPU: which of its loops are blocks, threads and serial, and how each access
// moves with them. Plain numbers, so that whoever maps loops to a GPU fills it in and a test can
// count by hand.
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
    int thread_dim = 0;  // of a thread loop: 0 is x, along which neighbours are neighbouring lanes
};

enum class GpuMemory : uint8_t { Global, Shared, Register };
inline constexpr size_t num_gpu_memories = 3;

// An index that moves by parts of an element, as x / 2 does:
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
    int64_t positions = 1;  // distinct ones, at most
    bool operator==(const GpuHostWalk &) const = default;
};

// Loads or stores of one buffer that differ in their constant only. The address is the sum of what
// strides, offset and fractions make.
struct GpuAccess {
    GpuMemory memory = GpuMemory::Global;
    bool is_store = false;
    int buffer = 0;  // tells allocations apart
    double allocation_bytes = 0;
    int element_bytes = 4;            // a power of two up to 16
    std::vector<int64_t> strides;     // per loop of the mapping, in elements
    std::vector<int64_t> offsets{0};  // in elements from a multiple of 128 bytes
    std::vector<GpuFraction> fractions;
    std::vector<GpuHostWalk> host_walks;
    bool gather = false;  // at an index that is loaded: lanes lie anywhere
};

struct GpuMapping {
    // Extents of the loops on the host around the kernel, outermost first. The kernel is launched once per iteration.
    std::vector<int64_t> host_loops;
    std::vector<GpuLoop> loops;  // outermost first, all inside the kernel
    // Threads of a block of the kernel, x first: the most that any stage in it uses.
    std::array<int64_t, 3> block_threads{1, 1, 1};
    // The Func's storage is inside of so many of the outermost loops, those on the host counted first.
    size_t realisation_depth = 0;
    std::vector<GpuAccess> accesses;
    double block_shared_bytes = 0;  // allocated at the stage's block level
    double thread_bytes = 0;        // allocated at the thread level
};

// Why this is no mapping; an empty string if it is one.
std::string validate(const GpuMapping &mapping);

// Whether the loop's iterations access different elements.
bool moves(const GpuAccess &access, size_t loop);

// Threads of the stage in x, y and z.
std::array<int64_t, 3> stage_threads(const GpuMapping &mapping);

}  // namespace cryolite
