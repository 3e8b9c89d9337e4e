// What the tests of the apps share: deterministic images, the comparison, and the two variants as
// test parameters.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>

#include "HalideBuffer.h"

namespace cryolite::apps {

template <typename T>
using Image = Halide::Runtime::Buffer<T>;

// A schedule of an app, compiled.
template <typename Function>
struct Variant {
    std::string name;
    Function *function;

    // Without this, GoogleTest would print the bytes of the pointer into the test's name.
    friend void PrintTo(const Variant &variant, std::ostream *stream) { *stream << variant.name; }
};

template <typename Function>
std::string variant_name(const testing::TestParamInfo<Variant<Function>> &info) {
    return info.param.name;
}

// A hash of the coordinates mixed with a gradient: neighbours differ, and so do distant regions.
inline double test_value(int x, int y, int z, int w) {
    std::uint32_t h = std::uint32_t(x) * 0x9e3779b1u + std::uint32_t(y) * 0x85ebca77u +
                      std::uint32_t(z) * 0xc2b2ae3du + std::uint32_t(w) * 0x27d4eb2fu;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 13;
    const double noise = double(h & 0xffffu) / 65536.0;
    const double gradient = double((x * 3 + y * 5 + z * 17) % 211) / 211.0;
    return 0.5 * noise + 0.5 * gradient;  // in [0, 1)
}

template <typename T>
void fill_image(Image<T> &image, double low, double high, int seed = 0) {
    image.for_each_element([&](const int *at) {
        const int d = image.dimensions();
        const double value = test_value(at[0], d > 1 ? at[1] : 0, d > 2 ? at[2] : 0,
                                        (d > 3 ? at[3] : 0) + 131 * seed);
        image(at) = T(low + (high - low) * value);
    });
}

// At most `fraction` of the elements may differ by more than absolute + relative * |expected|.
template <typename T>
void expect_images_near(const Image<T> &expected, const Image<T> &actual, double absolute,
                        double relative = 0.0, double fraction = 0.0) {
    std::int64_t wrong = 0;
    std::string first_wrong;
    expected.for_each_element([&](const int *at) {
        const double want = double(expected(at)), got = double(actual(at));
        if (!(std::abs(want - got) <= absolute + relative * std::abs(want))) {
            if (wrong++ == 0) {
                for (int i = 0; i < expected.dimensions(); i++) {
                    first_wrong += (i == 0 ? "(" : ", ") + std::to_string(at[i]);
                }
                first_wrong +=
                    "): expected " + std::to_string(want) + ", got " + std::to_string(got);
            }
        }
    });
    EXPECT_LE(double(wrong), fraction * double(expected.number_of_elements()))
        << wrong << " of " << expected.number_of_elements() << " differ, first at " << first_wrong;
}

template <typename T>
void expect_images_equal(const Image<T> &expected, const Image<T> &actual) {
    expect_images_near(expected, actual, 0.0);
}

}  // namespace cryolite::apps

// Instantiates a fixture that is parameterised over Variant for both schedules of an app.
#define CRYOLITE_INSTANTIATE_APP(fixture, app)                                   \
    INSTANTIATE_TEST_SUITE_P(                                                    \
        schedules, fixture,                                                      \
        testing::Values(Variant<decltype(app##_manual)>{"manual", app##_manual}, \
                        Variant<decltype(app##_root)>{"root", app##_root}),      \
        variant_name<decltype(app##_manual)>)
