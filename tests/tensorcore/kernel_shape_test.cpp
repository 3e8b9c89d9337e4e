#include "schedule/kernel_shape.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cryolite::tensorcore
