// What is known of the computer that a pipeline is scheduled for: its CPU, and the GPU if the target
// has one.
#pragma once

#include <optional>

#include "base/log.h"
#include "machine/hardware.h"
#include "plugin/plugin_options.h"
#include "plugin/target/target_gpu.h"
#include "plugin/target/target_machine.h"

namespace cryolite {

struct Platform {
    TargetMachine host;
    std::optional<TargetGpu> gpu;

    // Refers to this.
    Hardware hardware() const { return {host.machine, gpu ? &gpu->device : nullptr}; }
};

// Says in the log what it is. Errors: those of machine_of_target(), and what is asked of a platform
// that does not have it: a strategy for GPUs of a CPU, one for CPUs of a GPU.
Result<Platform> platform_of(const Halide::Target &target, const PluginOptions &options,
                             const Log &log);

}  // namespace cryolite
