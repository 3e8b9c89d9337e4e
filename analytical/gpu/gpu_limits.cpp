#include "analytical/gpu/gpu_limits.h"

#include <string>

namespace cryolite::gpu {
namespace {

struct Row {
    int major, minor, threads, warps, blocks;
    int64_t shared_kb, shared_per_block_kb, reserved_kb;
};
constexpr Row rows[] = {
    {7, 0, 2048, 64, 32, 96, 96, 0},    {7, 5, 1024, 32, 16, 64, 64, 0},
    {8, 0, 2048, 64, 32, 164, 163, 1},  {8, 6, 1536, 48, 16, 100, 99, 1},
    {8, 9, 1536, 48, 24, 100, 99, 1},   {9, 0, 2048, 64, 32, 228, 227, 1},
    {10, 0, 2048, 64, 32, 228, 227, 1}, {12, 0, 1536, 48, 24, 100, 99, 1},
};

}  // namespace

Result<GpuLimits> gpu_limits(int major, int minor) {
    std::string known;
    for (const Row &r : rows) {
        if (r.major == major && r.minor == minor) {
            GpuLimits l;
            l.major = major;
            l.minor = minor;
            l.max_threads = r.threads;
            l.max_warps = r.warps;
            l.max_blocks = r.blocks;
            l.shared_bytes = r.shared_kb << 10;
            l.shared_bytes_per_block = r.shared_per_block_kb << 10;
            l.reserved_shared_bytes = r.reserved_kb << 10;
            l.shared_unit_bytes = major < 8 ? 256 : 128;
            return l;
        }
        known +=
            (known.empty() ? "" : ", ") + std::to_string(r.major) + "." + std::to_string(r.minor);
    }
    return Error{"no limits are known for compute capability " + std::to_string(major) + "." +
                 std::to_string(minor) + "; known: " + known};
}

}  // namespace cryolite::gpu
