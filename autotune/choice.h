// Which of several timed candidates is taken, and when more timing would hardly change that.
#pragma once

#include <optional>
#include <vector>

#include "autotune/contest.h"

namespace cryolite {

// The number of the fastest entry. The first that was timed gives way only to one that is at least 1 % faster: below
// that, the next measurement may say the opposite. Nothing: none was timed.
std::optional<size_t> choice_of(const std::vector<Entry> &entries);

// Whether choice_of() is faster than the first, if it is another, and at most 2 % slower than any other, with a
// probability of 0.975 each (spread.h).
bool is_decided(const std::vector<Entry> &entries);

}  // namespace cryolite
