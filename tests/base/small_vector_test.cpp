#include "base/small_vector.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/random.h"

namespace cryolite {
namespace {

using Small = SmallVector<int, 3>;

// Whether the elements lie in the object itself.
bool is_in_place(const Small &v) {
    const auto *object = reinterpret_cast<const char *>(&v);
    const auto *elements = reinterpret_cast<const char *>(v.data());
    return elements >= object && elements < object + sizeof v;
}

std::vector<int> copy_of(const Small &v) { return {v.begin(), v.end()}; }

TEST(SmallVector, KeepsFewElementsInPlace) {
    Small v{1, 2, 3};
    EXPECT_TRUE(is_in_place(v));
    v.push_back(4);
    EXPECT_FALSE(is_in_place(v));
    EXPECT_EQ(copy_of(v), (std::vector{1, 2, 3, 4}));
}

TEST(SmallVector, CopiesAreTheirOwn) {
    for (const Small &original : {Small{1, 2}, Small{1, 2, 3, 4, 5}}) {
        Small copy = original;
        copy[0] = 9;
        EXPECT_EQ(original[0], 1);
        copy = original;
        EXPECT_EQ(copy, original);
        copy = Small{7};
        EXPECT_EQ(copy, Small{7});
    }
}

TEST(SmallVector, WhatWasMovedIsEmptyAndUsable) {
    for (const Small &original : {Small{1, 2}, Small{1, 2, 3, 4, 5}}) {
        Small from = original;
        Small to = std::move(from);
        EXPECT_EQ(to, original);
        EXPECT_TRUE(from.empty());
        from.assign(5, 8);
        EXPECT_EQ(to, original);
        to = std::move(from);
        EXPECT_EQ(to, Small(5, 8));
        Small &same = to;
        to = std::move(same);
        EXPECT_EQ(to, Small(5, 8));
    }
}

TEST(SmallVector, AnElementMayBeAddedToItsOwnVector) {
    Small v{1, 2, 3};
    v.push_back(v.front());
    v.resize(6, v.back());
    EXPECT_EQ(copy_of(v), (std::vector{1, 2, 3, 1, 1, 1}));
    v.assign(8, v[1]);
    EXPECT_EQ(v, Small(8, 2));
}

TEST(SmallVector, BehavesAsAVector) {
    Random random(1);
    for (int run = 0; run < 50; run++) {
        Small v;
        std::vector<int> expected;
        for (int step = 0; step < 60; step++) {
            const auto at = static_cast<std::ptrdiff_t>(random.below(expected.size() + 1));
            const int value = static_cast<int>(random.below(100));
            const auto size = static_cast<size_t>(random.below(8));
            switch (random.below(6)) {
                case 0:
                    v.push_back(value);
                    expected.push_back(value);
                    break;
                case 1: {
                    const std::vector<int> more(size, value);
                    v.insert(v.begin() + at, more.begin(), more.end());
                    expected.insert(expected.begin() + at, more.begin(), more.end());
                    break;
                }
                case 2:
                    if (static_cast<size_t>(at) == expected.size()) break;
                    v.erase(v.begin() + at);
                    expected.erase(expected.begin() + at);
                    break;
                case 3:
                    v.resize(size, value);
                    expected.resize(size, value);
                    break;
                case 4:
                    v.assign(size, value);
                    expected.assign(size, value);
                    break;
                case 5: {
                    const Small copy = v;
                    v.clear();
                    v.append(copy.begin(), copy.end());
                    break;
                }
            }
            ASSERT_EQ(copy_of(v), expected);
        }
    }
}

}  // namespace
}  // namespace cryolite
