#include "tensorcore/choose_tile.h"

#include <gtest/gtest.h>

namespace cryolite::tensorcore {
namespace {

const ProductTypes kHalves{Element::F16, Element::F16, Sum::F32};

TEST(ChooseTile, LargeProductsTakeLargeTilesAndSmallOnesFillTheDevice) {
    const Tile large = choose_tile(kHalves, {4096, 4096, 4096, 1}, 80, 108);
    EXPECT_EQ(large.block_rows * large.block_columns, 128 * 128);
    const Tile small = choose_tile(kHalves, {256, 256, 1024, 1}, 80, 108);
    EXPECT_LE(small.block_rows * small.block_columns, 32 * 32);
}

TEST(ChooseTile, ThinProductsTakeThinTiles) {
    const Tile tile = choose_tile(kHalves, {16, 65536, 512, 1}, 80, 108);
    EXPECT_EQ(tile.block_rows, 16);
}

TEST(ChooseTile, EveryTileIsAKernelForItsTypes) {
    for (int capability : {75, 80, 86}) {
        for (const ProductTypes &types :
             {kHalves, ProductTypes{Element::F16, Element::F16, Sum::F16},
              ProductTypes{Element::I8, Element::U8, Sum::I32}}) {
            const std::vector<Tile> tiles = tiles_for(types, capability);
            EXPECT_GE(tiles.size(), 8u);
            for (const Tile &tile : tiles) {
                const KernelShape shape{types, tile, true, true, capability};
                EXPECT_EQ(problem_with(shape), "");
                EXPECT_LE(shape.fragment_registers(), 200);
            }
        }
    }
}

}  // namespace
}  // namespace cryolite::tensorcore
