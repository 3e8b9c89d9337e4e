// What this computer's processor says of itself, in the words of a compilation target.
#pragma once

#include "machine/presets.h"

namespace cryolite {

// As Halide's `target=host` sees it, without Halide.
TargetTraits host_traits();

}  // namespace cryolite
