// What an explanation says of a schedule, and that its JSON says the same.
#include "analytical/explain/explanation.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "analytical/cost_model.h"
#include "analytical/explain/explanation_json.h"
#include "featurize/features.h"
#include "machine/machine_fields.h"
#include "schedule/trace_text.h"
#include "tests/featurize/scheduled.h"
#include "tests/schedule/pipelines.h"
#include "tests/schedule/random_trace.h"

namespace cryolite {
namespace {

using test::estimate;
using test::func;
using test::some_machine;

Explanation explained(const BuiltGraph &built, const LoopNest &nest) {
    return explain(built.graph, some_machine(), nest, {"blur", "x86-64-linux", "preset"});
}

struct Explained : ::testing::Test {
    testing::SmallPipeline pipeline = testing::make_pipeline("updates");
    BuiltGraph built = test::build(pipeline.outputs);
    LoopNest nest = testing::random_nest(built.graph, Random(3));
    Explanation explanation = explained(built, nest);

    std::string refused(const std::string &text) {
        const auto parsed = parse_explanation(text, "a.json");
        return parsed.ok() ? "accepted" : parsed.error().message;
    }
    // The JSON with a change.
    template <typename Change>
    std::string refused_after(Change change) {
        auto json = nlohmann::json::parse(explanation_json(explanation));
        change(json);
        return refused(json.dump());
    }
};

double sum(const NamedNumbers &numbers) {
    double all = 0;
    for (const auto &[name, value] : numbers) all += value;
    return all;
}

class TwiceTheArithmetic : public Correction {
public:
    bool reads_rows() const override { return false; }
    void correct(std::span<const double>, Terms &terms) const override {
        terms[static_cast<size_t>(Term::Compute)] *= 2;
    }
};

TEST_F(Explained, has_the_prices_that_were_learned) {
    const auto learned = std::make_shared<TwiceTheArithmetic>();
    CostModel model(built.graph, some_machine());
    model.correct_by(learned);
    const Explanation corrected =
        explain(built.graph, some_machine(), nest, {"blur", "x86-64-linux", "preset"}, learned);
    EXPECT_EQ(corrected.seconds, model.explain(nest).seconds);
    EXPECT_GT(corrected.seconds, explanation.seconds);
    for (size_t s = 0; s < corrected.stages.size(); s++) {
        const ExplainedStage &stage = corrected.stages[s];
        EXPECT_EQ(stage.raw, explanation.stages[s].raw) << "what was counted stays";
        for (size_t k = 0; k < stage.raw.size(); k++)
            EXPECT_EQ(stage.corrected[k].second,
                      stage.raw[k].second * (stage.raw[k].first == "compute" ? 2 : 1));
    }
}

TEST_F(Explained, has_every_stage_term_feature_and_constant) {
    const ScheduleTime time = CostModel(built.graph, some_machine()).explain(nest);
    const Features features = Featurizer(built.graph, some_machine()).features(nest);
    EXPECT_EQ(explanation.seconds, time.seconds);
    ASSERT_EQ(explanation.stages.size(), time.stages.size());
    for (size_t s = 0; s < time.stages.size(); s++) {
        const ExplainedStage &stage = explanation.stages[s];
        EXPECT_EQ(stage.name, stage_name(built.graph, time.stages[s].stage));
        EXPECT_EQ(stage.seconds, time.stages[s].seconds());
        EXPECT_NEAR(sum(stage.terms), stage.seconds, 1e-12 * stage.seconds);
        EXPECT_EQ(stage.raw, stage.corrected);
        EXPECT_NEAR(sum(stage.raw), cryolite::sum(time.stages[s].raw), 1e-12 * sum(stage.raw));
        ASSERT_EQ(stage.features.size(), num_features);
        for (size_t f = 0; f < num_features; f++) {
            EXPECT_EQ(stage.features[f].first, feature_table()[f].name);
            EXPECT_EQ(stage.features[f].second, features.row(time.stages[s].stage)[f]);
        }
    }
    double terms = 0, largest = 0;
    std::string dominating;
    for (const ExplainedTerm &t : explanation.terms) {
        terms += t.seconds;
        EXPECT_FALSE(t.doc.empty());
        if (t.seconds <= largest) continue;
        largest = t.seconds;
        dominating = t.name;
    }
    EXPECT_NEAR(terms, explanation.seconds, 1e-12 * terms);
    EXPECT_EQ(explanation.dominating, dominating);
    Machine machine = some_machine();
    ASSERT_EQ(explanation.constants.size(), values_of(machine).size());
    EXPECT_EQ(explanation.features.size(), num_features);
    EXPECT_EQ(explanation.trace, to_text(built.graph, trace_of(nest)));
}

TEST_F(Explained, draws_the_loop_nest_as_everywhere) {
    for (const char *name : {"blur", "tall_chain", "updates", "two_outputs", "product"}) {
        const auto small = testing::make_pipeline(name);
        const BuiltGraph graph = test::build(small.outputs);
        for (uint64_t seed = 0; seed < 20; seed++) {
            const LoopNest random = testing::random_nest(graph.graph, Random(seed));
            EXPECT_EQ(nest_text(explained(graph, random)), to_tree_text(random));
        }
    }
}

TEST_F(Explained, is_read_back_as_it_was_written) {
    for (const char *name : {"blur", "updates", "equalise", "two_outputs"}) {
        const auto small = testing::make_pipeline(name);
        const BuiltGraph graph = test::build(small.outputs);
        for (uint64_t seed = 0; seed < 10; seed++) {
            const Explanation e = explained(graph, testing::random_nest(graph.graph, Random(seed)));
            const auto again = parse_explanation(explanation_json(e), "e.json");
            ASSERT_TRUE(again.ok()) << again.error().message;
            EXPECT_TRUE(*again == e) << name << " " << seed;
            EXPECT_EQ(explanation_json(*again), explanation_json(e));
        }
    }
}

TEST_F(Explained, of_work_beyond_reason_says_so) {
    Halide::Var x("x");
    std::vector<Halide::Func> chain{Halide::Func("f0")};
    Halide::ImageParam in(Halide::Float(32), 1, "in");
    chain[0](x) = in(x) + 1.0f;
    for (int i = 1; i < 24; i++) {
        Halide::Func next("f" + std::to_string(i));
        next(x) = chain.back()(x) * 0.5f + chain.back()(x + (1 << i));
        chain.push_back(next);
    }
    estimate(chain.back(), {1000});
    const BuiltGraph graph = test::build({chain.back()});
    // All but the output inlined: 2^23 copies of the first.
    const LoopNest all_inlined =
        test::scheduled(graph.graph, {action::ComputeRoot{func(graph, chain.back()).id}});
    const Explanation e = explained(graph, all_inlined);
    EXPECT_TRUE(e.too_large);
    const auto again = parse_explanation(explanation_json(e), "e.json");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(*again == e);
}

TEST_F(Explained, in_a_damaged_file_is_refused_with_the_reason) {
    EXPECT_NE(refused("").find("cannot be understood"), std::string::npos);
    const std::string whole = explanation_json(explanation);
    EXPECT_NE(refused(whole.substr(0, whole.size() / 2)).find("cannot be understood"),
              std::string::npos);
    EXPECT_NE(refused("[]").find("explains no schedule"), std::string::npos);
    EXPECT_NE(refused(R"({"cryolite_machine": 1})").find("explains no schedule"),
              std::string::npos);
    EXPECT_NE(refused(std::string(100000, '[')).find("cannot be understood"), std::string::npos);
}

TEST_F(Explained, of_another_version_is_refused) {
    const std::string said = refused_after([](auto &json) { json["cryolite_explanation"] = 5; });
    EXPECT_NE(said.find("has version 5 of the format, and this Cryolite reads version 6"),
              std::string::npos)
        << said;
}

TEST_F(Explained, with_wrong_keys_or_values_is_refused_by_name) {
    const auto expect = [&](const std::string &part, auto change) {
        const std::string said = refused_after(change);
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    expect("lacks key 'trace'", [](auto &json) { json.erase("trace"); });
    expect("unknown key 'verdict'", [](auto &json) { json["verdict"] = 1; });
    expect("unknown key 'stages[0].name2'", [](auto &json) { json["stages"][0]["name2"] = ""; });
    expect("key 'seconds' must be a number", [](auto &json) { json["seconds"] = "1"; });
    expect("key 'seconds' must be a number", [](auto &json) { json["seconds"] = nullptr; });
    expect("key 'stages[0].terms.compute' must be a number",
           [](auto &json) { json["stages"][0]["terms"]["compute"] = "much"; });
    expect("key 'nest[0].extents[0]' must be a whole number",
           [](auto &json) { json["nest"][0]["extents"] = {0.5}; });
    expect("key 'stages' must be an array", [](auto &json) { json["stages"] = 1; });
    expect("key 'terms[0]' must be an object", [](auto &json) { json["terms"][0] = 1; });
    expect("nested too deeply", [](auto &json) {
        nlohmann::json node = json["nest"][0], deep = node;
        for (int i = 0; i < 500; i++) {
            node["children"] = {deep};
            deep = node;
        }
        json["nest"][0] = deep;
    });
}

TEST_F(Explained, in_a_file_that_is_not_there_is_refused) {
    const auto missing = read_explanation("/no/such/explanation.json");
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find("there is no file '/no/such/explanation.json'"),
              std::string::npos);
    EXPECT_NE(read_explanation(std::filesystem::temp_directory_path().string())
                  .error()
                  .message.find("is a folder"),
              std::string::npos);
}

}  // namespace
}  // namespace cryolite
