// Seeded chance for recipes. The standard fixes what mt19937_64 gives, but not what its distributions make of it.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>

namespace cryolite::apps {

class Dice {
public:
    explicit Dice(uint64_t seed) : engine_(seed) {}

    uint64_t bits() { return engine_(); }
    // Uniform in [0, 1).
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
    bool chance(double probability) { return unit() < probability; }
    // Uniform in [low, high], both included.
    int between(int low, int high) {
        return low + static_cast<int>(engine_() % static_cast<uint64_t>(high - low + 1));
    }
    // Uniform in the logarithm.
    double between_log(double low, double high) { return low * std::pow(high / low, unit()); }
    template <typename T, size_t n>
    T one_of(const T (&values)[n]) {
        return values[engine_() % n];
    }
    // An index, by weights of which at least one is positive.
    size_t by_weight(std::span<const double> weights) {
        double sum = 0;
        for (const double w : weights) sum += w;
        double at = unit() * sum;
        size_t last = 0;
        for (size_t i = 0; i < weights.size(); i++) {
            if (weights[i] <= 0) continue;
            if (at < weights[i]) return i;
            at -= weights[i];
            last = i;
        }
        return last;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace cryolite::apps
