// The terms of a stage's predicted time: raw seconds by kind of work, before resources hide each other. One table
// serves CPUs and GPUs.
//
// OOPSLA 2021, appendix B weighs counts by learned coefficients. A term is such a count times the machine's constants.
// So a term is in seconds before anything is learned. Two terms of appendix B have no row here:
// - cost_of_false_sharing has no counterpart yet.
// - idle_core_wastage is part of the speed-up that divides the terms. On a GPU the terms time the multiprocessor with
//   the most blocks, and count whole warps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace cryolite {

enum class Term : uint8_t {
    Compute,
    Dependence,
    LoopOverhead,
    L1Loads,
    L1Stores,
    SharedLoads,
    SharedStores,
    RegisterSpills,
    L2Loads,
    L2Stores,
    LastLevelLoads,
    LastLevelStores,
    MemoryLoads,
    MemoryStores,
    LoadLatency,
    Allocations,
    PageFaults,
    Launches,
    Tasks,
    HostStages,
    Copies,
    Count
};
inline constexpr size_t num_terms = static_cast<size_t>(Term::Count);
constexpr size_t index(Term t) { return static_cast<size_t>(t); }

// What a term occupies. The resources of a stage work side by side (overlap.h), except Control and Added.
enum class Resource : uint8_t {
    Arithmetic,  // a core's or a multiprocessor's execution units
    L1,          // ports of the first cache and of shared memory
    Latency,     // nothing: the core waits
    Control,     // the whole core, which can do nothing else meanwhile
    L2,
    LastLevel,
    Memory,
    Dispatch,  // of a GPU: what hands out blocks
    Added,     // no resource; nothing hides the term
    Count
};
inline constexpr size_t num_resources = static_cast<size_t>(Resource::Count);
const char *name(Resource resource);

struct TermInfo {
    std::string_view name;
    std::string_view appendix_b;  // the term of OOPSLA 2021, appendix B, that this is a part of
    std::optional<Resource> cpu, gpu;  // what it occupies; nullopt: the target has no such term
    std::string_view doc;
};

// In the order of Term.
const std::array<TermInfo, num_terms> &term_table();
inline const TermInfo &info(Term t) { return term_table()[index(t)]; }

enum class TermTarget : uint8_t { Cpu, Gpu };
inline std::optional<Resource> resource_of(Term t, TermTarget target) {
    return target == TermTarget::Cpu ? info(t).cpu : info(t).gpu;
}

// Seconds by Term, over one run of the whole pipeline. Terms that the target does not have are 0.
using Terms = std::array<double, num_terms>;
double sum(const Terms &terms);

// Keys (machine/machine_fields.h) of the Machine's values from which the raw term is computed. The list leaves out
// `cores`, since the speed-up brings it into nearly all terms.
std::vector<std::string> constants_of(Term term, const Machine &machine);
// The same for the GPU's speeds. The list leaves out the GPU's limits and its number of multiprocessors.
std::vector<std::string> gpu_constants_of(Term term);

}  // namespace cryolite
