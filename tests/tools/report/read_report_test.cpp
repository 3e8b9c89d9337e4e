// A report of a folder or a store, and what is said where there is none.
#include "tools/report/read_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "analytical/explain/explanation_json.h"
#include "autotune/store/store.h"
#include "autotune/tune/shell_line.h"
#include "tests/temporary_folder.h"
#include "tests/tools/report/made_up_run.h"
#include "tools/report/write_report.h"
#include "tools/tune/result_file.h"

namespace cryolite::tools {
namespace {

class TunedFolder : public ::testing::Test {
protected:
    TunedFolder() {
        add(made_up_problem(), made_up_samples());
        result_.problem_number = 1;
        result_.problem = made_up_problem();
        result_.ended_by = "budget";
        result_.spent_seconds = 61;
        result_.best.emplace();
        result_.best->trace = "better";
    }

    void add(const Problem &problem, const std::vector<Sample> &samples) {
        Store store = Store::open(path("tune.sqlite"), Store::Access::Write).value();
        const int64_t number = store.number_of(problem).value();
        for (const Sample &s : samples) ASSERT_TRUE(store.add(number, s).ok());
        for (const TuneRound &r : made_up_rounds()) ASSERT_TRUE(store.add_round(number, r).ok());
    }
    void write_result() {
        folder_.file("result.json", result_file_text(result_, {"cryolite tune x",
                                                               "cryolite replay x", "1m", store_}));
    }
    void explain(const char *file, const std::string &trace) {
        Explanation e;
        e.algorithm = made_up_problem().algorithm;
        e.trace = trace;
        e.seconds = 2e-3;
        folder_.file(file, explanation_json(e));
    }
    std::string path(const std::string &name = "") const { return folder_.path(name).string(); }
    std::string refusal(const std::string &from, int64_t problem = 0) const {
        const auto read = read_report(from, problem);
        return read.ok() ? "" : read.error().message;
    }
    static bool says(const std::string &text, const std::string &part) {
        return text.find(part) != text.npos;
    }

    TemporaryFolder folder_;
    TuneResult result_;
    std::string store_;
};

TEST_F(TunedFolder, is_read_with_what_the_tuner_says_of_its_run) {
    write_result();
    const auto read = read_report(path());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->report.problem.pipeline, "made_up");
    EXPECT_EQ(read->report.samples.size(), made_up_samples().size());
    EXPECT_EQ(read->report.run.budget, "1m");
    EXPECT_EQ(read->report.run.ended_by, "budget");
    EXPECT_EQ(read->report.run.tune_command, "cryolite tune x");
    EXPECT_EQ(read->report.run.replay_command, "cryolite replay x");
    EXPECT_TRUE(read->notes.empty());
}

TEST_F(TunedFolder, is_read_without_what_the_tuner_says) {
    const auto read = read_report(path("tune.sqlite"));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->report.run.budget, "");
    EXPECT_EQ(read->report.run.tune_command,
              "cryolite tune GENERATOR -g made_up n=3 autoscheduler.parallelism=2 --target "
              "x86-64-linux -o tuned");
    EXPECT_FALSE(read->report.explanation.missing.empty());
}

TEST_F(TunedFolder, may_keep_its_samples_in_a_store_elsewhere) {
    const TemporaryFolder elsewhere;
    store_ = elsewhere.path("shared.sqlite").string();
    std::filesystem::rename(path("tune.sqlite"), store_);
    write_result();
    const auto read = read_report(path());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->store, store_);
}

TEST_F(TunedFolder, shows_explanations_of_its_own_schedules_alone) {
    explain(best_explanation_file, "better");
    explain(one_shot_explanation_file, "another");
    const ReportedExplanation e = read_report(path())->report.explanation;
    ASSERT_EQ(e.sides.size(), 1u);
    EXPECT_EQ(e.sides[0].name, "best");
    EXPECT_DOUBLE_EQ(e.sides[0].measured_seconds, 2e-3);
    EXPECT_TRUE(says(e.missing, "is of another schedule")) << e.missing;
}

TEST_F(TunedFolder, takes_an_explanation_whose_trace_is_written_otherwise) {
    explain(best_explanation_file, "better, as the plugin writes it");
    write_result();
    EXPECT_EQ(read_report(path())->report.explanation.sides.size(), 1u);
}

TEST_F(TunedFolder, tells_of_an_explanation_that_cannot_be_read) {
    folder_.file(best_explanation_file, "{");
    const ReportedExplanation e = read_report(path())->report.explanation;
    EXPECT_TRUE(e.sides.empty());
    EXPECT_TRUE(says(e.missing, best_explanation_file)) << e.missing;
}

