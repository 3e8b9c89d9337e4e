#include "schedule/kernel_shape.h"

#include <gtest/gtest.h>

#include <set>

namespace cryolite::tensorcore {
namespace {

const ProductTypes kHalves{Element::F16, Element::F16, Sum::F32};
const ProductTypes kFloats{Element::TF32, Element::TF32, Sum::F32};

TEST(KernelShape, EveryTileIsAKernelForItsTypes) {
    for (int capability : {75, 80, 86}) {
        for (const ProductTypes &types :
             {kHalves, kFloats, ProductTypes{Element::F16, Element::F16, Sum::F16},
              ProductTypes{Element::I8, Element::U8, Sum::I32}}) {
            if (capability < least_capability(types)) {
                EXPECT_TRUE(tiles_for(types, capability).empty());
                continue;
            }
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

TEST(KernelShape, FloatsAreRoundedToOneType) {
    EXPECT_EQ(bytes_of(Element::TF32), 4);
    EXPECT_TRUE(is_multiplied(kFloats));
    EXPECT_FALSE(is_multiplied({Element::TF32, Element::F16, Sum::F32}));
    EXPECT_FALSE(is_multiplied({Element::TF32, Element::TF32, Sum::F16}));
    EXPECT_EQ(least_capability(kFloats), 80);
    EXPECT_EQ(precision_of(kFloats), Precision::Tf32);
    EXPECT_EQ(precision_of(kHalves), Precision::Exact);
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

// Eight neighbours of four rows, as the lanes of a warp read words. Banks are of four bytes.
TEST(OperandLayout, WordsOfAFragmentLieInDifferentBanks) {
    for (int columns : {16, 32, 64, 128}) {
        const OperandLayout layout{false, 16, columns * 4, 4};
        ASSERT_TRUE(layout.is_read_in_words());
        for (int first = 0; first < columns; first += 8)
            for (int first_row = 0; first_row < 16; first_row += 4) {
                std::set<int> banks;
                for (int lane = 0; lane < 32; lane++) {
                    const int row = first_row + lane % 4, column = first + lane / 4;
                    const int swizzle =
                        row / layout.row_step() * layout.swizzle_factor() % layout.swizzled_units();
                    const int place = column / 4 ^ swizzle;
                    EXPECT_LT(place, layout.units_per_row());
                    banks.insert((row * columns + place * 4 + column % 4) % 32);
                }
                EXPECT_EQ(banks.size(), 32u) << columns << " columns, from " << first;
            }
    }
}

}  // namespace
}  // namespace cryolite::tensorcore
