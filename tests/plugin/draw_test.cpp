// mode=draw: the file that a tuner reads, what is learned from the one that it writes, and bad files.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

#include "base/hex_bytes.h"
#include "base/random.h"
#include "model/correction_file.h"
#include "plugin/tuner/counted_stages.h"
#include "plugin/tuner/draw_batch.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "tests/model/made_network.h"
#include "tests/plugin/plugin_run.h"
#include "tests/temporary_folder.h"
#include "train/predict.h"

namespace cryolite {
namespace {

using nlohmann::json;
using testing::Options;

// For one machine, whichever this one is: what a network learns from a few samples depends on their times.
Options quick(Options more) {
    more.insert({"machine", "x86-avx2-zen3"});
    return testing::quick(std::move(more));
}

class Draw : public ::testing::Test {
protected:
    static PluginOptions parsed(Options more) {
        return parse_plugin_options(quick(std::move(more))).value();
    }
    json drawn(const Options &more = {}) const {
        Options options{{"draws", "12"}};
        for (const auto &[name, value] : more) options[name] = value;
        PluginOptions asked = parsed(options);
        if (!asked.weights.empty())
            asked.search.correction =
                read_correction(asked.weights, platform_.host.machine.name).value();
        return json::parse(drawn_batch(pipeline_, built_, target_, platform_, asked, {}).value());
    }
    std::string complaint(Options more) const {
        more.insert({{"mode", "draw"}, {"draw_file", folder_.path("drawn.json")}});
        return testing::complaint(testing::box_filter(), quick(more));
    }

