// Kernels are right whatever the types, layouts, tiles, epilogues and sizes.
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/tensorcore/emulated_product.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite::tensorcore {
namespace {

using test::EmulatedProduct;
using test::Finish;
using test::Program;
using test::Sizes;

constexpr int kPrograms = 6, kSizesPerProgram = 5, kLargest = 300;

int below(Random &random, int limit) {
    return static_cast<int>(random.below(static_cast<uint64_t>(limit)));
}

Program random_program(const ProductTypes &types, int capability, Random &random) {
    Program program;
    program.types = types;
    program.capability = capability;
    const std::vector<Tile> tiles = tiles_for(types, capability);
    program.tile = tiles[static_cast<size_t>(below(random, static_cast<int>(tiles.size())))];
    program.rows_turned = below(random, 2) == 1;
    program.columns_turned = below(random, 2) == 1;
    program.is_batched = below(random, 3) == 0;
    program.any_stride = below(random, 5) == 0;
    program.finish = static_cast<Finish>(below(random, test::kFinishes));
    return program;
}

// The first sizes are multiples of 16, so that units are copied; the others are anything.
Sizes random_sizes(const Program &program, bool is_aligned, Random &random) {
    const auto size = [&](int most) {
        return is_aligned ? 16 * (1 + below(random, (most + 15) / 16)) : 1 + below(random, most);
    };
    Sizes sizes;
    const int most = program.is_batched ? kLargest / 3 : kLargest;
    sizes.rows = size(most);
    sizes.columns = size(most);
    sizes.depth = size(below(random, 4) == 0 ? kLargest : 100);
    sizes.batch = 1 + below(random, 3);
    sizes.first = below(random, 2) == 0 ? 0 : below(random, 21) - 10;
    sizes.padding = below(random, 2) == 0 ? 0 : is_aligned ? 16 : below(random, 9);
    return sizes;
}

void run_random(const ProductTypes &types, int capability, uint64_t seed) {
    Random random(seed);
    const int copied = emulator::count_launches("copied"),
              gathered = emulator::count_launches("gathered");
    for (int p = 0; p < kPrograms; p++) {
        const Program program = random_program(types, capability, random);
        EmulatedProduct product(program);
        for (int s = 0; s < kSizesPerProgram; s++) {
            const Sizes sizes = random_sizes(program, s < 2, random);
            EXPECT_EQ(product.run(sizes, random()), "") << program.text() << "\n" << sizes.text();
        }
    }
    EXPECT_GT(emulator::count_launches("copied"), copied);
    EXPECT_GT(emulator::count_launches("gathered"), gathered);
}

TEST(RandomProducts, HalvesToFloats) { run_random({Element::F16, Element::F16, Sum::F32}, 80, 1); }
TEST(RandomProducts, HalvesToHalves) { run_random({Element::F16, Element::F16, Sum::F16}, 80, 2); }
TEST(RandomProducts, BfloatsToFloats) {
    run_random({Element::BF16, Element::BF16, Sum::F32}, 80, 3);
}
TEST(RandomProducts, SignedBytes) { run_random({Element::I8, Element::I8, Sum::I32}, 80, 4); }
TEST(RandomProducts, UnsignedBytes) { run_random({Element::U8, Element::U8, Sum::I32}, 80, 5); }
TEST(RandomProducts, MixedBytes) { run_random({Element::U8, Element::I8, Sum::I32}, 80, 6); }
TEST(RandomProducts, RoundedFloats) { run_random({Element::TF32, Element::TF32, Sum::F32}, 80, 9); }
TEST(RandomProducts, HalvesOnTuring) { run_random({Element::F16, Element::F16, Sum::F32}, 75, 7); }
TEST(RandomProducts, BytesOnTuring) { run_random({Element::I8, Element::I8, Sum::I32}, 75, 8); }

}  // namespace
}  // namespace cryolite::tensorcore
