// A Machine together with where each of its values comes from.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/detect.h"
#include "machine/machine.h"

namespace cryolite {

struct ValueSource {
    enum class Kind {
        Default,   // machine.h's own: no preset says otherwise
        Preset,    // the preset that is named
        Detected,  // asked of the computer
        Measured,  // by `cryolite machine calibrate`
        File,      // written by hand into a machine file
    } kind = Kind::Default;
    std::string preset = {};
    // Of a measured value: how much it is unsure, as a share of it.
    std::optional<double> spread = {};

    std::string text() const;  // "preset x86-avx2"
    bool operator==(const ValueSource &) const = default;
};

// The inverse of ValueSource::text(), without the spread. Errors: no such source.
Result<ValueSource> parse_source(std::string_view text);

struct DescribedMachine {
    Machine machine;
    std::string preset;                          // the ground it stands on; may be empty
    std::map<std::string, ValueSource> sources;  // by FieldValue::key
};

DescribedMachine describe_preset(const Machine &preset);
// A preset corrected by what was asked of the computer.
DescribedMachine describe_detection(const std::string &preset, const Detection &detection);

}  // namespace cryolite
