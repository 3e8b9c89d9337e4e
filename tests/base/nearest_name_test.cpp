#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/nearest_name.h"

namespace cryolite {
namespace {

const std::vector<std::string> commands{"machine", "explain", "tune", "--trace", "--target"};

TEST(NearestName, IsTheOneWithTheFewestChanges) {
    EXPECT_EQ(nearest_name("machin", commands), "machine");
    EXPECT_EQ(nearest_name("--tarce", commands), "--trace");
    EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(NearestName, IsNotGuessedFromFarAway) {
    EXPECT_EQ(near_name("epxlain", commands), "explain");
    EXPECT_EQ(near_name("tun", commands), "tune");
    EXPECT_EQ(near_name("frobnicate", commands), "");
    EXPECT_EQ(near_name("-q", commands), "");
    EXPECT_EQ(near_name("", {}), "");
}

}  // namespace
}  // namespace cryolite
