#include "base/shared_array.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace cryolite {
namespace {

TEST(SharedArray, a_copy_and_the_original_change_apart) {
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, size_t{100}}) {
        SharedArray<int> first(size);
        EXPECT_EQ(first.size(), size);
        std::vector<int> expected(size, 0);
        Random random(size);
        for (int step = 0; step < 50 && size > 0; step++) {
            const SharedArray<int> before = first;
            const std::vector<int> expected_before = expected;
            const size_t at = random.below(size);
            first.set(at, step);
            expected[at] = step;
            for (size_t i = 0; i < size; i++) {
                EXPECT_EQ(first[i], expected[i]);
                EXPECT_EQ(before[i], expected_before[i]);
            }
        }
    }
}

TEST(SharedArray, visits_every_element_that_differs_and_no_untouched_block) {
    SharedArray<int, 4> first(10);
    SharedArray<int, 4> second = first;
    second.set(9, 1);
    std::vector<size_t> visited;
    second.for_each_unshared(first, [&](size_t i) { visited.push_back(i); });
    EXPECT_EQ(visited, (std::vector<size_t>{8, 9}));
    visited.clear();
    second.for_each_unshared(second, [&](size_t i) { visited.push_back(i); });
    EXPECT_TRUE(visited.empty());
}

}  // namespace
}  // namespace cryolite
