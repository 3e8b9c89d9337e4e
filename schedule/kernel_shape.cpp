#include "schedule/kernel_shape.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace cryolite::tensorcore {

namespace {

OperandLayout layout(bool along_depth, int extent, const KernelShape &shape) {
    OperandLayout result;
    result.along_depth = along_depth;
    result.rows = along_depth ? extent : shape.chunk_depth();
    result.row_bytes = along_depth ? shape.tile.chunk_bytes : extent * shape.element_bytes();
    result.element_bytes = shape.element_bytes();
    return result;
}

// Sums that leave a thread enough registers for the fragments and addresses (255 in all).
constexpr int kMostSums = 128;
constexpr int kMostThreads = 1024;

}  // namespace

std::array<int, 6> numbers_of(const Tile &tile) {
    return {tile.block_rows,   tile.block_columns, tile.warps_down,
            tile.warps_across, tile.chunk_bytes,   tile.stages};
}

Tile tile_of(const std::array<int, 6> &n) { return {n[0], n[1], n[2], n[3], n[4], n[5]}; }

std::string text_of(const Tile &tile) {
    return std::to_string(tile.block_rows) + "x" + std::to_string(tile.block_columns) + " by " +
           std::to_string(tile.threads() / 32) + " warps, " + std::to_string(tile.stages) +
           " stages of " + std::to_string(tile.chunk_bytes) + " bytes";
}

// Rows of 8 units lie one in each round of the banks, those of 4 two, and so on.
int OperandLayout::swizzled_units() const {
    return std::min(8, units_per_row() & -units_per_row());
}

OperandLayout KernelShape::rows_layout() const {
    return layout(rows_along_depth, tile.block_rows, *this);
}

OperandLayout KernelShape::columns_layout() const {
    return layout(columns_along_depth, tile.block_columns, *this);
}

int KernelShape::fragment_registers() const {
    const int sum_registers = types.sum == Sum::F16 ? sums() / 2 : sums();
    return sum_registers + 4 * row_fragments() + 2 * column_fragments();
}

std::string problem_with(const KernelShape &shape) {
    const Tile &tile = shape.tile;
    if (!is_multiplied(shape.types)) return "no tensor core multiplies these types";
    if (shape.capability < least_capability(shape.types)) {
        return "the types need compute capability " + std::to_string(least_capability(shape.types));
    }
    if (tile.warps_down < 1 || tile.warps_across < 1 || tile.threads() > kMostThreads) {
        return "a block has 1 to 32 warps";
    }
    if (tile.block_rows < 1 || tile.block_rows % (kInstructionRows * tile.warps_down) != 0) {
        return "the rows of a warp are no multiple of 16";
    }
    // Fragments of columns are loaded in pairs.
    if (tile.block_columns < 1 ||
        tile.block_columns % (2 * kInstructionColumns * tile.warps_across) != 0) {
        return "the columns of a warp are no multiple of 16";
    }
    if (!std::has_single_bit(static_cast<unsigned>(tile.warp_rows())) ||
        !std::has_single_bit(static_cast<unsigned>(tile.warp_columns())))
        return "the rows or columns of a warp are no power of two";
    if (tile.chunk_bytes < kStepBytes || tile.chunk_bytes % kStepBytes != 0) {
        return "the depth of a chunk is no multiple of 32 bytes";
    }
    if (tile.stages < 2) return "a kernel needs at least two stages";
    if (shape.element_bytes() == 1 && (!shape.rows_along_depth || !shape.columns_along_depth)) {
        return "bytes lie along the depth: no instruction transposes them";
    }
    if (shape.rows_layout().units() % tile.threads() != 0 ||
        shape.columns_layout().units() % tile.threads() != 0) {
        return "the threads do not share the copy of a chunk evenly";
    }
    if (shape.shared_bytes() > kSharedBytes) return "more than 48 KB of shared memory";
    if (shape.sums() > kMostSums) return "more than 128 sums a thread";
    return "";
}

std::string problem_with_tile(const ProductTypes &types, const Tile &tile, int capability) {
    for (int layouts = 0; layouts < (bytes_of(types.rows) == 1 ? 1 : 4); layouts++) {
        std::string problem =
            problem_with({types, tile, (layouts & 1) == 0, (layouts & 2) == 0, capability});
        if (!problem.empty()) return problem;
    }
    return "";
}

std::vector<Tile> tiles_for(const ProductTypes &types, int capability) {
    std::vector<Tile> result;
    const Tile candidates[] = {
        {128, 128, 2, 4, 64, 2}, {128, 128, 2, 4, 64, 3}, {128, 128, 2, 2, 64, 2},
        {128, 128, 2, 2, 64, 3}, {128, 64, 2, 2, 64, 2},  {128, 64, 2, 2, 64, 3},
        {128, 64, 2, 2, 64, 4},  {64, 128, 2, 2, 64, 2},  {64, 128, 2, 2, 64, 3},
        {64, 128, 2, 2, 64, 4},  {64, 64, 2, 2, 64, 2},   {64, 64, 2, 2, 64, 4},
        {64, 64, 2, 2, 128, 2},  {64, 64, 2, 2, 128, 3},  {64, 32, 2, 1, 64, 4},
        {32, 64, 1, 2, 64, 4},   {32, 32, 1, 1, 64, 4},   {32, 32, 1, 1, 128, 4},
        {16, 64, 1, 2, 64, 4},   {64, 16, 2, 1, 64, 4},
    };
    // Where bytes are gathered one by one, ptxas spills for these.
    const Tile not_for_bytes[] = {
        {128, 128, 2, 2, 64, 2},
        {128, 128, 2, 2, 64, 3},
        {64, 64, 2, 2, 128, 2},
        {32, 32, 1, 1, 128, 4},
    };
    for (const Tile &tile : candidates) {
        if (bytes_of(types.rows) == 1 &&
            std::ranges::find(not_for_bytes, tile) != std::end(not_for_bytes))
            continue;
        if (problem_with_tile(types, tile, capability).empty()) result.push_back(tile);
    }
    return result;
}

}  // namespace cryolite::tensorcore
