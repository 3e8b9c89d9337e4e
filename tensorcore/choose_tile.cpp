#include "tensorcore/choose_tile.h"

#include <algorithm>
#include <cmath>

namespace cryolite::tensorcore {

namespace {

// Multiply-adds of 16-bit floats per clock of a multiprocessor: 8 tensor cores of 64 in Turing's white paper, 4 of 256
// in the A100's, 4 of 128 in GA102's. Bytes are multiplied at twice the rate.
double multiplications_per_cycle(const ProductTypes &types, int capability) {
    const double halves = capability == 80 ? 1024 : 512;
    return bytes_of(types.rows) == 1 ? 2 * halves : halves;
}

// Of shared memory, in every white paper since Volta's.
constexpr double kSharedBytesPerCycle = 128;
// A load of device memory takes some 500 cycles, and a block waits for one before it begins. As much again to store.
constexpr double kFixedCycles = 1000;

}  // namespace

double cycles_of(const ProductTypes &types, const Tile &tile, const ProductSize &size,
                 int capability, int multiprocessors) {
    const double blocks = size.batch * std::ceil(size.rows / tile.block_rows) *
                          std::ceil(size.columns / tile.block_columns);
    const double waves = std::ceil(blocks / multiprocessors);
    const double chunk_depth = static_cast<double>(tile.chunk_bytes) / bytes_of(types.rows);
    const double depth_bytes = std::ceil(size.depth / chunk_depth) * tile.chunk_bytes;
    const double multiplications = static_cast<double>(tile.block_rows) * tile.block_columns *
                                   depth_bytes / bytes_of(types.rows);
    const int warps = tile.threads() / 32;
    // Each warp reads its own rows and columns, and the copy writes each once.
    const double shared_bytes = depth_bytes * (warps * (tile.warp_rows() + tile.warp_columns()) +
                                               tile.block_rows + tile.block_columns);
    return waves *
           (kFixedCycles + std::max(multiplications / multiplications_per_cycle(types, capability),
                                    shared_bytes / kSharedBytesPerCycle));
}

Tile choose_tile(const ProductTypes &types, const ProductSize &size, int capability,
                 int multiprocessors) {
    const std::vector<Tile> tiles = tiles_for(types, capability);
    return *std::ranges::min_element(tiles, {}, [&](const Tile &tile) {
        return cycles_of(types, tile, size, capability, multiprocessors);
    });
}

}  // namespace cryolite::tensorcore
