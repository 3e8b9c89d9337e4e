// What the tuner takes from its command line and shows of its progress.
#include <gtest/gtest.h>

#include "tools/tune/budget.h"
#include "tools/tune/inputs.h"
#include "tools/tune/progress_text.h"

namespace cryolite::tools {
namespace {

TEST(Budget, is_a_time_or_a_number_of_schedules) {
    EXPECT_EQ(parse_budget("90s")->seconds, 90);
    EXPECT_EQ(parse_budget("10m")->seconds, 600);
    EXPECT_EQ(parse_budget("1.5h")->seconds, 5400);
    EXPECT_EQ(parse_budget("200")->schedules, 200);
    EXPECT_EQ(parse_budget("200")->seconds, 0);
    for (const char *wrong : {"", "h", "-1", "0", "10x", "1.5", "nan", "inf", "1e99", "10 m"})
        EXPECT_FALSE(parse_budget(wrong).ok()) << wrong;
}

TEST(Duration, is_written_for_people) {
    EXPECT_EQ(duration_text(12.4), "12 s");
    EXPECT_EQ(duration_text(200), "3 min 20 s");
    EXPECT_EQ(duration_text(3900), "1 h 05 min");
    EXPECT_EQ(duration_text(-3), "0 s");
}

TEST(InputOptions, become_a_request) {
    RunRequest request;
    const auto added = add_inputs(
        {{}, {"in=-1.5:2"}, {"n=3", "large=18446744073709551615", "k=0.25"}, {"out=640x480x3"}},
        request);
    ASSERT_TRUE(added.ok()) << added.error().message;
    EXPECT_EQ(request.inputs["in"].range, (std::array<double, 2>{-1.5, 2}));
    EXPECT_EQ(std::get<int64_t>(request.scalars["n"]), 3);
    EXPECT_EQ(std::get<uint64_t>(request.scalars["large"]), 18446744073709551615u);
    EXPECT_EQ(std::get<double>(request.scalars["k"]), 0.25);
    EXPECT_EQ(request.shapes["out"], (std::vector<int32_t>{640, 480, 3}));
}

TEST(InputOptions, take_one_value_each_and_leave_what_follows) {
    CLI::App app;
    InputOptions options;
    std::vector<std::string> words;
    app.add_option("words", words);
    add_input_options(app, options);
    app.parse("--scalar n=3 first --scalar m=4 --shape out=3x3 second");
    EXPECT_EQ(options.scalars, (std::vector<std::string>{"n=3", "m=4"}));
    EXPECT_EQ(words, (std::vector<std::string>{"first", "second"}));
}

TEST(InputOptions, say_what_is_wrong) {
    for (const InputOptions &wrong :
         {InputOptions{{"in"}, {}, {}, {}}, InputOptions{{"in="}, {}, {}, {}},
          InputOptions{{}, {"in=3"}, {}, {}}, InputOptions{{}, {"in=3:2"}, {}, {}},
          InputOptions{{}, {}, {"n=x"}, {}}, InputOptions{{}, {}, {"=3"}, {}},
          InputOptions{{}, {}, {}, {"out=0x3"}}, InputOptions{{}, {}, {}, {"out=3x"}},
          InputOptions{{}, {}, {}, {"out=axb"}}}) {
        RunRequest request;
        EXPECT_FALSE(add_inputs(wrong, request).ok());
    }
}

TEST(ProgressText, keeps_to_the_width_of_the_terminal) {
    EXPECT_EQ(cut_to_width("abcdef\nab\n\n", 3), "abc\nab\n\n");
    EXPECT_EQ(cut_to_width("abcdef\n", 0), "abcdef\n");
}

TEST(ProgressText, says_how_the_best_compares) {
    TuneProgress p;
    p.doing = "measuring";
    p.tried = 3;
    p.by_status = {{SampleStatus::Timed, 2}, {SampleStatus::Wrong, 1}};
    p.best = Standing{"t", "changed", SampleStatus::Timed, "", {0.5, 0.4, 0.6}, {2e-3, 1e-3, 3e-3}};
    p.one_shot = Standing{"o", "one shot", SampleStatus::Timed, "", {1, 1, 1}, {4e-3, 4e-3, 4e-3}};
    p.plain = Standing{"p", "plain", SampleStatus::Crashed, "", {}, {}};
    p.budget_seconds = 600;
    p.spent_seconds = 100;
    const std::string table = progress_table("blur", p), line = progress_line(p);
    for (const char *part : {"2 ms (1 to 3)", "0.500 of one shot"}) {
        EXPECT_NE(table.find(part), std::string::npos) << table;
        EXPECT_NE(line.find(part), std::string::npos) << line;
    }
    EXPECT_NE(table.find("2 timed, 1 wrong"), std::string::npos) << table;
    EXPECT_NE(table.find("8 min 20 s left"), std::string::npos) << table;
    EXPECT_EQ(table.find("of plain"), std::string::npos) << table;
}

}  // namespace
}  // namespace cryolite::tools
