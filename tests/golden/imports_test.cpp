// The manual CPU schedule of every app, imported: what it becomes, and what has no place in our space.
#include <gtest/gtest.h>

#include <regex>

#include "apps/common/app_list.h"
#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/import/clear_schedule.h"
#include "emit/import/import_schedule.h"
#include "schedule/trace_text.h"
#include "tests/golden/app_graph.h"
#include "tests/golden/golden_file.h"

namespace cryolite {
namespace {

class Imports : public ::testing::TestWithParam<std::string> {};

TEST_P(Imports, of_the_manual_schedule_are_legal_and_name_their_differences) {
    const Halide::Pipeline pipeline = testing::app_by_hand(GetParam());
    const PipelineView by_hand = view_pipeline(outputs_of(pipeline));
    clear_schedules(outputs_of(pipeline));
    const Result<BuiltGraph> built = build_graph(outputs_of(pipeline), testing::golden_target());
    ASSERT_TRUE(built.ok()) << built.error().message;
    for (const Func &func : built->graph.funcs()) EXPECT_FALSE(func.locked) << func.locked_because;

    const Result<ImportedSchedule> imported = import_schedule(*built, by_hand);
    ASSERT_TRUE(imported.ok()) << imported.error().message;
    EXPECT_TRUE(imported->nest.complete());
    EXPECT_EQ(validate(imported->nest), "");
    const auto again = replay(built->graph, trace_of(imported->nest));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->hash(), imported->nest.hash());

    std::string text;
    for (const ScheduleDifference &d : imported->differences)
        text += std::string(name(d.kind)) + " " + to_text(d) + "\n";
    text += std::to_string(imported->differences.size()) + " differences\n";
    text += to_text(built->graph, trace_of(imported->nest));
    // Halide also numbers what has no name.
    text = std::regex_replace(testing::unnumbered(text), std::regex("\\br[0-9]+\\$"), "r$$");
    text = std::regex_replace(text, std::regex("\\blambda_[0-9]+"), "lambda");
    text = std::regex_replace(text, std::regex("(_[0-9]+)+_intm\\b"), "_intm");
    testing::expect_golden("import/" + GetParam() + ".txt", text);
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const apps::AppDescription &app : apps::app_list()) all.push_back(app.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Apps, Imports, ::testing::ValuesIn(names()),
                         [](const auto &info) { return info.param; });

}  // namespace
}  // namespace cryolite
