// A function in a process of its own, so that Halide's names of Funcs do not depend on what was made
// before, and a crash is a value.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace cryolite::bench {

// What `work` returns in a child of this process. An exception or a crash there is the Error.
Result<std::string> in_child(const std::function<std::string()> &work);

}  // namespace cryolite::bench
