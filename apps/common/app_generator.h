// What every app's generator includes: Halide, the schedule parameter and the plain schedule.
#pragma once

#include <Halide.h>

#include "apps/common/plain_schedule.h"
#include "apps/common/schedule_variant.h"

namespace cryolite::apps {

// An algorithm is written in Halide's language; qualifying each word of it would hide the formulas.
using namespace Halide;  // NOLINT(google-build-using-namespace)

}  // namespace cryolite::apps
