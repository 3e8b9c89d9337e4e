#include "analytical/cycles/repeated_values.h"

#include <algorithm>

namespace cryolite {

double repeats_of_values(double elements, double loads) {
    constexpr double most_looked_at = 500;
    if (elements * loads <= most_looked_at) return 1;
    return 1 + std::min((elements - 1) * loads, elements * loads - most_looked_at) / loads;
}

}  // namespace cryolite
