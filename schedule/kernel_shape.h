// The shape of a tile kernel: the types that it multiplies, its tiles, and where its operands lie in shared memory.
// All of it is plain data, so that a search can count registers and bytes without building a kernel.
//
// A block of threads computes a tile of block_rows x block_columns sums. It walks the depth of the product (the loops
// of the reduction) in chunks. A chunk of both operands is copied to one of `stages` places in shared memory while
// another one is multiplied. Each warp owns a part of the tile and keeps its sums in registers.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "machine/tensor_types.h"

namespace cryolite::tensorcore {

// The parameters that may be chosen. Rows and columns are counted in elements, the chunk in bytes, because
// instructions take 32 bytes of depth whatever the type.
struct Tile {
    int block_rows = 128;
    int block_columns = 128;
    int warps_down = 2;    // warps along the rows
    int warps_across = 4;  // warps along the columns
    int chunk_bytes = 64;  // depth of a chunk
    int stages = 2;

    int threads() const { return 32 * warps_down * warps_across; }
    int warp_rows() const { return block_rows / warps_down; }
    int warp_columns() const { return block_columns / warps_across; }

    bool operator==(const Tile &) const = default;
};

// The parameters in their order, for hashes and texts, and the way back.
std::array<int, 6> numbers_of(const Tile &tile);
Tile tile_of(const std::array<int, 6> &numbers);
// "128x64 by 4 warps, 2 stages of 64 bytes".
std::string text_of(const Tile &tile);

// Bytes of shared memory that a block may ask for without opting in, which Halide's runtime does not do.
inline constexpr int kSharedBytes = 48 * 1024;

// Instructions multiply 16 rows by 8 columns over 32 bytes of depth.
inline constexpr int kInstructionRows = 16;
inline constexpr int kInstructionColumns = 8;
inline constexpr int kStepBytes = 32;
// Operands are copied 16 bytes at a time.
inline constexpr int kUnitBytes = 16;

// Where an operand's rows and an instruction's begin.
inline constexpr int kSharedAlignment = 128;

// How an operand lies in shared memory: as rows of units. An instruction reads the same unit of eight rows that follow
// each other, and banks repeat after 128 bytes. So the units of a row are swizzled: unit u of row r lies where u ^ s(r)
// would, and s(r) makes those eight fall into different banks. It has fewer bits than a row has units, and repeats
// every eight rows.
//
// No instruction transposes elements of four bytes. Where their rows lie across the depth, a warp reads words: eight
// neighbours, which are two units, of four rows. Then s(r) is even and makes those eight units fall into different
// banks. It repeats every four rows.
struct OperandLayout {
    bool along_depth = true;  // elements that are neighbours in a row differ in depth
    int rows = 0;
    int row_bytes = 0;
    int element_bytes = 2;

    int bytes() const { return rows * row_bytes; }
    int units_per_row() const { return row_bytes / kUnitBytes; }
    int units() const { return rows * units_per_row(); }

    // Whether fragments are read word by word.
    bool is_read_in_words() const { return !along_depth && element_bytes == 4; }
    // s(r) is swizzle_factor() * (r / row_step()) % swizzled_units(). Those are a power of two up to 8, and divide the
    // units of a row.
    int swizzled_units() const;
    int row_step() const { return 8 / swizzled_units(); }
    int swizzle_factor() const { return is_read_in_words() ? 2 : 1; }
};

struct KernelShape {
    ProductTypes types;
    Tile tile;
    bool rows_along_depth = true;
    bool columns_along_depth = true;
    int capability = 80;

    int element_bytes() const { return bytes_of(types.rows); }
    int unit_elements() const { return kUnitBytes / element_bytes(); }
    int chunk_depth() const { return tile.chunk_bytes / element_bytes(); }
    int steps() const { return tile.chunk_bytes / kStepBytes; }
    // Per warp: 16 rows and 8 columns each.
    int row_fragments() const { return tile.warp_rows() / kInstructionRows; }
    int column_fragments() const { return tile.warp_columns() / kInstructionColumns; }
    // Sums of one thread.
    int sums() const { return row_fragments() * column_fragments() * 4; }

    OperandLayout rows_layout() const;
    OperandLayout columns_layout() const;
    int stage_bytes() const { return rows_layout().bytes() + columns_layout().bytes(); }
    int shared_bytes() const { return tile.stages * stage_bytes(); }
    // 32-bit registers of a thread that hold sums and fragments. Addresses come on top.
    int fragment_registers() const;
    // Whether the copy to shared memory needs no registers (cp.async).
    bool copies_asynchronously() const { return capability >= 80; }
};

// Why a shape is no kernel; empty if it is one.
std::string problem_with(const KernelShape &shape);

// The same for every layout of the operands: the layout may be known only when a kernel is built.
std::string problem_with_tile(const ProductTypes &types, const Tile &tile, int capability);

// Tiles that a search may pick for these types. All are kernels for any layout.
std::vector<Tile> tiles_for(const ProductTypes &types, int capability);

}  // namespace cryolite::tensorcore
