#include "tests/apps/app_test.h"

#include <vector>

#include "iir_blur_manual.h"
#include "iir_blur_root.h"

namespace cryolite::apps {
namespace {

// One line, forwards and then backwards.
void filter_line(std::vector<double> &line, double alpha) {
    for (size_t i = 1; i < line.size(); i++) {
        line[i] = line[i - 1] * (1 - alpha) + line[i] * alpha;
    }
    for (size_t i = line.size() - 1; i-- > 0;) {
        line[i] = line[i + 1] * (1 - alpha) + line[i] * alpha;
    }
}

Image<float> reference(const Image<float> &input, double alpha) {
    const int width = input.width(), height = input.height();
    Image<float> output(width, height, 3);
    for (int c = 0; c < 3; c++) {
        std::vector<std::vector<double>> columns;
        for (int x = 0; x < width; x++) {
            std::vector<double> column;
            for (int y = 0; y < height; y++) {
                column.push_back(input(x, y, c));
            }
            filter_line(column, alpha);
            columns.push_back(column);
        }
        for (int y = 0; y < height; y++) {
            std::vector<double> row;
            for (int x = 0; x < width; x++) {
                row.push_back(columns[size_t(x)][size_t(y)]);
            }
            filter_line(row, alpha);
            for (int x = 0; x < width; x++) {
                output(x, y, c) = float(row[size_t(x)]);
            }
        }
    }
    return output;
}

class IirBlurTest : public testing::TestWithParam<Variant<decltype(iir_blur_manual)>> {};

// The manual schedule needs images of at least 64 x 64 with AVX-512.
TEST_P(IirBlurTest, filters_columns_and_rows_both_ways) {
    for (const auto &[width, height] : {std::pair{131, 97}, {64, 64}, {65, 130}}) {
        for (const float alpha : {0.1f, 0.7f}) {
            Image<float> input(width, height, 3), output(width, height, 3);
            fill_image(input, 0.0, 1.0);
            ASSERT_EQ(GetParam().function(input, alpha, output), 0);
            expect_images_near(reference(input, alpha), output, 1e-5, 1e-4);
        }
    }
}

CRYOLITE_INSTANTIATE_APP(IirBlurTest, iir_blur);

}  // namespace
}  // namespace cryolite::apps
