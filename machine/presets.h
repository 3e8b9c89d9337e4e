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
    std::string doc;  // what it stands for and where its numbers come from
    Machine machine;
};

const std::vector<MachinePreset> &machine_presets();

// Errors: an unknown name; the message lists the presets.
Result<Machine> machine_preset(std::string_view name);

// What a compilation target says of the machine it is for.
struct TargetTraits {
    enum class Architecture { X86, Arm, Other } architecture = Architecture::X86;
    int bits = 64;
    bool avx = false, avx2 = false, avx512 = false;
    bool avx512_zen5 = false;  // and the processor is a Zen 5 or newer
    bool avx512_fp16 = false;  // and it is a Sapphire Rapids or a later server's core
    int natural_vector_bytes = 16;
    std::string text;  // the target as the user wrote it, for messages
};

// The preset nearest to a target. Errors: an architecture that no preset covers; the message lists
// what there is and says how to name one.
Result<Machine> machine_for_target(const TargetTraits &target);

}  // namespace cryolite
