// Replaces the placeholders in a module's PTX by instructions.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "schedule/kernel_shape.h"

namespace cryolite::tensorcore {

// shapes: by the number in the placeholders' names. Two entries may share a number: one copies units, the other
// gathers. Error: a placeholder that is left over, by its name, or an entry with placeholders of several kernels.
Result<std::string> patch_ptx(const std::string &ptx, std::span<const KernelShape> shapes);

}  // namespace cryolite::tensorcore
