// The device code that lowered code holds for the runtime.
#pragma once

#include <functional>
#include <string>

#include <Halide.h>

namespace cryolite::tensorcore {

// Replaces the PTX of each CUDA module by what `change` makes of it. modules: how many there were.
struct ChangedCode {
    Halide::Internal::Stmt lowered;
    int modules = 0;
};
ChangedCode change_device_code(const Halide::Internal::Stmt &lowered,
                               const std::function<std::string(const std::string &)> &change);

}  // namespace cryolite::tensorcore
