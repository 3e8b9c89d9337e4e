// Products of matrices in plain C++, summed in double: what the tests of this group compare with.
#pragma once

#include "tests/apps/app_test.h"

namespace cryolite::apps {

// The sum over k of left(k, row) right(column, k). Sums are rounded once, at the end.
inline Image<float> product_of(const Image<float> &left, const Image<float> &right) {
    Image<float> product(right.width(), left.height());
    product.for_each_element([&](int column, int row) {
        double sum = 0;
        for (int k = 0; k < left.width(); k++) {
            sum += double(left(k, row)) * right(column, k);
        }
        product(column, row) = float(sum);
    });
    return product;
}

inline Image<float> transpose_of(const Image<float> &matrix) {
    Image<float> transpose(matrix.height(), matrix.width());
    transpose.for_each_element([&](int x, int y) { transpose(x, y) = matrix(y, x); });
    return transpose;
}

inline Image<float> matrix_of(int columns, int rows, int seed) {
    Image<float> matrix(columns, rows);
    fill_image(matrix, -1.0, 1.0, seed);
    return matrix;
}

// They differ by the rounding of sums of a few hundred terms of magnitude 1.
inline void expect_sums_near(const Image<float> &expected, const Image<float> &actual) {
    expect_images_near(expected, actual, 1e-4, 1e-5);
}

// Sizes that no register tile divides; the first is little more than one tile (8 x 48 with
// AVX-512).
struct MatrixSize {
    int columns, rows, depth;
};
constexpr MatrixSize odd_sizes[] = {{53, 13, 1}, {151, 401, 77}, {331, 263, 130}};

}  // namespace cryolite::apps
