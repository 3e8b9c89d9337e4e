#include "tools/tune/budget.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

namespace cryolite::tools {

Result<Budget> parse_budget(const std::string &text) {
    const Error wrong{"'" + text +
                      "' is no budget, which is a time (90s, 10m, 8h, 1d) or a number of schedules "
                      "(200)"};
    double value = 0;
    const char *const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || !std::isfinite(value) || value <= 0) return wrong;
    const std::string unit(rest, end);
    if (unit.empty()) {
        if (value != std::floor(value) || value > 1e9) return wrong;
        return Budget{0, static_cast<int64_t>(value)};
    }
    const std::map<std::string, double> seconds_of{
        {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    const auto at = seconds_of.find(unit);
    if (at == seconds_of.end()) return wrong;
    return Budget{value * at->second, 0};
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
    char text[64];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld s", whole);
    return text;
}

}  // namespace cryolite::tools
