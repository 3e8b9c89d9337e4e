// Remembered features are those that would be computed; all are finite and not negative.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "featurize/features.h"
#include "machine/presets.h"
#include "tests/schedule/graph_fixtures.h"
#include "tests/schedule/random_trace.h"

namespace cryolite {
namespace {

const Machine &machine() { return machine_presets().front().machine; }

struct NamedGraph {
    const char *name;
    StageGraph graph;
};
std::vector<NamedGraph> graphs() {
    using namespace cryolite::testing;
    std::vector<NamedGraph> all;
    all.push_back({"blur", blur_graph()});
    all.push_back({"odd blur", blur_graph(127, 61)});
    all.push_back({"one point", blur_graph(1, 1)});
    all.push_back({"pyramid", pyramid_graph(253)});
    all.push_back({"transpose", transpose_graph()});
    all.push_back({"matmul", matmul_graph(97)});
    all.push_back({"histogram", histogram_graph()});
    return all;
}

void expect_equal(const Features &a, const Features &b) {
    ASSERT_EQ(a.kernels().size(), b.kernels().size());
    EXPECT_EQ(a.too_large(), b.too_large());
    for (size_t k = 0; k < a.kernels().size(); k++) {
        const KernelFeatures &left = *a.kernels()[k], &right = *b.kernels()[k];
        ASSERT_EQ(left.stages, right.stages);
        ASSERT_EQ(left.rows.size(), right.rows.size());
        for (size_t s = 0; s < left.rows.size(); s++)
            EXPECT_EQ(std::memcmp(&left.rows[s], &right.rows[s], sizeof(FeatureRow)), 0);
    }
}

TEST(FeatureCache, RememberedEqualsComputedToTheBit) {
    for (const NamedGraph &g : graphs()) {
        SCOPED_TRACE(g.name);
        constexpr int64_t a_few_rows = 20'000;
        Featurizer remembers(g.graph, machine()), forgets(g.graph, machine(), a_few_rows),
            computes(g.graph, machine(), 0);
        for (uint64_t seed = 0; seed < 60; seed++) {
            const LoopNest nest = testing::random_nest(g.graph, Random(seed));
            ASSERT_EQ(validate(nest), "");
            const Features expected = computes.features(nest);
            expect_equal(remembers.features(nest), expected);
            expect_equal(remembers.features(nest), expected);
            expect_equal(forgets.features(nest), expected);
        }
        EXPECT_GE(remembers.kernels_remembered(), remembers.kernels_computed());
        EXPECT_EQ(computes.kernels_remembered(), 0u);
    }
}

TEST(FeatureCache, ResultsOutliveWhatIsForgotten) {
    const StageGraph graph = testing::blur_graph();
    Features kept;
    const LoopNest nest = testing::random_nest(graph, Random(3));
    {
        Featurizer featurizer(graph, machine());
        kept = featurizer.features(nest);
    }
    Featurizer again(graph, machine());
    expect_equal(kept, again.features(nest));
}

TEST(Features, AreFiniteAndNotNegative) {
    for (const NamedGraph &g : graphs()) {
        SCOPED_TRACE(g.name);
        Featurizer featurizer(g.graph, machine());
        for (uint64_t seed = 100; seed < 160; seed++) {
            const Features features =
                featurizer.features(testing::random_nest(g.graph, Random(seed)));
            for (const auto &kernel : features.kernels()) {
                for (const FeatureRow &row : kernel->rows) {
                    for (size_t i = 0; i < num_features; i++) {
                        const FeatureInfo &f = feature_table()[i];
                        ASSERT_TRUE(std::isfinite(row[i]) && row[i] >= 0) << f.name << row[i];
                        const bool at_most_one = f.unit == "flag" || f.name.ends_with("_share");
                        ASSERT_TRUE(!at_most_one || row[i] <= 1) << f.name;
                        ASSERT_TRUE(f.target != FeatureTarget::Gpu || row[i] == 0) << f.name;
                    }
                }
            }
        }
    }
}

// What must hold between features whatever the schedule is.
TEST(Features, AgreeWithEachOther) {
    for (const NamedGraph &g : graphs()) {
        SCOPED_TRACE(g.name);
        Featurizer featurizer(g.graph, machine());
        for (uint64_t seed = 200; seed < 260; seed++) {
            SCOPED_TRACE(seed);
            const Features features =
                featurizer.features(testing::random_nest(g.graph, Random(seed)));
            for (const auto &kernel : features.kernels()) {
                for (const FeatureRow &row : kernel->rows) {
                    const auto at = [&](Feature f) { return row[index(f)]; };
                    EXPECT_GE(at(Feature::productions), at(Feature::realisations));
                    EXPECT_GE(at(Feature::points_computed) * (1 + 1e-9),
                              at(Feature::points_per_production));
                    EXPECT_GT(at(Feature::core_use), 0);
                    EXPECT_LE(at(Feature::core_use), 1);
                    EXPECT_LE(at(Feature::bytes_stored_per_vector),
                              at(Feature::bytes_stored_per_register_block));
                    EXPECT_LE(at(Feature::bytes_stored_per_register_block),
                              at(Feature::bytes_stored_per_innermost_run));
                    EXPECT_LE(at(Feature::bytes_stored_per_task),
                              at(Feature::bytes_stored_per_core));
                    EXPECT_LE(at(Feature::input_bytes_read_per_vector),
                              at(Feature::input_bytes_read_per_register_block));
                    EXPECT_EQ(at(Feature::stored_at_root) + at(Feature::stored_per_task) +
                                  at(Feature::stored_inside),
                              1);
                    EXPECT_LE(at(Feature::reuse_points_l1), at(Feature::reuse_points_last_level));
                }
            }
        }
    }
}

TEST(Features, InlinedStagesHaveNoRow) {
    const StageGraph graph = testing::blur_graph();
    const FuncId out = graph.find("out"), blur_x = graph.find("blur_x");
    LoopNest nest(graph);
    nest = *cryolite::apply(nest, action::ComputeRoot{out});
    nest = *cryolite::apply(nest, action::Inline{blur_x});
    Featurizer featurizer(graph, machine());
    const Features features = featurizer.features(nest);
    EXPECT_EQ(features.row(graph.func(out).stages[0]).size(), num_features);
    EXPECT_TRUE(features.row(graph.func(blur_x).stages[0]).empty());
    EXPECT_EQ(features.kernels().size(), 1u);
}

}  // namespace
}  // namespace cryolite
