// Requests and results as text, and requests that are refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "autotune/runner/run_request.h"
#include "autotune/runner/run_result.h"

namespace cryolite {
namespace {

using nlohmann::json;

const char *const smallest =
    R"({"version": 1, "function": "blur", "reference": {"id": "plain", "library": "a.so"},
        "candidates": []})";

// The smallest request with a member replaced.
std::string with(const std::string &key, const std::string &value) {
    json request = json::parse(smallest);
    request[key] = json::parse(value);
    return request.dump();
}

std::string error_of(const std::string &text) {
    const Result<RunRequest> request = parse_run_request(text);
    return request.ok() ? "" : request.error().message;
}

TEST(RunRequest, needs_little) {
    const Result<RunRequest> request = parse_run_request(smallest);
    ASSERT_TRUE(request.ok()) << request.error().message;
    EXPECT_EQ(request->function, "blur");
    EXPECT_EQ(request->threads, 0);
    EXPECT_EQ(request->rules.seconds, RunRules().seconds);
    EXPECT_EQ(request->function_of(request->reference), "blur");
}

TEST(RunRequest, survives_its_text) {
    RunRequest r;
    r.function = "blur";
    r.threads = 8;
    r.seed = ~uint64_t{0};
    r.inputs["a"].file = "in/\"a\".npy";
    r.inputs["b"].has_range = true;
    r.inputs["b"].range = {-1.5, 2};
    r.scalars = {{"i", int64_t{-3}}, {"u", ~uint64_t{0}}, {"f", 0.1}};
    r.shapes = {{"out", {1920, 1080, 3}}, {"none", {}}};
    r.tolerance = {0.5, 0.25, 0.125};
    r.rules = {1, 2, 3, 4, 5, 6};
    r.reference = {"plain", "plain.so", ""};
    r.candidates = {{"one", "dir/one.so", "blur_1"}};
    r.anchor = "one";
    const std::string text = to_json_text(r);
    const Result<RunRequest> read = parse_run_request(text);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(to_json_text(*read), text);
    EXPECT_EQ(read->seed, r.seed);
    EXPECT_EQ(read->inputs.at("a").file, r.inputs["a"].file);
    EXPECT_EQ(read->inputs.at("b").range[0], -1.5);
    EXPECT_EQ(std::get<int64_t>(read->scalars.at("i")), -3);
    EXPECT_EQ(std::get<uint64_t>(read->scalars.at("u")), ~uint64_t{0});
    EXPECT_EQ(std::get<double>(read->scalars.at("f")), 0.1);
    EXPECT_EQ(read->shapes, r.shapes);
    EXPECT_EQ(read->rules.memory_mb, 6);
    EXPECT_EQ(read->tolerance.differing_share, 0.125);
    EXPECT_EQ(read->function_of(read->candidates[0]), "blur_1");
    EXPECT_EQ(read->anchor, "one");
}

TEST(RunRequest, is_refused_by_the_name_of_the_field) {
    const std::vector<std::pair<std::string, std::string>> refused = {
        {"{", "request: it is no JSON: "},
        {"[]", "request: it must be an object"},
        {"{}", "request: 'version' is missing"},
        {with("version", "2"),
         "request: 'version' is 2, and this runner knows 1: use the runner that belongs to the "
         "request"},
        {with("function", "3"), "request: 'function' must be text"},
        {with("threads", "-1"), "request: 'threads' must be a whole number from 0 to 65536"},
        {with("threads", "2.5"), "request: 'threads' must be a whole number from 0 to 65536"},
        {with("seed", "-1"), "request: 'seed' must be a whole number that is not negative"},
        {with("sed", "1"), "request: 'sed' is unknown: correct its name or leave it out"},
        {with("rules", R"({"seconds": "3"})"), "request: 'rules.seconds' must be a number"},
        {with("rules", R"({"cut_off": 0.5})"), "request: 'rules.cut_off' must be at least 1"},
        {with("rules", R"({"second": 1})"),
         "request: 'rules.second' is unknown: correct its name or leave it out"},
        {with("tolerance", R"({"relative": -1})"),
         "request: 'tolerance.relative' must not be negative"},
        {with("inputs", "[]"),
         "request: 'inputs' must be an object with names of arguments as keys"},
        {with("inputs", R"({"a": {}})"),
         "request: 'inputs.a' must have either 'file' or 'low' and 'high'"},
        {with("inputs", R"({"a": {"low": 1}})"),
         "request: 'inputs.a.high' is missing: a range has both ends"},
        {with("inputs", R"({"a": {"low": 1, "high": 0}})"),
         "request: 'inputs.a.high' must not be below 'low'"},
        {with("scalars", R"({"s": "1"})"), "request: 'scalars.s' must be a number, true or false"},
        {with("shapes", R"({"o": [0]})"),
         "request: 'shapes.o' must be a list of extents, whole numbers from 1 on"},
        {with("reference", R"({"id": "a"})"), "request: 'reference.library' is missing"},
        {with("anchor", R"("one")"), "request: 'anchor' is 'one', and no library has this id"},
        {with("candidates", "{}"), "request: 'candidates' must be a list"},
        {with("candidates", R"([{"id": "", "library": "b.so"}])"),
         "request: 'candidates[0].id' must not be empty"},
        {with("candidates", R"([{"id": "plain", "library": "b.so"}])"),
         "request: 'candidates[0].id' is that of another library, too: 'plain'"}};
    for (const auto &[text, message] : refused)
        EXPECT_EQ(error_of(text).substr(0, message.size()), message) << text;
}