    const TemporaryFolder folder_;
    Halide::Pipeline pipeline_ = testing::box_filter();
    const Halide::Target target_{"x86-64-linux-avx-avx2-f16c-fma-sse41"};
    const BuiltGraph built_ = build_graph({pipeline_.get_func(0).function()}, target_).value();
    const Platform platform_ = platform_of(target_, parsed({}), {}).value();
};

TEST_F(Draw, draws_kernels_for_a_gpu) {
    const Halide::Target target("x86-64-linux-cuda-cuda_capability_80");
    const BuiltGraph built = build_graph({pipeline_.get_func(0).function()}, target).value();
    const PluginOptions options = parsed({{"draws", "6"}, {"machine", "h100"}});
    const Platform platform = platform_of(target, options, {}).value();
    const json file =
        json::parse(drawn_batch(pipeline_, built, target, platform, options, {}).value());
    EXPECT_EQ(file["problem"]["machine_name"], "h100");
    EXPECT_GT(file["draws"].size(), 3u);
    for (const json &d : file["draws"])
        EXPECT_NE(d["trace"].get<std::string>().find("map_to_threads"), std::string::npos);
}

TEST_F(Draw, begins_with_plain_and_one_shot_and_says_what_they_are_for) {
    const json file = drawn();
    EXPECT_EQ(file["draws"][0]["origin"], "plain");
    EXPECT_EQ(file["draws"][1]["origin"], "one shot");
    EXPECT_EQ(file["draws"].size(), 13u);
    std::set<std::string> traces;
    for (const json &d : file["draws"]) {
        EXPECT_TRUE(traces.insert(d["trace"]).second);
        EXPECT_GT(d["predicted_seconds"], 0.0);
    }
    EXPECT_EQ(
        file["draws"][1]["trace"],
        to_text(built_.graph,
                trace_of(search(built_.graph, platform_.host.machine, parsed({}).search).nest)));
    EXPECT_EQ(file["problem"]["threads"], 4);
    EXPECT_EQ(file["problem"]["workload"]["outputs"].size(), 1u);
    EXPECT_EQ(drawn({{"draws", "0"}})["draws"].size(), 0u);
}

TEST_F(Draw, learns_from_samples_and_draws_others) {
    const json first = drawn();
    json samples = json::array();
    std::set<std::string> known;
    for (const json &d : first["draws"]) {
        // Everything takes three times as long as predicted.
        samples.push_back(
            {{"trace", d["trace"]}, {"seconds", 3 * d["predicted_seconds"].get<double>()}});
        known.insert(d["trace"]);
    }
    samples.push_back(
        {{"trace", "cryolite-trace 1\nalgorithm 0000000000000000\n"}, {"seconds", 1}});
    const std::string file = folder_.file("samples.json", json{{"samples", samples}}.dump());
    const json next = drawn({{"samples_file", file}});
    EXPECT_EQ(next["refused"], 1);
    EXPECT_EQ(next["weights"]["samples"], 13);
    EXPECT_GT(next["rank_correlation"]["learned"], 0.95);
    const double factor = next["weights"]["factors"]["compute"];
    EXPECT_GT(factor, 1.8);
    EXPECT_LT(factor, 4.0);
    bool has_changed = false;
    for (const json &d : next["draws"]) {
        EXPECT_FALSE(known.contains(d["trace"]));
        has_changed = has_changed || d["origin"] == "changed";
    }
    EXPECT_TRUE(has_changed);
    // What was learned serves one shot.
    const std::string weights = folder_.file("weights.json", next["weights"].dump());
    EXPECT_EQ(testing::complaint(testing::box_filter(), quick({{"weights", weights}})), "");
}

// A network is made to fit the samples, the same for the same ones, and serves one shot.
TEST_F(Draw, trains_the_network_of_its_weights_further) {
    const std::string weights =
        folder_.file("w.safetensors", weights_bytes({untrained_network(1, 2), {}}));
    const json first = drawn({{"draws", "40"}, {"weights", weights}});
    EXPECT_TRUE(first["weights"].contains("network"));
    json samples = json::array();
    Random random(1);
    for (const json &d : first["draws"])
        samples.push_back(
            {{"trace", d["trace"]},
             {"seconds", (1 + 0.2 * random.unit()) * d["predicted_seconds"].get<double>()}});
    const std::string file = folder_.file("samples.json", json{{"samples", samples}}.dump());
    const Options more{{"samples_file", file}, {"weights", weights}};
    const json next = drawn(more);
    EXPECT_EQ(next["weights"]["network"], drawn(more)["weights"]["network"]);
    EXPECT_GT(next["rank_correlation"]["learned"], 0.8);
    const auto bytes = bytes_of_hex(next["weights"]["network"].get<std::string>());
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(parse_weights(*bytes, "network").ok());
    const std::string tuned = folder_.file("tuned.safetensors", *bytes);
    EXPECT_EQ(testing::complaint(testing::box_filter(), quick({{"weights", tuned}})), "");
    EXPECT_FALSE(drawn({{"samples_file", file}})["weights"].contains("network"));
}

// A quarter of a batch is what the members of a network disagree about, and all is drawn anew.
TEST_F(Draw, measures_what_a_network_is_not_sure_of) {
    const json first = drawn({{"draws", "30"}});
    json samples = json::array();
    for (const json &d : first["draws"])
        samples.push_back({{"trace", d["trace"]}, {"seconds", d["predicted_seconds"]}});
    const std::string file = folder_.file("samples.json", json{{"samples", samples}}.dump());
    const auto traces = [&](size_t members) {
        const std::string weights =
            folder_.file("w.safetensors", weights_bytes({made_network(1, members), {}}));
        std::vector<std::string> out;
        const json batch = drawn({{"samples_file", file}, {"weights", weights}});
        for (const json &d : batch["draws"]) out.push_back(d["trace"]);
        return out;
    };
    const std::vector<std::string> drawn_by_three = traces(3);
    EXPECT_EQ(drawn_by_three.size(), 12u);
    EXPECT_EQ(std::set(drawn_by_three.begin(), drawn_by_three.end()).size(), 12u);
    EXPECT_EQ(traces(3), drawn_by_three);
    EXPECT_LE(traces(1).size(), 12u);
}

// What was counted is what the schedules' prediction is made of.
TEST_F(Draw, counts_terms_and_features_of_schedules) {
    const json first = drawn();
    json samples = json::array();
    for (const json &d : first["draws"]) samples.push_back({{"trace", d["trace"]}});
    samples.push_back({{"trace", "nonsense"}});
    const std::string asked = folder_.file("samples.json", json{{"samples", samples}}.dump());
    const auto counted =
        parse_counted(counted_stages(built_.graph, platform_.host.machine, asked).value());
    ASSERT_TRUE(counted.ok()) << counted.error().message;
    ASSERT_EQ(counted->found.size(), samples.size());
    EXPECT_NE(counted->found.back().refused, "");
    for (size_t i = 0; i + 1 < samples.size(); i++) {
        ASSERT_EQ(counted->found[i].refused, "");
        const SampleGroup group{
            "box", "", counted->machine, counted->overlap, {{"", 1, 0, counted->found[i].stages}}};
        const double said = first["draws"][i]["predicted_seconds"];
        EXPECT_NEAR(predicted_seconds(group, NoCorrection())[0] / said, 1, 1e-6);
    }
}

TEST_F(Draw, refuses_bad_files_in_words) {
    const auto expect = [&](const Options &options, const std::string &part) {
        const std::string said = complaint(options);
        EXPECT_NE(said.find(part), said.npos) << said;
    };
    expect({{"draw_file", ""}}, "draw_file");
    expect({{"samples_file", "/nowhere/samples"}}, "/nowhere/samples");
    for (const char *bad : {"nonsense", "{\"samples\": []}", "{\"samples\": [1]}"})
        expect({{"mode", "count"}, {"samples_file", folder_.file("d", bad)}}, "holds no samples");
    expect({{"mode", "count"},
            {"draw_file", ""},
            {"samples_file", folder_.file("e", R"({"samples": [{"trace": ""}]})")}},
           "draw_file");
    expect({{"samples_file", folder_.file("a", "nonsense")}}, "list under 'samples'");
    expect({{"samples_file", folder_.file("b", "{\"samples\": [1]}")}}, "without a trace");
    expect({{"weights", "/nowhere/weights"}}, "/nowhere/weights");
    expect({{"weights", folder_.file("c", "{}")}}, "holds no coefficients");
}

}  // namespace
}  // namespace cryolite
