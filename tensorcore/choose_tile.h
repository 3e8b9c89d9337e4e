// Which tile fits a product's size and a device.
#pragma once

#include "tensorcore/kernel_shape.h"

namespace cryolite::tensorcore {

struct ProductSize {
    double rows = 1, columns = 1, depth = 1, batch = 1;
};

// Clock cycles of a multiprocessor from the kernel's first block to its last. A block takes as long as its
// multiplications or its reads of shared memory, whichever is slower, and a fixed time to fill its pipeline and store.
// Blocks run in waves over the multiprocessors, so a partly filled last wave costs a whole one. Not a prediction of
// seconds: it only ranks tiles.
double cycles_of(const ProductTypes &types, const Tile &tile, const ProductSize &size,
                 int capability, int multiprocessors);

// The tile of the fewest cycles; the first one where several are equal. There must be one: the types are multiplied at
// this capability.
Tile choose_tile(const ProductTypes &types, const ProductSize &size, int capability,
                 int multiprocessors);

}  // namespace cryolite::tensorcore
