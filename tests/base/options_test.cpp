#include "base/options.h"

#include <gtest/gtest.h>

namespace cryolite {
namespace {

struct Settings {
    int64_t beam = 32;
    double limit = 1.5;
    bool verify = true;
    std::string level = "silent";
    OptionTable table() {
        OptionTable t;
        t.integer("beam_size", &beam, 1, 100, "states kept")
            .real("limit", &limit, 0, 10, "seconds")
            .flag("verify", &verify, "check")
            .choice("level", &level, {"silent", "info"}, "how much is said");
        return t;
    }
};

TEST(Options, are_set_from_text) {
    Settings s;
    EXPECT_TRUE(
        s.table()
            .parse({{"beam_size", "7"}, {"limit", "0.25"}, {"verify", "false"}, {"level", "info"}})
            .ok());
    EXPECT_EQ(s.beam, 7);
    EXPECT_EQ(s.limit, 0.25);
    EXPECT_FALSE(s.verify);
    EXPECT_EQ(s.level, "info");
}

TEST(Options, an_unknown_one_names_the_nearest_and_lists_all) {
    Settings s;
    const auto r = s.table().parse({{"beamsize", "7"}});
    ASSERT_FALSE(r.ok());
    EXPECT_NE(r.error().message.find("did you mean 'beam_size'"), std::string::npos);
    EXPECT_NE(r.error().message.find("beam_size, "), std::string::npos) << r.error().message;
    EXPECT_NE(r.error().message.find("limit"), std::string::npos) << r.error().message;
}

TEST(Options, a_bad_value_says_what_it_must_be_and_changes_nothing) {
    for (const auto &[name, value, expected] :
         {std::tuple{"beam_size", "0", "integer from 1 to 100"},
          {"beam_size", "12x", "integer from 1 to 100"},
          {"limit", "nan", "number from 0 to 10"},
          {"verify", "maybe", "true or false"},
          {"level", "loud", "one of silent, info"}}) {
        Settings s;
        std::map<std::string, std::string> values{{name, value}};
        values.emplace("beam_size", "5");
        values.emplace("limit", "2");
        const auto r = s.table().parse(values);
        ASSERT_FALSE(r.ok()) << name;
        EXPECT_NE(r.error().message.find(expected), std::string::npos) << r.error().message;
        EXPECT_EQ(s.beam, 32);
        EXPECT_EQ(s.limit, 1.5);
    }
}

}  // namespace
}  // namespace cryolite
