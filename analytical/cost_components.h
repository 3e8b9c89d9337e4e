// The components that a stage's predicted time is the sum of, in the terms of OOPSLA 2021, appendix B.
// That appendix weighs counts by learned coefficients; here each component is in seconds by the
// Machine's constants. Its cost_of_false_sharing has no component. Its idle_core_wastage is no
// summand: it is in the speed-up that core-bound time is divided by.
//
// Costs that run at the same time hide each other. A component counts with what stays exposed: that of
// the slowest resource in full, the others in part. So components add up to the predicted time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace cryolite {

enum class CostComponent : uint8_t {
    Compute,
    Dependence,
    LoopOverhead,
    L1Loads,
    L1Stores,
    RegisterSpills,
    L2Loads,
    L2Stores,
    LastLevelLoads,
    LastLevelStores,
    MemoryLoads,
    MemoryStores,
    Allocations,
    PageFaults,
    ParallelLaunches,
    ParallelTasks,
    Count
};
inline constexpr size_t num_cost_components = static_cast<size_t>(CostComponent::Count);
constexpr size_t index(CostComponent c) { return static_cast<size_t>(c); }

struct CostComponentInfo {
    std::string_view name;
    std::string_view appendix_b;  // the term of OOPSLA 2021, appendix B, that it is a part of
    std::string_view doc;
};

// In the order of CostComponent.
const std::array<CostComponentInfo, num_cost_components> &cost_component_table();
inline const CostComponentInfo &info(CostComponent c) { return cost_component_table()[index(c)]; }

// Seconds by component.
using CostBreakdown = std::array<double, num_cost_components>;
double sum(const CostBreakdown &parts);

// What hides the other costs that run beside it: the cores, or the traffic out of a level.
enum class BoundBy : uint8_t { Core, L2, LastLevel, Memory };
const char *name(BoundBy bound);

// The keys (machine/machine_fields.h) of the Machine's values that the component is computed from.
// `cores` is not named: through the speed-up it is in nearly all.
std::vector<std::string> constants_of(CostComponent component, const Machine &machine);

}  // namespace cryolite
