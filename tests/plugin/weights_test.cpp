// The option `weights`: what a network does to a schedule, and which files are refused.
#include "analytical/explain/explanation_json.h"
#include "tests/model/made_network.h"
#include "tests/plugin/plugin_run.h"
#include "tests/temporary_folder.h"

namespace cryolite {
namespace {

using testing::box_filter;
using testing::complaint;
using testing::quick;
using testing::schedule;

class PluginWeights : public ::testing::Test {
protected:
    std::string file(const NetworkParameters &parameters) {
        return folder_.file("w.safetensors", weights_bytes({parameters, {}}));
    }
    Explanation explained(const std::string &weights, const std::string &mode = "plain") {
        const std::string path = folder_.path("e.json").string();
        schedule(box_filter(), quick({{"weights", weights}, {"mode", mode}, {"explain", path}}));
        const auto e = read_explanation(path);
        EXPECT_TRUE(e.ok());
        return e.ok() ? *e : Explanation{};
    }
    TemporaryFolder folder_;
};

TEST_F(PluginWeights, untrained_change_nothing) {
    const std::string weights = file(untrained_network(1, 2));
    const Explanation with = explained(weights, "one_shot"),
                      without = explained("none", "one_shot");
    EXPECT_EQ(with.seconds, without.seconds);
    EXPECT_EQ(with.stages.size(), without.stages.size());
    EXPECT_EQ(explained(weights).seconds, explained("none").seconds);
}

TEST_F(PluginWeights, correct_the_prediction_and_say_how_far_they_are_trusted) {
    const Explanation before = explained(""), after = explained(file(made_network(1, 2)));
    EXPECT_NE(before.seconds, after.seconds);
    ASSERT_FALSE(after.stages.empty());
    EXPECT_EQ(after.stages[0].trust, 1);
    const Explanation beyond = explained(file(made_network(1, 2, 0)));
    EXPECT_LT(beyond.stages[0].trust, 1);
    EXPECT_GT(beyond.stages[0].trust, 0);
}

TEST_F(PluginWeights, serve_a_search) {
    EXPECT_EQ(complaint(box_filter(), quick({{"weights", file(made_network(1, 2))}})), "");
}

TEST_F(PluginWeights, are_asked_for_by_the_option_model) {
    const std::string weights = file(made_network(1, 2));
    const auto seconds = [&](const testing::Options &options) {
        const std::string path = folder_.path("e.json").string();
        testing::Options all = options;
        all.insert({{"mode", "plain"}, {"explain", path}});
        schedule(box_filter(), quick(all));
        return read_explanation(path).value().seconds;
    };
    const double analytical = seconds({}), learned = seconds({{"weights", weights}});
    EXPECT_NE(analytical, learned);
    EXPECT_EQ(seconds({{"model", "learned"}, {"weights", weights}}), learned);
    EXPECT_EQ(seconds({{"model", "analytical"}, {"weights", weights}}), analytical);
    EXPECT_EQ(seconds({{"model", "analytical"}}), analytical);
    for (const testing::Options &none :
         {testing::Options{}, testing::Options{{"weights", "none"}}}) {
        testing::Options asked = none;
        asked["model"] = "learned";
        const std::string said = complaint(box_filter(), quick(asked));
        EXPECT_NE(said.find("weights=FILE"), said.npos) << said;
        EXPECT_NE(said.find("cryolite train"), said.npos) << said;
    }
    EXPECT_NE(complaint(box_filter(), quick({{"model", "other"}})), "");
}

TEST_F(PluginWeights, say_how_far_their_members_are_apart_and_price_it) {
    const std::string weights = file(made_network(1, 3));
    const Explanation e = explained(weights);
    EXPECT_GT(e.spread, 0);
    EXPECT_GT(e.stages[0].spread, 0);
    const std::string path = folder_.path("e.json").string();
    schedule(box_filter(),
             quick({{"weights", weights}, {"mode", "plain"}, {"explain", path}, {"risk", "1"}}));
    EXPECT_GT(read_explanation(path).value().seconds, e.seconds);
    EXPECT_EQ(explained(file(untrained_network(1, 3))).spread, 0);
    EXPECT_EQ(explained(file(made_network(1, 1))).spread, 0);
    const auto refused = [&](testing::Options options) {
        options["risk"] = "1";
        return complaint(box_filter(), quick(options));
    };
    EXPECT_NE(refused({}).find("without weights=FILE"), std::string::npos);
    EXPECT_NE(refused({{"model", "analytical"}, {"weights", file(made_network(1, 3))}})
                  .find("without weights=FILE"),
              std::string::npos);
    EXPECT_NE(refused({{"weights", file(made_network(1, 1))}}).find("several members"),
              std::string::npos);
    const std::string factors =
        folder_.file("w.json", R"({"cryolite_coefficients": 1, "factors": {}})");
    EXPECT_NE(refused({{"weights", factors}}).find("holds factors"), std::string::npos);
}

TEST_F(PluginWeights, damaged_are_refused_by_name) {
    const std::string bytes = weights_bytes(made_weights());
    const std::string path = folder_.file("cut.safetensors", bytes.substr(0, bytes.size() / 2));
    const std::string said = complaint(box_filter(), quick({{"weights", path}}));
    EXPECT_NE(said.find(path), said.npos) << said;
}

}  // namespace
}  // namespace cryolite
