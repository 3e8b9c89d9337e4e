#include "apps/common/app_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace cryolite::apps {
namespace {

TEST(AppListTest, names_the_same_apps_as_the_build) {
    std::string names;
    for (const AppDescription &app : app_list()) {
        names += app.name + " " + app.generator_name() + " ";
        std::string separator;
        for (const auto &[key, value] : app.parameters) {
            names += separator + key + "=" + value;
            separator = " ";
        }
        names += "\n";
    }
    EXPECT_EQ(names, CRYOLITE_APP_NAMES);
}

TEST(AppListTest, has_its_outputs_at_the_end_and_distinct_argument_names) {
    for (const AppDescription &app : app_list()) {
        ASSERT_FALSE(app.arguments.empty()) << app.name;
        std::set<std::string> names;
        bool outputs_began = false;
        for (const Argument &argument : app.arguments) {
            EXPECT_TRUE(names.insert(argument.name).second) << app.name << " " << argument.name;
            EXPECT_TRUE(argument.kind == Argument::Kind::OutputBuffer || !outputs_began)
                << app.name << " " << argument.name;
            outputs_began = argument.kind == Argument::Kind::OutputBuffer;
            EXPECT_EQ(argument.kind == Argument::Kind::Scalar, argument.extents.empty())
                << app.name << " " << argument.name;
        }
        EXPECT_TRUE(outputs_began) << app.name;
    }
}

TEST(AppListTest, fills_are_repeatable_and_inside_their_bounds) {
    Argument argument{"input",
                      Argument::Kind::InputBuffer,
                      ElementType::UInt16,
                      {300, 200, 3},
                      Fill::SmoothImage,
                      25,
                      1023,
                      7};
    std::vector<std::uint16_t> first(300 * 200 * 3), second(first.size());
    fill_argument(argument, first.data());
    fill_argument(argument, second.data());
    EXPECT_EQ(first, second);
    const auto [low, high] = std::minmax_element(first.begin(), first.end());
    EXPECT_GE(*low, 25);
    EXPECT_LE(*high, 1023);
    EXPECT_GT(*high - *low, 500) << "an image has contrast";
    argument.seed = 8;
    fill_argument(argument, second.data());
    EXPECT_NE(first, second);
}

TEST(AppListTest, a_scalar_is_its_value) {
    const Argument argument{
        "gamma", Argument::Kind::Scalar, ElementType::Float32, {}, Fill::Zero, 2.0, 2.0, 0};
    float value = 0;
    fill_argument(argument, &value);
    EXPECT_EQ(value, 2.0f);
}

}  // namespace
}  // namespace cryolite::apps
