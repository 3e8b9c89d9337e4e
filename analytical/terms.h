// The terms of a stage's predicted time: raw seconds by what they are spent on, before anything hides anything.
// One table for CPUs and GPUs. OOPSLA 2021, appendix B weighs counts by learned coefficients; a term is such a count
// times the machine's constants, so that it is in seconds before anything is learned. That appendix's
// cost_of_false_sharing has no term yet. Its idle_core_wastage is in the speed-up that the terms are divided by; on a
// GPU the multiprocessor with the most blocks is timed, and whole warps are.
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

// What a term occupies. The resources of a stage work side by side (overlap.h), but for the last.
enum class Resource : uint8_t {
    Arithmetic,  // a core's or a multiprocessor's execution units
    L1,          // ports of the first cache and of shared memory
    Latency,     // nothing: it waits
    Control,     // a core, which cannot do anything else meanwhile
    L2,
    LastLevel,
    Memory,
    Added,  // nothing hides it
    Count
};
inline constexpr size_t num_resources = static_cast<size_t>(Resource::Count);
const char *name(Resource resource);

struct TermInfo {
    std::string_view name;
    std::string_view appendix_b;       // the term of OOPSLA 2021, appendix B, that it is a part of
    std::optional<Resource> cpu, gpu;  // what it occupies there; nullopt: there is no such term
    std::string_view doc;
};

// In the order of Term.
const std::array<TermInfo, num_terms> &term_table();
inline const TermInfo &info(Term t) { return term_table()[index(t)]; }

enum class TermTarget : uint8_t { Cpu, Gpu };
inline std::optional<Resource> resource_of(Term t, TermTarget target) {
    return target == TermTarget::Cpu ? info(t).cpu : info(t).gpu;
}

// Seconds of the whole pipeline's run, by Term. Those that the target does not have are 0.
using Terms = std::array<double, num_terms>;
double sum(const Terms &terms);

// The keys (machine/machine_fields.h) of the Machine's values that the raw term is computed from. `cores` is not
// named: through the speed-up it is in nearly all.
std::vector<std::string> constants_of(Term term, const Machine &machine);
// The same of a GPU's values.
std::vector<std::string> gpu_constants_of(Term term);

}  // namespace cryolite
