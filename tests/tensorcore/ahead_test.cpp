// A generator, the plugin and the compiled library, as users have them.
#include <HalideBuffer.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ahead_product.h"
#include "base/random.h"
#include "tests/tensorcore/emulator/halves.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite {
namespace {

using Halide::Runtime::Buffer;

// The header of float16_t is Halide's compiler; its bits will do.
void run_ahead(int size) {
    Random random(static_cast<uint64_t>(size));
    Buffer<uint16_t> a(size, size), b(size, size);
    Buffer<float> bias(size), result(size, size);
    for (Buffer<uint16_t> *operand : {&a, &b}) {
        operand->for_each_value([&](uint16_t &value) {
            value = emulator::half_of_float(static_cast<float>(random.between(-3, 3)));
        });
        operand->raw_buffer()->type = halide_type_t(halide_type_float, 16);
        operand->set_host_dirty();
    }
    bias.for_each_value([&](float &value) { value = static_cast<float>(random.between(-9, 9)); });
    bias.set_host_dirty();
    ASSERT_EQ(ahead_product(a.raw_buffer(), b.raw_buffer(), bias.raw_buffer(), result.raw_buffer()),
              0)
        << emulator::take_problem();
    result.copy_to_host();
    int wrong = 0;
    result.for_each_element([&](int x, int y) {
        float sum = bias(x);
        for (int k = 0; k < size; k++) {
            sum += emulator::float_of_half(a(k, y)) * emulator::float_of_half(b(x, k));
        }
        wrong += result(x, y) == std::max(sum, 0.0f) ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);
}

TEST(AheadOfTime, AlignedAndUnalignedSizes) {
    run_ahead(128);
    EXPECT_EQ(emulator::count_launches("copied"), 1);
    run_ahead(77);
    EXPECT_EQ(emulator::count_launches("gathered"), 1);
}

}  // namespace
}  // namespace cryolite
