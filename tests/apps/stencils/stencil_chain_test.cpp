#include "tests/apps/app_test.h"

#include <algorithm>
#include <vector>

#include "stencil_chain_manual.h"
#include "stencil_chain_root.h"

namespace cryolite::apps {
namespace {

using Pixels = Image<std::uint16_t>;

Pixels reference(const Pixels &input) {
    const int stencils = 32, halo = 2 * stencils;
    const int width = input.width() + 2 * halo, height = input.height() + 2 * halo;
    std::vector<std::uint16_t> now(size_t(width) * size_t(height)), next(now.size());
    const auto index = [&](int x, int y) { return size_t(y) * size_t(width) + size_t(x); };
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            now[index(x, y)] = input(std::clamp(x - halo, 0, input.width() - 1),
                                     std::clamp(y - halo, 0, input.height() - 1));
        }
    }
    for (int s = 1; s <= stencils; s++) {
        for (int y = 2 * s; y < height - 2 * s; y++) {
            for (int x = 2 * s; x < width - 2 * s; x++) {
                std::uint32_t sum = 0;
                for (int j = 0; j < 5; j++) {
                    for (int i = 0; i < 5; i++) {
                        const auto weight = std::uint32_t(1 + 2 * ((3 * i + 5 * j + s) % 7));
                        sum += weight * now[index(x + i - 2, y + j - 2)];
                    }
                }
                next[index(x, y)] = std::uint16_t(sum);
            }
        }
        std::swap(now, next);
    }
    Pixels output(input.width(), input.height());
    output.for_each_element([&](int x, int y) { output(x, y) = now[index(x + halo, y + halo)]; });
    return output;
}

class StencilChainTest : public testing::TestWithParam<Variant<decltype(stencil_chain_manual)>> {};

TEST_P(StencilChainTest, chains_all_stencils_at_any_size) {
    for (const auto &[width, height] : {std::pair{131, 97}, {33, 65}, {5, 2}, {1, 1}}) {
        Pixels input(width, height), output(width, height);
        fill_image(input, 0, 65535);
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(reference(input), output);
    }
}

CRYOLITE_INSTANTIATE_APP(StencilChainTest, stencil_chain);

}  // namespace
}  // namespace cryolite::apps
