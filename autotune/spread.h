// The centre of measured times and how sure it is.
#pragma once

#include <span>

namespace cryolite {

struct Spread {
    double median = 0;
    // The median of all that could be measured lies between these with a probability of at least 0.95, or, of fewer
    // than six samples, between the least and the largest with a lower one. Order statistics: nothing is assumed of how
    // the times are distributed.
    double low = 0, high = 0;
};

// Of at least one sample.
Spread spread_of(std::span<const double> samples);

}  // namespace cryolite
