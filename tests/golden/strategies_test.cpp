// Every app gets a complete legal schedule from every strategy.
#include <gtest/gtest.h>

#include "apps/common/app_list.h"
#include "code/legality/validate.h"
#include "reference/strategy.h"
#include "tests/golden/app_graph.h"

namespace cryolite {
namespace {

class StrategiesOfApps : public ::testing::TestWithParam<std::string> {};

TEST_P(StrategiesOfApps, are_complete_and_legal) {
    const BuiltGraph built = testing::build_app(GetParam());
    for (const std::string &name : strategy_names()) {
        const StrategyResult result =
            schedule_by(*strategy_named(name), built.graph, testing::golden_machine());
        EXPECT_TRUE(result.nest.complete()) << name;
        EXPECT_EQ(validate(result.nest), "") << name;
        const StrategyReport &report = result.report;
        EXPECT_GT(report.stages_as_planned + report.stages_adapted + report.stages_plain, 0u)
            << name;
    }
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const apps::AppDescription &app : apps::app_list()) all.push_back(app.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Apps, StrategiesOfApps, ::testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

}  // namespace
}  // namespace cryolite
