// The table of features and what is made of it.
#include "featurize/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/golden/golden_file.h"

namespace cryolite {
namespace {

TEST(Schema, NamesAreUniqueIdentifiersAndEveryFeatureIsDocumented) {
    std::set<std::string_view> names;
    for (const FeatureInfo &f : feature_table()) {
        EXPECT_TRUE(names.insert(f.name).second) << f.name;
        EXPECT_EQ(f.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), f.name.npos)
            << f.name;
        EXPECT_FALSE(f.unit.empty()) << f.name;
        EXPECT_TRUE(f.doc.ends_with('.')) << f.name;
        EXPECT_EQ(f.doc.find('|'), f.doc.npos) << f.name << " would end a cell of the document";
        EXPECT_GE(f.version, 1) << f.name;
    }
    EXPECT_EQ(info(Feature::points_computed).name, "points_computed");
    EXPECT_EQ(info(Feature::shared_mem_store_efficiency).name, "shared_mem_store_efficiency");
}

TEST(Schema, RatiosAndFlagsAreNotTransformed) {
    for (const FeatureInfo &f : feature_table()) {
        if (f.unit == "flag" || f.unit == "ratio") {
            EXPECT_TRUE(f.transform == FeatureTransform::None || f.name == "recomputation_ratio" ||
                        f.name == "natural_vectors" || f.name.starts_with("interference_"))
                << f.name;
        }
        if (f.unit == "bytes") {
            EXPECT_EQ(f.transform, FeatureTransform::Log1p) << f.name;
        }
    }
    EXPECT_EQ(transformed(FeatureTransform::None, 3.5), 3.5);
    EXPECT_EQ(transformed(FeatureTransform::Log1p, 0), 0);
    EXPECT_DOUBLE_EQ(transformed(FeatureTransform::Log1p, 1), 0.69314718055994531);
}

TEST(Schema, ATargetHasItsOwnFeaturesAndTheCommonOnes) {
    const auto has = [](FeatureTarget t, FeatureScope s, Feature f) {
        const std::vector<Feature> all = features_for(t, s);
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
        return std::find(all.begin(), all.end(), f) != all.end();
    };
    EXPECT_TRUE(has(FeatureTarget::Cpu, FeatureScope::Schedule, Feature::points_computed));
    EXPECT_TRUE(has(FeatureTarget::Gpu, FeatureScope::Schedule, Feature::points_computed));
    EXPECT_TRUE(has(FeatureTarget::Cpu, FeatureScope::Schedule, Feature::vector_lanes));
    EXPECT_FALSE(has(FeatureTarget::Gpu, FeatureScope::Schedule, Feature::vector_lanes));
    EXPECT_FALSE(has(FeatureTarget::Cpu, FeatureScope::Schedule, Feature::num_blocks));
    EXPECT_TRUE(has(FeatureTarget::Gpu, FeatureScope::Algorithm, Feature::tuple_size));
    EXPECT_FALSE(has(FeatureTarget::Gpu, FeatureScope::Schedule, Feature::tuple_size));
}

TEST(Schema, ARowIsALineUnderTheHeader) {
    FeatureRow row{};
    row[0] = 0.1;
    row[num_features - 1] = 1e300;
    const std::string header = csv_header(), line = csv_line(row);
    const auto commas = static_cast<std::ptrdiff_t>(num_features - 1);
    EXPECT_EQ(std::count(header.begin(), header.end(), ','), commas);
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas);
    EXPECT_TRUE(header.starts_with("ops_add_int8,"));
    EXPECT_TRUE(line.starts_with("0.1,0,"));
    EXPECT_TRUE(line.ends_with(",1e+300"));
}

TEST(Schema, TheHashIsOfWhatWeightsDependOn) {
    EXPECT_EQ(schema_hash(), schema_hash());
    EXPECT_NE(schema_hash(), 0u);
}

// featurize_plain_test --update-golden writes it.
TEST(Schema, TheDocumentIsUpToDate) { testing::expect_golden("features.md", schema_document()); }

}  // namespace
}  // namespace cryolite
