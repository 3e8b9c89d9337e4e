// What the option `weights` names: a network (weights_file.h) or factors of the terms (coefficients_file.h).
#pragma once

#include <memory>
#include <string>

#include "analytical/correction.h"
#include "base/result.h"
#include "model/weights_file.h"

namespace cryolite {

// Of a file that is longer nothing is read: a network takes 0.1 to 1 MB.
inline constexpr size_t longest_correction_bytes = size_t{16} << 20;

// machine: Machine::name, for the factors that a network has learned for it. Errors as the two files' readers give
// them. risk: network.h. Above 0 it is an error to name what has no members to differ.
Result<std::shared_ptr<const Correction>> read_correction(const std::string &path,
                                                          const std::string &machine,
                                                          double risk = 0);

// A network for who trains it further. Errors: also a file of factors.
Result<Weights> read_network(const std::string &path);

}  // namespace cryolite
