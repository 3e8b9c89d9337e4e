// The Machine that a Halide target stands for.
#pragma once

#include <string>

#include <Halide.h>

#include "base/result.h"
#include "machine/machine.h"

namespace cryolite {

struct TargetMachine {
    Machine machine;
    std::string source;  // where it came from, for the log
};

// name: "auto", a preset, or the path of a machine file (machine/machine_file.h). The vector width is
// always the target's. parallelism: 0 for the machine's own cores.
// Of a target with a GPU it is the CPU beside it (target_gpu.h).
// Errors: an unknown preset, a bad file, or a target that no preset covers.
Result<TargetMachine> machine_of_target(const Halide::Target &target, const std::string &name,
                                        int64_t parallelism);

}  // namespace cryolite
