// What people call a problem of the store: its machine, and the parameters of its generator.
#pragma once

#include <string>
#include <vector>

#include "autotune/store/sample.h"

namespace cryolite::tools {

// The name in the machine's text; empty: the text holds none.
std::string machine_name(const Problem &problem);

// KEY=VALUE, as the generator took them. What is no text is left out.
std::vector<std::string> parameters_of(const Problem &problem);

}  // namespace cryolite::tools
