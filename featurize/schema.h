// The features of a stage: names, units and meanings, all from the one table in feature_list.h. A
// row of features is an array of num_features doubles in the order of the table, every value finite
// and not negative. The part of a target that the row is not about is zero.
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
// What a network is fed instead of the value, which may span ten decades.
enum class FeatureTransform : uint8_t { None, Log1p };
// Against counting in a plain walk over all iterations of the LoopNest's loops, with every
// realisation as large as the nest says:
enum class FeatureExactness : uint8_t {
    Exact,    // equal
    Bound,    // never less (aligned_share: never more)
    Estimate  // a mean over the positions in a line, or one iteration for all
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
    int version;  // of the meaning under this name
    std::string_view doc;
};

// In the order of Feature.
const std::array<FeatureInfo, num_features> &feature_table();
inline const FeatureInfo &info(Feature f) { return feature_table()[index(f)]; }

using FeatureRow = std::array<double, num_features>;

inline double transformed(FeatureTransform transform, double value) {
    return transform == FeatureTransform::Log1p ? std::log1p(value) : value;
}

// Those of the scope that a model of the target (Cpu or Gpu) reads, in the order of the table.
std::vector<Feature> features_for(FeatureTarget target, FeatureScope scope);

// Of names, units, transforms and versions, in order: weights made for one schema are refused by
// another. The same on every machine.
uint64_t schema_hash();

// The names, comma-separated, without a line end.
std::string csv_header();
// One row under that header; values read back as they were.
std::string csv_line(std::span<const double> row);

// The table as people read it, Markdown: docs/features.md.
std::string schema_document();

}  // namespace cryolite
