// The corpus of kinds: realistic pipelines at realistic sizes, of many kinds, that nothing was tuned for.
// Published algorithms in our own words. A file per theme; more than half of them have a schedule by hand.
#pragma once

#include <string>
#include <vector>

#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

// The names of the themes begin with "kinds_".
std::vector<Theme> kinds();

// The half that is set aside is never looked at to choose a cure. It is measured once at the end, and says
// then whether the cures help pipelines that nobody looked at.
struct Halves {
    std::string theme;
    std::vector<std::string> open, set_aside;
};
std::vector<Halves> halves();
bool is_set_aside(const std::string &kind);

}  // namespace cryolite::robustness
