// Measures what a Machine says of this computer.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/described_machine.h"
#include "tools/calibrate/run_probes.h"

namespace cryolite::calibrate {

struct Calibration {
    DescribedMachine machine;
    std::vector<std::string> warnings;  // why not all of it should be believed
};

// The values that no experiment concludes are those of the detection or the nearest preset. Takes
// `seconds` and a little more. Errors: no preset for this processor, too little memory, or findings
// that cannot be.
Result<Calibration> calibrate(const std::string &name, double seconds, const Progress &progress);

}  // namespace cryolite::calibrate
