// Whole pipelines with streamed outputs against the same pipelines without: at sizes that leave
// tails, in crops whose rows start anywhere and at every alignment of the memory. What lies around
// the crop must not be touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "copy_manual.h"
#include "copy_streamed.h"
#include "mask_manual.h"
#include "mask_streamed.h"
#include "rgb_yuv420_manual.h"
#include "rgb_yuv420_streamed.h"
#include "tests/apps/app_test.h"
#include "transpose_manual.h"
#include "transpose_mask_manual.h"
#include "transpose_mask_streamed.h"
#include "transpose_streamed.h"

namespace cryolite::apps {
namespace {

struct Shape {
    int width, height;
    int row_elements;   // from one row to the next
    int first_element;  // where the first row starts, counted from an aligned address
};

// Multiples of whole cache lines, tails, prime sizes, rows that start off the line or that start
// elsewhere in every row.
const std::vector<Shape> shapes = {
    {256, 64, 256, 0}, {256, 64, 256, 16}, {256, 64, 256, 1},  {128, 32, 272, 4},
    {101, 67, 112, 0}, {101, 67, 101, 3},  {277, 131, 277, 0}, {16, 16, 16, 8},
};

// A two-dimensional output with margins around it.
template <typename T>
class Output {
public:
    explicit Output(const Shape &shape)
        : memory_(margin + shape.first_element + std::size_t(shape.row_elements) * shape.height +
                      2 * margin,
                  T(0x5a)) {
        const std::size_t address = reinterpret_cast<std::size_t>(memory_.data());
        const std::size_t to_line = (line_bytes - address % line_bytes) % line_bytes / sizeof(T);
        const halide_dimension_t dimensions[] = {{0, shape.width, 1},
                                                 {0, shape.height, shape.row_elements}};
        view = Image<T>(memory_.data() + margin + to_line + shape.first_element, 2, dimensions);
        start_ = std::size_t(view.data() - memory_.data());
    }

    // From an aligned address on, so that outputs of equal shapes compare as a whole.
    std::vector<T> all() const {
        const std::size_t before = margin / 2;
        return {memory_.begin() + std::ptrdiff_t(start_ - before), memory_.end() - 2 * line_bytes};
    }

    Image<T> view;

private:
    static constexpr std::size_t line_bytes = 64, margin = 256;
    std::vector<T> memory_;
    std::size_t start_ = 0;
};

template <typename T>
using Call = std::function<int(const Shape &, Image<T> &)>;

template <typename T>
void expect_same(const Call<T> &plain, const Call<T> &streamed) {
    for (const Shape &shape : shapes) {
        SCOPED_TRACE(testing::Message() << shape.width << "x" << shape.height << ", rows of "
                                        << shape.row_elements << " from " << shape.first_element);
        Output<T> expected(shape), actual(shape);
        ASSERT_EQ(plain(shape, expected.view), 0);
        ASSERT_EQ(streamed(shape, actual.view), 0);
        const std::vector<T> want = expected.all(), got = actual.all();
        const std::size_t compared = std::min(want.size(), got.size());
        EXPECT_EQ(std::memcmp(want.data(), got.data(), compared * sizeof(T)), 0);
    }
}

template <typename T>
Image<T> filled(int width, int height, int seed) {
    Image<T> image(width, height);
    fill_image(image, 0.0, 1e6, seed);
    return image;
}

template <typename T, typename Function>
Call<T> of_one(Function *function, bool transposed) {
    return [=](const Shape &shape, Image<T> &output) {
        Image<T> a = transposed ? filled<T>(shape.height, shape.width, 1)
                                : filled<T>(shape.width, shape.height, 1);
        return function(a, output);
    };
}

template <typename T, typename Function>
Call<T> of_two(Function *function, bool transposed) {
    return [=](const Shape &shape, Image<T> &output) {
        Image<T> a = transposed ? filled<T>(shape.height, shape.width, 1)
                                : filled<T>(shape.width, shape.height, 1);
        Image<T> b = filled<T>(shape.width, shape.height, 2);
        return function(a, b, output);
    };
}

TEST(StreamedApps, copy) {
    expect_same<float>(of_one<float>(copy_manual, false), of_one<float>(copy_streamed, false));
}

TEST(StreamedApps, mask) {
    expect_same<std::uint32_t>(of_two<std::uint32_t>(mask_manual, false),
                               of_two<std::uint32_t>(mask_streamed, false));
}

TEST(StreamedApps, transpose) {
    expect_same<float>(of_one<float>(transpose_manual, true),
                       of_one<float>(transpose_streamed, true));
}

TEST(StreamedApps, transpose_mask) {
    expect_same<std::uint32_t>(of_two<std::uint32_t>(transpose_mask_manual, true),
                               of_two<std::uint32_t>(transpose_mask_streamed, true));
}

// Bytes, three outputs, two rows at a time.
TEST(StreamedApps, rgb_yuv420) {
    for (const auto &[width, height] : {std::pair{256, 64}, {203, 101}, {2, 2}}) {
        Image<std::uint8_t> input(width, height, 3);
        fill_image(input, 0, 256);
        std::vector<Image<std::uint8_t>> expected, actual;
        for (auto *images : {&expected, &actual}) {
            images->emplace_back(width, height);
            images->emplace_back(width / 2, height / 2);
            images->emplace_back(width / 2, height / 2);
        }
        ASSERT_EQ(rgb_yuv420_manual(input, expected[0], expected[1], expected[2]), 0);
        ASSERT_EQ(rgb_yuv420_streamed(input, actual[0], actual[1], actual[2]), 0);
        for (std::size_t i = 0; i < expected.size(); i++) {
            expect_images_equal(expected[i], actual[i]);
        }
    }
}

}  // namespace
}  // namespace cryolite::apps
