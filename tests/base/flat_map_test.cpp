#include "base/flat_map.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace cryolite {
namespace {

TEST(FlatMap, BehavesAsAMap) {
    Random random(1);
    FlatMap<int, int> map;
    std::map<int, int> expected;
    for (int step = 0; step < 200; step++) {
        const int key = static_cast<int>(random.below(100));
        map[key] = expected[key] = step;
        ASSERT_EQ(map.size(), expected.size());
        auto it = map.begin();
        for (const auto &[k, v] : expected) {
            EXPECT_EQ(it->first, k);
            EXPECT_EQ(it->second, v);
            EXPECT_EQ(map.at(k), v);
            ++it;
        }
        const int asked = static_cast<int>(random.below(100));
        EXPECT_EQ(map.contains(asked), expected.contains(asked));
        EXPECT_EQ(map.find(asked) == map.end(), !expected.contains(asked));
    }
}

}  // namespace
}  // namespace cryolite
