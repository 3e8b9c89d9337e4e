#include "tests/apps/networks/network_reference.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "indirect_manual.h"
#include "indirect_root.h"

namespace cryolite::apps {
namespace {

using Indices = Image<std::int32_t>;

class IndirectTest : public testing::TestWithParam<Variant<decltype(indirect_manual)>> {};

// Indices lie on both sides of what is there, the extreme integers among them.
TEST_P(IndirectTest, looks_up_and_clamps) {
    for (const auto &[width, tokens, slots, rows] :
         {std::tuple{1, 1, 1, 1}, {13, 7, 3, 5}, {64, 37, 8, 41}, {97, 65, 5, 17}}) {
        const int segment_count = 3, positions = 11;
        Indices ids(slots, tokens), segments(tokens), starts(segment_count), permutation(width);
        ids.for_each_element([&](int s, int t) { ids(s, t) = (s * 7 + t * 5) % (rows + 6) - 3; });
        ids(0, 0) = std::numeric_limits<std::int32_t>::min();
        ids(slots - 1, tokens - 1) = std::numeric_limits<std::int32_t>::max();
        segments.for_each_element([&](int t) { segments(t) = t / 8 - 1; });
        starts.for_each_element([&](int s) { starts(s) = 9 * s + 2; });
        permutation.for_each_element(
            [&](int c) { permutation(c) = (5 * c + 3) % (width + 2) - 1; });
        Image<float> weights = random_image(1, slots, tokens),
                     table = random_image(2, rows * width);
        Image<float> position_table = random_image(3, width, positions), output(width, tokens);
        ASSERT_EQ(GetParam().function(ids, weights, table, segments, starts, position_table,
                                      permutation, output),
                  0);

        Image<float> expected(width, tokens);
        for (int t = 0; t < tokens; t++) {
            std::vector<double> bag(width, 0.0);
            double energy = 0.0;
            for (int c = 0; c < width; c++) {
                for (int s = 0; s < slots; s++) {
                    const int row = std::clamp(ids(s, t), 0, rows - 1);
                    bag[c] += double(weights(s, t)) * table(row * width + c);
                }
                energy += bag[c] * bag[c];
            }
            const int start = starts(std::clamp(segments(t), 0, segment_count - 1));
            const int position = std::clamp(t - start, 0, positions - 1);
            for (int c = 0; c < width; c++) {
                const int from = std::clamp(permutation(c), 0, width - 1);
                expected(c, t) = float(bag[from] / std::sqrt(energy / width + 1e-6) +
                                       position_table(from, position));
            }
        }
        expect_images_near(expected, output, 1e-4, 1e-4);
    }
}

CRYOLITE_INSTANTIATE_APP(IndirectTest, indirect);

}  // namespace
}  // namespace cryolite::apps
