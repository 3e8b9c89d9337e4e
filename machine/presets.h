// Documented machines, for cross-compilation and as the ground that detection corrects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace cryolite {

struct MachinePreset {
    std::string name;
    std::string doc;     // what it stands for and where its numbers come from
    std::string target;  // what such a computer is to Halide
    Machine machine;
};

const std::vector<MachinePreset> &machine_presets();

// Errors: an unknown name; the message lists the presets.
Result<Machine> machine_preset(std::string_view name);

// What a compilation target says of the machine it is for.
struct TargetTraits {
    enum class Architecture { X86, Arm, Other } architecture = Architecture::X86;
    // AMD's cores, which differ more than their instructions. Zen3: also Zen 2. Zen5: also newer ones.
    enum class Core { Any, Zen3, Zen4, Zen5 } core = Core::Any;
    int bits = 64;
    bool avx = false, avx2 = false, avx512 = false;
    int natural_vector_bytes = 16;
    std::string text;  // the target as the user wrote it, for messages
};

// The preset nearest to a target. Errors: an architecture that no preset covers; the message lists
// what there is and says how to name one.
Result<Machine> machine_for_target(const TargetTraits &target);

}  // namespace cryolite
