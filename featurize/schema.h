// The features of a stage: names, units and meanings, all from the one table in feature_list.h. A row of features is an
// array of num_features doubles in the order of the table. Every value is finite and not negative. Features of another
// target than the row's are 0.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "featurize/feature_list.h"

namespace cryolite {

enum class Feature : uint16_t {
#define CRYOLITE_X(name, ...) name,
    CRYOLITE_FEATURES(CRYOLITE_X)
#undef CRYOLITE_X
        Count
};
inline constexpr size_t num_features = static_cast<size_t>(Feature::Count);
constexpr size_t index(Feature f) { return static_cast<size_t>(f); }

enum class FeatureScope : uint8_t {
    Algorithm,  // the same for every schedule
    Schedule
};
enum class FeatureTarget : uint8_t { Cpu, Gpu, Both };
// A network is fed the transformed value, since values may span ten decades.
enum class FeatureTransform : uint8_t { None, Log1p };
// How a value compares with the count of a plain walk over all iterations of the LoopNest's loops. Every realisation
// is as large as the nest says.
enum class FeatureExactness : uint8_t {
    Exact,    // equal
    Bound,    // never less; aligned_share: never more
    Estimate  // a mean over positions in a line, or one iteration that stands for all
};
const char *name(FeatureScope scope);
const char *name(FeatureTarget target);
const char *name(FeatureTransform transform);
const char *name(FeatureExactness exactness);

struct FeatureInfo {
    std::string_view name;
    std::string_view unit;
    FeatureScope scope;
    FeatureTarget target;
    FeatureTransform transform;
    FeatureExactness exactness;
    int version;  // raised whenever the meaning of the name changes
    std::string_view doc;
};

// In the order of Feature.
const std::array<FeatureInfo, num_features> &feature_table();
inline const FeatureInfo &info(Feature f) { return feature_table()[index(f)]; }

using FeatureRow = std::array<double, num_features>;

inline double transformed(FeatureTransform transform, double value) {
    return transform == FeatureTransform::Log1p ? std::log1p(value) : value;
}

// The features of the scope that a model of the target (Cpu or Gpu) reads, in the order of the table.
std::vector<Feature> features_for(FeatureTarget target, FeatureScope scope);

// The hash of all names, units, transforms and versions, in order. It is the same on every machine. Weights are refused
// where the hash is another than the one that they were made for.
uint64_t schema_hash();

// The names, separated by commas. There is no line end.
std::string csv_header();
// One row under that header. Values read back equal.
std::string csv_line(std::span<const double> row);

// The text of docs/features.md, in Markdown.
std::string schema_document();

}  // namespace cryolite
