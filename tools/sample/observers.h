// Who looks on while samples are gathered.
#pragma once

#include <memory>
#include <string>

#include "autotune/gather/gather.h"
#include "tools/tune/observers.h"

namespace cryolite::tools {

// Show::Table is a line that is written anew; Show::Lines a line for each pipeline that begins.
std::unique_ptr<GatherObserver> make_gather_observer(Show show);

// "3 of 100 random_pipeline:seed=2: 34 samples (30 timed, 4 wrong), 1,234 an hour; 3 min of 30 min; measuring"
std::string progress_line(const GatherProgress &progress);

}  // namespace cryolite::tools
