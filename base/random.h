// Seeded randomness that forks by label: a component draws from its own stream, so that adding a
// draw in one place does not shift the numbers of another, and results do not depend on threads.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace cryolite {

// SplitMix64 as a counter-based generator; meets UniformRandomBitGenerator.
class Random {
public:
    using result_type = uint64_t;
    explicit Random(uint64_t seed) : state_(mix_bits(seed)) {}

    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return ~uint64_t{0}; }
    uint64_t operator()() { return mix_bits(state_++); }

    // Uniform in [0, bound); bound > 0.
    uint64_t below(uint64_t bound) {
        return static_cast<uint64_t>((static_cast<unsigned __int128>((*this)()) * bound) >> 64);
    }
    // Uniform in [low, high], both included.
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
    }
    // Uniform in [0, 1).
    double unit() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
    bool chance(double probability) { return unit() < probability; }

    Random fork(std::string_view label, uint64_t index = 0) const {
        return Random(Hasher().add(state_).add(label).add(index).value());
    }

private:
    uint64_t state_;
};

}  // namespace cryolite
