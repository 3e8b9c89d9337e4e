// Spreads of samples, and when two outputs are the same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "autotune/compare_outputs.h"
#include "autotune/spread.h"

namespace cryolite {
namespace {

TEST(Spread, is_that_of_order_statistics) {
    const std::vector<double> one = {3};
    EXPECT_EQ(spread_of(one).median, 3);
    EXPECT_EQ(spread_of(one).low, 3);
    const std::vector<double> few = {5, 1, 4, 2};
    EXPECT_EQ(spread_of(few).median, 3);
    EXPECT_EQ(spread_of(few).low, 1);
    EXPECT_EQ(spread_of(few).high, 5);
    // The binomial bounds of 20 samples are the 6th and the 15th: P(at most 5 of 20) = 0.0207, of 6 it is 0.0577.
    std::vector<double> many;
    for (int i = 20; i >= 1; i--) many.push_back(i);
    EXPECT_EQ(spread_of(many).median, 10.5);
    EXPECT_EQ(spread_of(many).low, 6);
    EXPECT_EQ(spread_of(many).high, 15);
    std::vector<double> more(1000, 2.0);
    more[17] = 100;
    EXPECT_EQ(spread_of(more).high, 2);
}

template <typename T>
Output output_of(const std::vector<T> &values, halide_type_t type) {
    Output o{type, std::vector<std::byte>(values.size() * sizeof(T))};
    std::memcpy(o.values.data(), values.data(), o.values.size());
    return o;
}

template <typename T>
std::string compared(const std::vector<T> &values, const std::vector<T> &reference,
                     halide_type_t type = halide_type_of<T>()) {
    const std::vector<Output> outputs = {output_of(values, type)};
    return difference(outputs, output_of(reference, type).values);
}

TEST(Difference, allows_other_roundings_of_floats_alone) {
    EXPECT_EQ(compared<float>({1, 2}, {1.0005f, 2}), "");
    EXPECT_NE(compared<float>({1, 2}, {1.002f, 2}), "");
    EXPECT_EQ(compared<float>({1e-6f, 2}, {2e-6f, 2}), "");
    EXPECT_EQ(compared<double>({1, 2}, {1.0005, 2}), "");
    EXPECT_EQ(compared<uint8_t>({1, 255}, {1, 255}), "");
    EXPECT_NE(compared<uint8_t>({1, 255}, {1, 254}), "");
    EXPECT_NE(compared<int64_t>({1, -5}, {1, 5}), "");
    // 0.5 and 2.0 as halves; 1.0 and 1.0078125 as bfloats.
    EXPECT_NE(compared<uint16_t>({0x3800}, {0x4000}, halide_type_t(halide_type_float, 16)), "");
    EXPECT_EQ(compared<uint16_t>({0x4000}, {0x4001}, halide_type_t(halide_type_float, 16)), "");
    EXPECT_NE(compared<uint16_t>({0x3f80}, {0x3f81}, halide_type_t(halide_type_bfloat, 16)), "");
}

TEST(Difference, knows_what_is_no_number) {
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(compared<float>({nan, infinity, 1}, {nan, infinity, 1.0001f}), "");
    EXPECT_NE(compared<float>({nan}, {1}), "");
    EXPECT_NE(compared<float>({1}, {nan}), "");
    EXPECT_NE(compared<float>({infinity}, {-infinity}), "");
}

TEST(Difference, allows_few_values_that_fall_on_another_side) {
    std::vector<uint8_t> reference(10000, 100), values = reference;
    for (size_t i = 0; i < 10; i++) values[i * 7] = 101;
    EXPECT_EQ(compared(values, reference), "");
    values[9999] = 0;
    EXPECT_EQ(compared(values, reference),
              "11 of 10000 values differ, for one 0.000000 for 100.000000");
}

TEST(Difference, is_one_of_sizes) {
    EXPECT_EQ(compared<int32_t>({1, 2}, {1}), "there are 8 bytes of outputs for 4");
}

}  // namespace
}  // namespace cryolite
