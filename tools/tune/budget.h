// How long to tune, as a user writes it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace cryolite::tools {

struct Budget {
    double seconds = 0;     // 0: no limit
    int64_t schedules = 0;  // 0: no limit
};

// "90s", "10m", "8h", "1.5d", or "200" for a number of schedules. Errors: anything else.
Result<Budget> parse_budget(const std::string &text);

// "1 h 05 min", "3 min 20 s", "12 s".
std::string duration_text(double seconds);

}  // namespace cryolite::tools
