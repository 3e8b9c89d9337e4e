#include "schedule/kernel_shape.h"

#include <gtest/gtest.h>

#include <set>

namespace cryolite::tensorcore {
namespace {

const ProductTypes kHalves{Element::F16, Element::F16, Sum::F32};

TEST(KernelShape, EveryTileIsAKernelForItsTypes) {
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

// Eight rows that follow each other, the same unit of each, as an instruction reads them.
TEST(OperandLayout, UnitsOfEightRowsLieInDifferentBanks) {
    for (int units = 1; units <= 32; units++) {
        const OperandLayout layout{true, 64, units * kUnitBytes};
        const int swizzled = layout.swizzled_units();
        EXPECT_EQ(units % swizzled, 0);
        for (int u = 0; u < units; u++) {
            std::set<int> banks;
            for (int row = 0; row < 8; row++) {
                const int place = u ^ ((row / layout.row_step()) % swizzled);
                EXPECT_LT(place, units);
                banks.insert((row * units + place) % 8);
            }
            EXPECT_EQ(banks.size(), 8u) << units << " units a row, unit " << u;
        }
    }
}

}  // namespace
}  // namespace cryolite::tensorcore
