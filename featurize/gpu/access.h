// The accesses of a stage on a GPU: the distinct memory that they touch inside a set of loops, and the transactions
// of their warps.
//
// A warp's access to global memory moves every 32-byte sector that a lane touches. It asks the cache for every
// 128-byte line. Shared memory has 32 banks of 4 bytes. Lanes that need the same word of a bank share it. Different
// words of a bank follow one after another.
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "featurize/gpu/mapping.h"

namespace cryolite {

inline constexpr int warp_lanes = 32;
inline constexpr int64_t sector_bytes = 32;
inline constexpr int64_t gpu_line_bytes = 128;
inline constexpr int64_t shared_banks = 32;
inline constexpr int64_t bank_bytes = 4;
inline constexpr int64_t max_threads_per_block = 1024;

// For addresses, which may be negative. b > 0.
constexpr int64_t positive_modulo(int64_t a, int64_t b) { return ((a % b) + b) % b; }
constexpr int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

struct GpuFootprint {
    double bytes = 0;  // distinct elements, at most
    double lines = 0;  // distinct aligned lines of gpu_line_bytes, at most
};

// The footprint of one access over one run of the loops with inside[l] set, wherever all other loops stand. l: index
// into GpuMapping::loops.
GpuFootprint footprint(const GpuMapping &mapping, const GpuAccess &access,
                       const std::vector<bool> &inside);

// The footprint of all loads of each buffer in a memory together, by buffer. Bytes that several of them load count
// once. inside: has the loops on the host first, then those of the mapping.
std::map<int, GpuFootprint> unions_of_loads(const GpuMapping &mapping, GpuMemory memory,
                                            const std::vector<bool> &inside);

// Their sum over the buffers.
GpuFootprint union_of_loads(const GpuMapping &mapping, GpuMemory memory,
                            const std::vector<bool> &inside);

// The length of the run of consecutive memory that starts at the first element, over the loops with inside[l] set.
double contiguous_bytes(const GpuMapping &mapping, const GpuAccess &access,
                        const std::vector<bool> &inside);

// The threads of a block in warps of 32. x runs fastest, then y, then z. The stage uses the threads whose coordinates
// are below its own extents.
class WarpLayout {
public:
    explicit WarpLayout(const GpuMapping &mapping);

    struct Lane {
        int16_t x = 0, y = 0, z = 0;
        bool active = false;
        bool operator==(const Lane &) const = default;
    };
    using Lanes = std::array<Lane, warp_lanes>;

    int warps() const { return static_cast<int>((threads_ + warp_lanes - 1) / warp_lanes); }
    int active_warps() const { return active_warps_; }
    int64_t active_threads() const { return used_[0] * used_[1] * used_[2]; }
    Lanes warp(int w) const;

    // Active warps whose active lanes lie alike, each by its first active lane. Most blocks have one shape.
    struct Shape {
        Lanes lanes;  // relative to the first active lane
        std::vector<Lane> firsts;
    };
    const std::vector<Shape> &shapes() const { return shapes_; }

private:
    std::array<int64_t, 3> used_, all_;
    int64_t threads_;  // of the block
    int active_warps_ = 0;
    std::vector<Shape> shapes_;
};

struct WarpTraffic {
    double sectors = 0;
    double lines = 0;
    double bank_transactions = 0;
    double useful_bytes = 0;  // distinct bytes that the lanes of each warp ask for

    void add_scaled(const WarpTraffic &other, double factor);
};

// The traffic of the block at the origin. It is counted for the first iteration of the serial loops, warp by warp, and
// multiplied by their iterations. Accesses that the copies of unrolled loops share happen once.
WarpTraffic block_traffic(const GpuMapping &mapping, const GpuAccess &access,
                          const WarpLayout &layout);

}  // namespace cryolite
