#include "machine/described_machine.h"

#include <algorithm>

#include "machine/machine_fields.h"
#include "machine/presets.h"

namespace cryolite {
namespace {

constexpr std::string_view preset_word = "preset ";

// Whether every preset leaves the field as machine.h has it.
bool is_default(const std::string &key) {
    auto digits = [&](Machine machine) -> std::string {
        for (const FieldValue &v : values_of(machine))
            if (v.key == key) return v.digits();
        return {};
    };
    const std::string fresh = digits(Machine{});
    return std::ranges::all_of(machine_presets(),
                               [&](const MachinePreset &p) { return digits(p.machine) == fresh; });
}

}  // namespace

std::string ValueSource::text() const {
    switch (kind) {
        case Kind::Default: return "default";
        case Kind::Preset: return std::string(preset_word) + preset;
        case Kind::Detected: return "detected";
        case Kind::Measured: return "measured";
        case Kind::File: return "file";
    }
    return {};
}

Result<ValueSource> parse_source(std::string_view text) {
    using Kind = ValueSource::Kind;
    for (Kind kind : {Kind::Default, Kind::Detected, Kind::Measured, Kind::File})
        if (ValueSource source{.kind = kind}; source.text() == text) return source;
    if (text.starts_with(preset_word) && text.size() > preset_word.size())
        return ValueSource{.kind = Kind::Preset,
                           .preset = std::string(text.substr(preset_word.size()))};
    return Error{"'" + std::string(text) +
                 "' is no source; it must be default, preset NAME, detected, measured or file"};
}

DescribedMachine describe_preset(const Machine &preset) {
    return describe_detection(preset.name, {preset, "", {}});
}

DescribedMachine describe_detection(const std::string &preset, const Detection &detection) {
    DescribedMachine out{detection.machine, preset, {}};
    for (const FieldValue &v : values_of(out.machine)) {
        ValueSource &source = out.sources[v.key];
        if (std::ranges::find(detection.found, v.key) != detection.found.end())
            source = {.kind = ValueSource::Kind::Detected};
        else if (!is_default(v.key))
            source = {.kind = ValueSource::Kind::Preset, .preset = preset};
    }
    return out;
}

}  // namespace cryolite
