// Which sides of what a kernel's Funcs are stored in are constants in the compiled code: the strides of the
// dimensions around such a side are known, and so is whether two addresses are one.
#pragma once

#include <map>
#include <vector>

#include "featurize/kernel_work.h"

namespace cryolite {

// By dimension. Funcs at root have none. A side is constant where it has a bound (storage_bounds.h), or
// where all that is needed of it, through inlined Funcs and through others whose sides are constants, is a
// constant part of the iteration of the loop that it is stored in: no clamp, no size of the image and no
// guarded last part has a say.
using ConstantSides = std::map<FuncId, std::vector<bool>>;
ConstantSides constant_sides(const KernelWork &work);

}  // namespace cryolite
