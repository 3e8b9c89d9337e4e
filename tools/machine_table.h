// A described computer as a table for people: a line per value, with its unit and its source.
#pragma once

#include <string>

#include "machine/described_machine.h"
#include "machine/gpu.h"

namespace cryolite::tools {

std::string machine_table(const DescribedMachine &machine);
std::string gpu_table(const Gpu &gpu);

}  // namespace cryolite::tools
