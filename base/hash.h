// Stable 64-bit hashing: the same value on every run and machine, so that hashes may be stored and
// compared in traces, schedules and sample stores (std::hash promises none of that).
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace cryolite {

// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): every input bit reaches every
// output bit.
constexpr uint64_t mix_bits(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Order matters: a then b differs from b then a.
class Hasher {
public:
    constexpr Hasher &add(uint64_t v) {
        state_ = mix_bits(state_ ^ v);
        return *this;
    }
    constexpr Hasher &add(std::string_view s) {
        uint64_t h = 0xcbf29ce484222325ull;  // FNV-1a, offset basis and prime for 64 bits
        for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
        return add(h).add(s.size());
    }
    constexpr uint64_t value() const { return state_; }

private:
    uint64_t state_ = 0x6a09e667f3bcc908ull;
};

// A hash as text: 16 digits.
inline std::string hexadecimal(uint64_t hash) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

}  // namespace cryolite
