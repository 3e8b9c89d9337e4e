#include "tools/calibrate/experiment.h"

#include <algorithm>
#include <cmath>

namespace cryolite::calibrate {

Estimate operator+(Estimate a, Estimate b) { return {a.value + b.value, a.error + b.error}; }
Estimate operator-(Estimate a, Estimate b) { return {a.value - b.value, a.error + b.error}; }
Estimate operator*(Estimate a, double factor) { return {a.value * factor, a.error * factor}; }
Estimate operator/(Estimate a, Estimate b) {
    const double value = a.value / b.value;
    return {value, std::abs(value) * (a.spread() + b.spread())};
}

Estimate estimate(std::vector<double> samples, Statistic statistic) {
    std::ranges::sort(samples);
    const auto quantile = [&](double q) {
        return samples[static_cast<size_t>(q * static_cast<double>(samples.size() - 1) + 0.5)];
    };
    if (statistic == Statistic::Minimum) return {samples.front(), quantile(0.25) - samples.front()};
    return {quantile(0.5), (quantile(0.75) - quantile(0.25)) / 2};
}

Estimate Findings::hertz() const { return Estimate{1, 0} / seconds(clock_probe); }

Estimate Findings::cycles(const std::string &probe) const {
    return seconds(probe) / seconds(clock_probe);
}

Estimate Findings::bytes_per_cycle(const std::string &probe) const {
    return seconds(clock_probe) / seconds(probe);
}

}  // namespace cryolite::calibrate