TEST_F(TunedFolder, has_the_problem_that_was_measured_last) {
    std::vector<Sample> later = made_up_samples();
    for (Sample &s : later) s.created += 1000;
    add(made_up_problem("later"), later);
    add(made_up_problem("empty"), {});
    auto read = read_report(path());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->report.problem.pipeline, "later");
    EXPECT_EQ(read->report.problem.others, 1);
    ASSERT_EQ(read->notes.size(), 1u);
    EXPECT_TRUE(
        says(read->notes[0], "1 (made_up on box, 10 samples), 2 (later on box, 10 samples)"))
        << read->notes[0];
    EXPECT_EQ(read_report(path(), 1)->report.problem.pipeline, "made_up");
    // The folder's result says which problem it is of.
    write_result();
    EXPECT_EQ(read_report(path())->report.problem.pipeline, "made_up");
    // What it says is not told of another problem.
    EXPECT_EQ(read_report(path(), 2)->report.run.budget, "");
}

TEST_F(TunedFolder, is_refused_with_a_reason) {
    EXPECT_TRUE(says(refusal(path("nowhere")), "there is no '"));
    EXPECT_TRUE(says(refusal(path(), 7), "there is no problem 7 with samples"));
    EXPECT_TRUE(says(refusal(path(), 7), "made_up on box"));
    const TemporaryFolder empty;
    EXPECT_TRUE(says(refusal(empty.path().string()), "no folder of `cryolite tune`"));
    ASSERT_TRUE(Store::open(empty.path("tune.sqlite").string(), Store::Access::Write).ok());
    EXPECT_TRUE(says(refusal(empty.path().string()), "holds no samples yet"));
    const std::string text = empty.file("text", "nonsense");
    EXPECT_TRUE(says(refusal(text), "is no store")) << refusal(text);
    folder_.file("result.json", "[");
    EXPECT_TRUE(says(refusal(path()), "is no result of `cryolite tune`"));
}

TEST_F(TunedFolder, is_refused_where_its_store_is_damaged) {
    const auto size = std::filesystem::file_size(path("tune.sqlite"));
    std::fstream file(path("tune.sqlite"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(size - 4096, '\x5a');
    file.close();
    EXPECT_TRUE(says(refusal(path()), "damaged")) << refusal(path());
}

TEST_F(TunedFolder, is_written_whole_or_not_at_all) {
    const auto text = [](const std::string &file) {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const std::string to = folder_.file("report.html", "an older report");
    ASSERT_TRUE(write_report(path(), 0, to).ok());
    const std::string first = text(to);
    EXPECT_TRUE(first.starts_with("<!DOCTYPE html>"));
    ASSERT_TRUE(write_report(path(), 0, to).ok());
    EXPECT_TRUE(text(to) == first) << "the same store gives the same bytes";
    EXPECT_FALSE(write_report(path(), 7, to).ok());
    EXPECT_TRUE(text(to) == first) << "a report that cannot be made leaves the older one";
    EXPECT_FALSE(write_report(path(), 0, path("nowhere/report.html")).ok());
    const auto over_the_store = write_report(path(), 0, path("tune.sqlite"));
    ASSERT_FALSE(over_the_store.ok());
    EXPECT_TRUE(says(over_the_store.error().message, "is the store itself"));
    EXPECT_TRUE(read_report(path()).ok());
}

TEST(ResultFile, reads_what_older_versions_wrote) {
    const TemporaryFolder folder;
    const auto read = read_result_file(folder.file("result.json", R"({"command": "cryolite tune x",
        "best": {"trace": "t"}, "one_shot": null, "spent_seconds": "soon"})"));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->asked.command, "cryolite tune x");
    EXPECT_EQ(read->best_trace, "t");
    EXPECT_EQ(read->one_shot_trace, "");
    EXPECT_EQ(read->problem, 0);
    EXPECT_EQ(read->spent_seconds, 0);
}

TEST(ShellLine, quotes_what_a_shell_would_read_otherwise) {
    const std::vector<std::string> words{"cryolite", "tune",    "my gen", "n=3",
                                         "it's",     "$(rm x)", ""};
    EXPECT_EQ(shell_line(words), R"(cryolite tune 'my gen' n=3 'it'\''s' '$(rm x)' '')");
}

}  // namespace
}  // namespace cryolite::tools
