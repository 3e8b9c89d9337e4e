// What is predicted of the schedule that was taken, for log_level=info.
#pragma once

#include <memory>

#include "analytical/correction.h"
#include "base/log.h"
#include "plugin/target/platform.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// What was learned changes the prediction for a CPU; null: nothing was.
using Learned = std::shared_ptr<const Correction>;

void log_prediction(const LoopNest &nest, const Platform &platform, const Learned &learned,
                    const Log &log);

}  // namespace cryolite
