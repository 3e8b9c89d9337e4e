// A kernel by its name, and as a probe.
#pragma once

#include <string>
#include <string_view>

#include "tools/calibrate/experiment.h"

namespace cryolite::calibrate {

// The kernel must be in the set.
const Kernel &find_kernel(const KernelSet &set, std::string_view name);
// With scratch memory of its own.
Probe kernel_probe(std::string name, const KernelSet &set, std::string_view kernel);

}  // namespace cryolite::calibrate
