// What one access of a stage costs on a GPU: the distinct memory that it touches inside a set of
// loops, and the transactions that its warps make of it.
//
// A warp's access to global memory moves every 32-byte sector that a lane touches, and asks the cache
// for every 128-byte line. Shared memory has 32 banks of 4 bytes: lanes that need the same word of a
// bank share it, different words of a bank come one after another.
#pragma once

#include <span>
#include <vector>

#include "featurize/gpu_mapping.h"

namespace cryolite {

inline constexpr int warp_lanes = 32;
inline constexpr int64_t sector_bytes = 32;
inline constexpr int64_t gpu_line_bytes = 128;
inline constexpr int64_t shared_banks = 32;
inline constexpr int64_t bank_bytes = 4;
inline constexpr int64_t max_threads_per_block = 1024;

// Of addresses, which may be negative; b > 0.
constexpr int64_t positive_modulo(int64_t a, int64_t b) { return ((a % b) + b) % b; }
constexpr int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

struct GpuFootprint {
    double bytes = 0;  // distinct elements, at most
    double lines = 0;  // distinct aligned lines of gpu_line_bytes, at most
};

// One access over one run of the loops with inside[l] set, wherever the others stand. l: index into
// GpuMapping::loops.
GpuFootprint footprint(const GpuMapping &mapping, const GpuAccess &access,
                       const std::vector<bool> &inside);

// Everything that the stage loads from a memory, over the same loops. Each access is counted by itself.
GpuFootprint sum_of_loads(const GpuMapping &mapping, GpuMemory memory,
                          const std::vector<bool> &inside);

// The same, but what several accesses load counts once, and no allocation counts for more than it is long.
// inside: the loops on the host first, then those of the mapping.
GpuFootprint union_of_loads(const GpuMapping &mapping, GpuMemory memory,
                            const std::vector<bool> &inside);

// Bytes of consecutive memory from the first element on, over the same loops.
double contiguous_bytes(const GpuMapping &mapping, const GpuAccess &access,
                        const std::vector<bool> &inside);

// The threads of a block in warps of 32: x runs fastest, then y, then z. The stage uses those whose
// coordinates are below its own extents.
class WarpLayout {
public:
    explicit WarpLayout(const GpuMapping &mapping);

    struct Lane {
        int16_t x = 0, y = 0, z = 0;
        bool active = false;
    };
    int warps() const { return static_cast<int>(lanes_.size()) / warp_lanes; }
    int active_warps() const { return active_warps_; }
    int64_t active_threads() const { return active_threads_; }
    std::span<const Lane> warp(int w) const {
        return std::span(lanes_).subspan(static_cast<size_t>(w * warp_lanes), warp_lanes);
    }

private:
    std::vector<Lane> lanes_;
    int active_warps_ = 0;
    int64_t active_threads_ = 0;
};

struct WarpTraffic {
    double sectors = 0;
    double lines = 0;
    double bank_transactions = 0;
    double useful_bytes = 0;  // distinct bytes that the lanes of each warp ask for

    void add_scaled(const WarpTraffic &other, double factor);
};

// Of the whole block at the origin with the serial loops at their start, times the iterations of the
// serial loops: regular and partial warps each as they are. Accesses that the copies of unrolled
// loops have in common happen once.
WarpTraffic block_traffic(const GpuMapping &mapping, const GpuAccess &access,
                          const WarpLayout &layout);

}  // namespace cryolite
