#include "tools/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "machine/host_traits.h"
#include "machine/machine_fields.h"
#include "machine/presets.h"
#include "tools/calibrate/kernels.h"

namespace cryolite::calibrate {
namespace {

// What is less sure than this is named in a warning.
constexpr double large_spread = 0.1;
// Less of a processor than this: other work is running.
constexpr double quiet_share = 0.97;

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

// Whether an experiment should have concluded the value.
bool is_measured(const FieldValue &value) {
    return !value.text->measured.empty() && !value.text->measured.starts_with("asked of") &&
           value.key != "scalar.shuffle";
}

std::vector<std::string> warnings_of(const ProbeResults &results, const Conclusions &concluded,
                                     Machine machine) {
    std::vector<std::string> warnings;
    if (results.processor_share < quiet_share)
        warnings.push_back("the computer is busy: of the measuring time " +
                           percent(1 - results.processor_share) +
                           " went to other work; measure again when it is quiet");
    std::vector<std::pair<double, std::string>> unsure;
    for (const auto &[key, e] : concluded)
        if (e.spread() > large_spread) unsure.emplace_back(e.spread(), key);
    std::ranges::sort(unsure, std::greater<>());
    if (!unsure.empty()) {
        constexpr size_t shown = 5;
        std::string list;
        for (size_t i = 0; i < std::min(shown, unsure.size()); i++)
            list += (i ? ", " : "") + unsure[i].second + " (" + percent(unsure[i].first) + ")";
        if (unsure.size() > shown) list += ", ...";
        warnings.push_back(std::to_string(unsure.size()) + " of " +
                           std::to_string(concluded.size()) + " values spread by more than " +
                           percent(large_spread) + ": " + list +
                           "; measure again on a quiet computer, or with more --seconds");
    }
    std::string missing;
    for (const FieldValue &v : values_of(machine))
        if (is_measured(v) && !concluded.contains(v.key))
            missing += (missing.empty() ? "" : ", ") + v.key;
    if (!missing.empty())
        warnings.push_back("these were disturbed too much to say anything, and are the preset's: " +
                           missing);
    return warnings;
}

void take(const Conclusions &concluded, DescribedMachine &machine) {
    for (const FieldValue &v : values_of(machine.machine)) {
        const auto it = concluded.find(v.key);
        if (it == concluded.end()) continue;
        std::visit(
            [&](auto *at) {
                *at = static_cast<std::remove_reference_t<decltype(*at)>>(it->second.value);
            },
            v.number);
        ValueSource &source = machine.sources[v.key];
        source = {.kind = ValueSource::Kind::Measured};
        // Three digits say all that there is to say of a spread.
        if (it->second.error > 0) source.spread = std::round(it->second.spread() * 1000) / 1000;
    }
}

Result<DescribedMachine> believed_before() {
    const TargetTraits traits = host_traits();
    const auto preset = machine_for_target(traits);
    if (!preset.ok()) return preset.error();
    DescribedMachine out = describe_detection(preset->name, detect_machine(*preset));
    out.machine.vector_bytes = vector_kernels().vector_bytes;
    out.machine.vector_registers = vector_kernels().vector_registers;
    for (const char *key : {"vector_bytes", "vector_registers"})
        out.sources[key] = {.kind = ValueSource::Kind::Detected};
    return out;
}

}  // namespace

Result<Calibration> calibrate(const std::string &name, double seconds, const Progress &progress) {
    auto before = believed_before();
    if (!before.ok()) return before.error();
    Calibration out{std::move(*before), {}};
    Machine &machine = out.machine.machine;
    machine.name = name.empty() ? out.machine.preset + "-calibrated" : name;
    try {
        const Experiment experiments[] = {
            clock_experiment(),
            arithmetic_experiment(),
            loop_experiment(),
            bandwidth_experiment(machine),
            stream_experiment(machine),
            parallel_experiment(machine),
            allocation_experiment(machine),
        };
        std::vector<Probe> probes;
        for (const Experiment &e : experiments)
            probes.insert(probes.end(), e.probes.begin(), e.probes.end());
        const ProbeResults results = run_probes(probes, seconds, progress);
        const Findings found(results.seconds);
        Conclusions concluded;
        for (const Experiment &e : experiments) e.conclude(found, concluded);
        take(concluded, out.machine);
        out.warnings = warnings_of(results, concluded, machine);
    } catch (const std::bad_alloc &) {
        return Error{"there is not enough memory to measure the bandwidth of memory"};
    }
    if (const std::string wrong = what_is_wrong(machine); !wrong.empty())
        return Error{"what was measured cannot be: " + wrong + "; measure again"};
    return out;
}

}  // namespace cryolite::calibrate
