// Two explanations of the same algorithm, stage by stage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytical/explain/explanation.h"
#include "base/result.h"

namespace cryolite::tools {

struct TermDifference {
    std::string name;    // empty: no term differs
    double seconds = 0;  // the second's less the first's
};

struct FeatureDifference {
    std::string name, unit;
    double first = 0, second = 0;
};

struct StageDifference {
    std::string name;
    std::optional<double> first, second;  // seconds; nothing: no such stage, as where it is inlined
    double seconds = 0;                   // the second's less the first's, nothing as 0
    TermDifference term;                  // that which differs most
    // Those that differ, by |log(1 + a) - log(1 + b)|, the scale that a model sees. Of stages that
    // are in both.
    std::vector<FeatureDifference> features;
};

struct Comparison {
    double seconds = 0;  // the second's less the first's
    TermDifference term;
    std::vector<StageDifference> stages;  // the most different in seconds first
    bool same_trace = false;
    bool same_machine = false;  // every value of it, and the target
    bool same_algorithm = false;
};

// Errors: they are of different algorithms, and the first is no schedule by hand. (Such a schedule may make Funcs of
// its own, by rfactor; what it computes is the same.)
Result<Comparison> compare(const Explanation &first, const Explanation &second);

}  // namespace cryolite::tools
