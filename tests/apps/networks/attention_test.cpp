#include "tests/apps/networks/network_reference.h"

#include <cmath>
#include <vector>

#include "attention_manual.h"
#include "attention_root.h"

namespace cryolite::apps {
namespace {

Image<float> reference(const Image<float> &queries, const Image<float> &keys,
                       const Image<float> &values) {
    const int channels = queries.dim(0).extent(), tokens = keys.dim(1).extent();
    Image<float> output(channels, queries.dim(1).extent(), queries.dim(2).extent());
    for (int head = 0; head < output.dim(2).extent(); head++) {
        for (int query = 0; query < output.dim(1).extent(); query++) {
            std::vector<double> weights(tokens);
            double total = 0.0;
            for (int key = 0; key < tokens; key++) {
                double score = 0.0;
                for (int c = 0; c < channels; c++) {
                    score += double(queries(c, query, head)) * keys(c, key, head);
                }
                weights[key] = std::exp(score / std::sqrt(double(channels)));
                total += weights[key];
            }
            for (int c = 0; c < channels; c++) {
                double sum = 0.0;
                for (int key = 0; key < tokens; key++) {
                    sum += weights[key] * values(c, key, head);
                }
                output(c, query, head) = float(sum / total);
            }
        }
    }
    return output;
}

class AttentionTest : public testing::TestWithParam<Variant<decltype(attention_manual)>> {
protected:
    Image<float> attend(Image<float> &queries, Image<float> &keys, Image<float> &values) {
        Image<float> output(queries.dim(0).extent(), queries.dim(1).extent(),
                            queries.dim(2).extent());
        EXPECT_EQ(GetParam().function(queries, keys, values, output), 0);
        return output;
    }
};

// The manual schedule needs at least 32 channels and keys, and 8 queries.
TEST_P(AttentionTest, mixes_the_values_by_the_softmax_of_the_scores) {
    for (const auto &[channels, length, keys_length, heads] :
         {std::tuple{32, 8, 32, 1}, {37, 43, 67, 3}, {64, 97, 101, 2}}) {
        Image<float> queries = random_image(1, channels, length, heads);
        Image<float> keys = random_image(2, channels, keys_length, heads);
        Image<float> values = random_image(3, channels, keys_length, heads);
        expect_images_near(reference(queries, keys, values), attend(queries, keys, values), 1e-5,
                           1e-5);
    }
}

// Every score is some +-100 times 32 / sqrt(32): without the maximum, exponentials overflow, and
// where all scores are very negative the total would be zero.
TEST_P(AttentionTest, takes_scores_of_any_magnitude) {
    Image<float> queries = random_image(1, 32, 16, 1), keys = random_image(2, 32, 40, 1);
    Image<float> values = random_image(3, 32, 40, 1);
    queries.for_each_element([&](int c, int q, int h) { queries(c, q, h) = q % 2 ? 10 : -10; });
    keys.for_each_element([&](int c, int k, int h) { keys(c, k, h) = k == 17 ? 9.0f : 10.0f; });
    const Image<float> output = attend(queries, keys, values);
    for (int c = 0; c < 32; c++) {
        // The negative queries like the smallest key best; the others like all the rest alike.
        EXPECT_NEAR(output(c, 0, 0), values(c, 17, 0), 1e-5);
        double mean = 0.0;
        for (int k = 0; k < 40; k++) {
            mean += k == 17 ? 0.0 : values(c, k, 0) / 39.0;
        }
        EXPECT_NEAR(output(c, 1, 0), mean, 1e-5);
    }
}

CRYOLITE_INSTANTIATE_APP(AttentionTest, attention);

}  // namespace
}  // namespace cryolite::apps
