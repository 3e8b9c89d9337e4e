// How sure an ensemble is: how far the prices of its members are apart.
#pragma once

#include <cmath>
#include <span>

namespace cryolite {

// The standard deviation of the logarithms of seconds, one of each member. 0.1: the members differ by about a tenth. 0
// of fewer than 2, or where one is not positive.
inline double log_spread(std::span<const double> seconds) {
    if (seconds.size() < 2) return 0;
    double sum = 0, squares = 0;
    for (double s : seconds) {
        if (s <= 0) return 0;
        sum += std::log(s);
    }
    const double mean = sum / static_cast<double>(seconds.size());
    for (double s : seconds) squares += (std::log(s) - mean) * (std::log(s) - mean);
    return std::sqrt(squares / static_cast<double>(seconds.size()));
}

}  // namespace cryolite
