// What an explanation says whatever the schedule runs on, for explanation.cpp and gpu_explanation.cpp.
#pragma once

#include <algorithm>
#include <span>

#include "analytical/cost_components.h"
#include "analytical/explain/explanation.h"
#include "machine/machine_fields.h"

namespace cryolite {

// The loops, the trace, the names; no machine and no times. All features are listed.
Explanation explained_schedule(const LoopNest &nest, const ExplainedRun &run);

std::vector<ExplainedConstant> explained_constants(const std::vector<FieldValue> &values);
ExplainedTerm explained_term(const CostComponentInfo &info, std::vector<std::string> constants,
                             double seconds);
NamedNumbers explained_features(std::span<const double> row);

// The name of the component with the most seconds, the first of equals; empty if there are none.
template <size_t N>
std::string largest(const std::array<double, N> &parts,
                    const std::array<CostComponentInfo, N> &table) {
    const auto most = std::max_element(parts.begin(), parts.end());
    if (*most <= 0) return {};
    return std::string(table[static_cast<size_t>(most - parts.begin())].name);
}

}  // namespace cryolite
