// What the tests of networks compare with: layers in plain loops and doubles.
#pragma once

#include <algorithm>

#include "tests/apps/app_test.h"

namespace cryolite::apps {

// A square filter(output channel, dx, dy, input channel) with a bias per output channel, over
// images(channel, x, y, n) with `padding` zeros on all four sides. Rounded to float once per value.
inline Image<float> convolution_reference(const Image<float> &input, const Image<float> &filter,
                                          const Image<float> &bias, int padding) {
    const int in_channels = input.dim(0).extent(), taps = filter.dim(1).extent();
    const int width = input.dim(1).extent(), height = input.dim(2).extent();
    Image<float> output(bias.dim(0).extent(), width + 2 * padding - (taps - 1),
                        height + 2 * padding - (taps - 1), input.dim(3).extent());
    output.for_each_element([&](int c, int x, int y, int n) {
        double sum = bias(c);
        for (int dy = 0; dy < taps; dy++) {
            for (int dx = 0; dx < taps; dx++) {
                const int from_x = x + dx - padding, from_y = y + dy - padding;
                if (from_x < 0 || from_x >= width || from_y < 0 || from_y >= height) {
                    continue;
                }
                for (int i = 0; i < in_channels; i++) {
                    sum += double(filter(c, dx, dy, i)) * input(i, from_x, from_y, n);
                }
            }
        }
        output(c, x, y, n) = float(sum);
    });
    return output;
}

inline Image<float> rectified(Image<float> image) {
    image.for_each_value([](float &value) { value = std::max(value, 0.0f); });
    return image;
}

// A filled image of these extents.
template <typename... Extents>
Image<float> random_image(int seed, Extents... extents) {
    Image<float> image(extents...);
    fill_image(image, -1.0, 1.0, seed);
    return image;
}

// A 1x1 filter(output channel, input channel) as convolution_reference wants it.
inline Image<float> as_square_filter(const Image<float> &filter) {
    Image<float> square(filter.dim(0).extent(), 1, 1, filter.dim(1).extent());
    square.for_each_element([&](int c, int, int, int i) { square(c, 0, 0, i) = filter(c, i); });
    return square;
}

}  // namespace cryolite::apps
