#include "tests/apps/app_test.h"

#include <vector>

#include "game_of_life_manual.h"
#include "game_of_life_root.h"

namespace cryolite::apps {
namespace {

using Cells = Image<std::uint8_t>;

constexpr int generations = 30;

// On a board with a margin that nothing crosses in thirty generations.
Cells reference(const Cells &input) {
    const int margin = generations + 1, width = input.width() + 2 * margin,
              height = input.height() + 2 * margin;
    std::vector<int> cells(size_t(width * height)), next(cells.size());
    const auto at = [&](std::vector<int> &board, int x, int y) -> int & {
        return board[size_t((y + margin) * width + x + margin)];
    };
    input.for_each_element([&](int x, int y) { at(cells, x, y) = input(x, y); });
    for (int i = 0; i < generations; i++) {
        for (int y = 1 - margin; y < height - margin - 1; y++) {
            for (int x = 1 - margin; x < width - margin - 1; x++) {
                int count = -at(cells, x, y);
                for (int k = 0; k < 9; k++) {
                    count += at(cells, x + k % 3 - 1, y + k / 3 - 1);
                }
                at(next, x, y) = count == 3 || (count == 2 && at(cells, x, y) == 1);
            }
        }
        cells.swap(next);
    }
    Cells output(input.width(), input.height());
    output.for_each_element([&](int x, int y) { output(x, y) = std::uint8_t(at(cells, x, y)); });
    return output;
}

class GameOfLifeTest : public testing::TestWithParam<Variant<decltype(game_of_life_manual)>> {};

TEST_P(GameOfLifeTest, lives_for_thirty_generations_at_any_size) {
    for (const auto &[width, height] : {std::pair{301, 97}, {2100, 33}, {40, 3}, {1, 1}}) {
        Cells input(width, height), output(width, height);
        input.for_each_element([&](int x, int y) {
            input(x, y) = test_value(x, y, 0, 0) + test_value(y, x, 1, 1) > 1.1;
        });
        ASSERT_EQ(GetParam().function(input, output), 0);
        expect_images_equal(reference(input), output);
    }
}

TEST_P(GameOfLifeTest, moves_a_glider_out_of_the_board_and_not_back) {
    Cells input(24, 20), output(24, 20), expected(24, 20);
    input.fill(0);
    expected.fill(0);
    // A glider moves down and right by a cell in four generations.
    const auto glider = [](Cells &board, int x, int y) {
        board(x + 1, y) = board(x + 2, y + 1) = board(x, y + 2) = board(x + 1, y + 2) =
            board(x + 2, y + 2) = 1;
    };
    glider(input, 3, 4);
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_equal(reference(input), output);
    int alive = 0;
    output.for_each_element([&](int x, int y) { alive += output(x, y); });
    EXPECT_EQ(alive, 5) << "a glider is five cells";
    input.fill(0);
    glider(input, 20, 16);
    ASSERT_EQ(GetParam().function(input, output), 0);
    expect_images_equal(expected, output);
}

CRYOLITE_INSTANTIATE_APP(GameOfLifeTest, game_of_life);

}  // namespace
}  // namespace cryolite::apps