TEST(RunRequest, resolves_paths_against_a_folder) {
    RunRequest r = *parse_run_request(with("candidates", R"([{"id": "b", "library": "/b.so"}])"));
    r.inputs["in"].file = "sub/in.npy";
    r.inputs["drawn"].has_range = true;
    resolve_paths(r, "/folder");
    EXPECT_EQ(r.reference.library, "/folder/a.so");
    EXPECT_EQ(r.candidates[0].library, "/b.so");
    EXPECT_EQ(r.inputs["in"].file, "/folder/sub/in.npy");
    EXPECT_EQ(r.inputs["drawn"].file, "");
}

TEST(RunResult, survives_its_text) {
    RunResult r;
    r.machine = {"A \"processor\"", 8, 4, 0.25};
    Entry timed;
    timed.end = Entry::End::Timed;
    timed.seconds = {0.1, 1.0 / 3, 1e-9};
    timed.spread = {0.1, 0.05, 0.5};
    timed.clock_seconds = 1.5;
    Entry wrong;
    wrong.end = Entry::End::Wrong;
    wrong.message = "differs";
    r.entries = {{"a", timed}, {"b", wrong}};
    const std::string text = to_json_text(r);
    const Result<RunResult> read = parse_run_result(text);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(to_json_text(*read), text);
    EXPECT_EQ(read->machine.cpu, r.machine.cpu);
    EXPECT_EQ(read->machine.other_load, 0.25);
    EXPECT_EQ(read->find("a")->entry.seconds, timed.seconds);
    EXPECT_EQ(read->find("a")->entry.spread.high, 0.5);
    EXPECT_EQ(read->find("b")->entry.end, Entry::End::Wrong);
    EXPECT_EQ(read->find("c"), nullptr);
    r.machine.other_load.reset();
    EXPECT_FALSE(parse_run_result(to_json_text(r))->machine.other_load);
}

// A library may say anything.
TEST(RunResult, is_text_whatever_a_message_holds) {
    RunResult r;
    r.entries = {{"a", {}}};
    r.entries[0].entry.message = "\xff\n\"";
    const Result<RunResult> read = parse_run_result(to_json_text(r));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->entries[0].entry.message, "\xef\xbf\xbd\n\"");
}

TEST(RunResult, is_refused_by_the_name_of_the_field) {
    const auto error_of_entry = [](const std::string &entry) {
        const Result<RunResult> result =
            parse_run_result(R"({"version": 1, "machine": {}, "entries": [)" + entry + "]}");
        return result.ok() ? "" : result.error().message;
    };
    EXPECT_EQ(error_of_entry(R"({"id": "a", "status": "fine"})"),
              "result of a run: 'entries[0].status' is 'fine', which is none that is known");
    EXPECT_EQ(error_of_entry(R"({"id": "a", "status": "timed"})"),
              "result of a run: 'entries[0].seconds' must hold the times of what was timed");
    EXPECT_EQ(error_of_entry(R"({"id": "a", "status": "died", "seconds": 1})"),
              "result of a run: 'entries[0].seconds' must be a list of numbers");
    EXPECT_FALSE(parse_run_result("").ok());
}

}  // namespace
}  // namespace cryolite
