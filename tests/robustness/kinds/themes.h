// The themes of the corpus of kinds, a file each.
#pragma once

#include <vector>

#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

std::vector<Entry> kinds_of_filters();
std::vector<Entry> kinds_of_colour();
std::vector<Entry> kinds_of_tables();
std::vector<Entry> kinds_of_resampling();
std::vector<Entry> kinds_of_pyramids();
std::vector<Entry> kinds_of_vision();
std::vector<Entry> kinds_of_networks();
std::vector<Entry> kinds_of_algebra();
std::vector<Entry> kinds_of_scans();

}  // namespace cryolite::robustness
