// A plugin opened by another Halide than it was built for.
#include "plugin/halide_version.h"

#include <Halide.h>
#include <gtest/gtest.h>

namespace cryolite {
namespace {

TEST(HalideVersion, is_accepted_where_it_is_the_one_that_the_plugin_was_built_for) {
    EXPECT_EQ(halide_version_mismatch(), "");
}

TEST(HalideVersion, is_refused_with_both_versions_and_what_to_do) {
    const std::string newer_plugin = halide_version_mismatch(21, false);
    EXPECT_NE(newer_plugin.find("built for Halide 21"), newer_plugin.npos) << newer_plugin;
    EXPECT_NE(newer_plugin.find("older than version 20"), newer_plugin.npos) << newer_plugin;
    const std::string older_plugin = halide_version_mismatch(19, true);
    EXPECT_NE(older_plugin.find("built for Halide 19"), older_plugin.npos) << older_plugin;
    EXPECT_NE(older_plugin.find("version 20 or newer"), older_plugin.npos) << older_plugin;
    for (const std::string &message : {newer_plugin, older_plugin})
        EXPECT_NE(message.find("install Cryolite for the Halide that you use"), message.npos);
}

TEST(HalideVersion, matches_on_either_side_of_version_20) {
    EXPECT_EQ(halide_version_mismatch(19, false), "");
    EXPECT_EQ(halide_version_mismatch(21, true), "");
}

}  // namespace
}  // namespace cryolite
