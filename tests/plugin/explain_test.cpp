// The option `explain`: what the plugin writes is of the schedule that it returns.
#include <unistd.h>

#include <filesystem>

#include "analytical/explain/explanation_json.h"
#include "tests/plugin/plugin_run.h"

namespace cryolite {
namespace {

using testing::box_filter;
using testing::complaint;
using testing::quick;
using testing::schedule;

class PluginExplain : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("cryolite_plugin_explain_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string file() const { return (folder_ / "explanation.json").string(); }

    std::filesystem::path folder_;
};

TEST_F(PluginExplain, writes_down_the_schedule_that_is_returned) {
    for (const char *mode : {"one_shot", "plain"}) {
        const auto results = schedule(box_filter(), quick({{"mode", mode}, {"explain", file()}}));
        const auto e = read_explanation(file());
        ASSERT_TRUE(e.ok()) << e.error().message;
        EXPECT_EQ(e->trace,
                  std::string(results.featurization.begin(), results.featurization.end()));
        EXPECT_EQ(e->pipeline.rfind("output", 0), 0u);
        EXPECT_EQ(e->target, Halide::get_host_target().to_string());
        EXPECT_NE(e->machine_source, "");
        EXPECT_GT(e->seconds, 0);
        EXPECT_FALSE(e->stages.empty());
        ASSERT_FALSE(e->constants.empty());
        EXPECT_EQ(e->constants[0], (ExplainedConstant{"cores", 4, "cores"}));
    }
}

TEST_F(PluginExplain, is_an_error_where_nothing_can_be_written) {
    const std::string said =
        complaint(box_filter(), quick({{"explain", (folder_ / "no/such.json").string()}}));
    EXPECT_NE(said.find("Cryolite: cannot write"), said.npos) << said;
    EXPECT_EQ(complaint(box_filter(), quick({{"explain", folder_.string()}}))
                  .find("Cryolite: cannot write"),
              0u);
}

}  // namespace
}  // namespace cryolite
