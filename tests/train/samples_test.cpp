#include "train/samples.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "train/predict.h"

namespace cryolite {
namespace {

std::string file_with(const std::string &sample,
                      const std::string &schema = hexadecimal(schema_hash())) {
    return R"({"cryolite_samples": 1, "schema": ")" + schema +
           R"(", "pipeline": "blur", "archive": "mine", "machine": "x86-avx2",
               "overlap": [0.1, 0.2, 8], "samples": [)" +
           sample + "]}";
}

const char *const good =
    R"({"hash": "1", "seconds": 0.5, "spread": 0.01,
        "stages": [{"raw": {"compute": 0.25, "memory_loads": 1}, "features": [0, 3], "values": [4, 5.5]}]})";

std::string error_of(const std::string &text) {
    const auto group = parse_samples(text, "s.json");
    if (group.ok()) return "";
    EXPECT_NE(group.error().message.find("'s.json'"), std::string::npos);
    return group.error().message;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
    return text.replace(text.find(from), from.size(), to);
}

TEST(Samples, are_read) {
    const auto group = parse_samples(file_with(good), "s.json");
    ASSERT_TRUE(group.ok()) << group.error().message;
    EXPECT_EQ(group->pipeline, "blur");
    EXPECT_EQ(group->overlap.sharpness, 8);
    ASSERT_EQ(group->samples.size(), 1u);
    const SampleStage &stage = group->samples[0].stages.at(0);
    EXPECT_EQ(stage.raw[index(Term::Compute)], 0.25);
    EXPECT_EQ(stage.raw[index(Term::MemoryLoads)], 1);
    EXPECT_EQ(stage.row[3], 5.5);
    EXPECT_EQ(stage.row[1], 0);
    EXPECT_NE(hash_of({*group}), hash_of(std::vector<SampleGroup>{}));
}

TEST(Samples, say_what_is_wrong_with_a_file) {
    EXPECT_EQ(error_of(file_with(good)), "");
    EXPECT_NE(error_of("{"), "");
    EXPECT_NE(error_of("{}"), "");
    EXPECT_NE(error_of(file_with(good, "0")).find("other features"), std::string::npos);
    EXPECT_NE(error_of(file_with("3")), "");
    EXPECT_NE(error_of(file_with(replaced(good, "compute", "warp"))).find("'warp'"),
              std::string::npos);
    EXPECT_NE(error_of(file_with(replaced(good, "0.25", "-1"))), "");
    EXPECT_NE(error_of(file_with(replaced(good, "0.25", "\"much\""))), "");
    EXPECT_NE(error_of(file_with(replaced(good, "0.5", "0"))), "");
    EXPECT_NE(error_of(file_with(replaced(good, "[0, 3]", "[0, 30000]"))), "");
    EXPECT_NE(error_of(file_with(replaced(good, "[0, 3]", "[0]"))), "");
    EXPECT_FALSE(read_samples({"/nowhere"}).ok());
}

TEST(Counted, are_read_in_their_order) {
    const auto text = [](const std::string &schema) {
        return R"({"cryolite_count": 1, "schema": ")" + schema +
               R"(", "machine": "mine", "overlap": [0.1, 0.2, 8], "found": [
                   {"refused": "it divides other reductions", "is_of_another_graph": true},
                   {"stages": [{"raw": {"compute": 0.25}, "features": [3], "values": [5.5]}]}]})";
    };
    const auto counted = parse_counted(text(hexadecimal(schema_hash())));
    ASSERT_TRUE(counted.ok()) << counted.error().message;
    EXPECT_EQ(counted->machine, "mine");
    ASSERT_EQ(counted->found.size(), 2u);
    EXPECT_TRUE(counted->found[0].is_of_another_graph);
    EXPECT_EQ(counted->found[1].refused, "");
    EXPECT_EQ(counted->found[1].stages.at(0).row[3], 5.5);
    for (const std::string &other : {std::string("{"), std::string("{}"), text("0")})
        EXPECT_NE(parse_counted(other).error().message.find("the plugin that came with it"),
                  std::string::npos);
}

TEST(Metrics, are_those_of_the_schedules_that_a_search_would_take) {
    SampleGroup group;
    for (double seconds : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}) {
        group.samples.emplace_back();
        group.samples.back().seconds = seconds;
    }
    const GroupMetrics right = metrics_of(group, {10, 20, 30, 40, 50, 60});
    EXPECT_EQ(right.spearman, 1);
    EXPECT_EQ(right.regret, 1);
    const GroupMetrics wrong = metrics_of(group, {60, 50, 40, 30, 20, 10});
    EXPECT_EQ(wrong.spearman, -1);
    EXPECT_EQ(wrong.regret, 6);
    EXPECT_EQ(wrong.regret_of_5, 2);
}

}  // namespace
}  // namespace cryolite
