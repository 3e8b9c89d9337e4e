// What an option's number must be, for CLI11, whose own checks name the largest double.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace cryolite::tools {

template <typename T, typename Takes>
CLI::Validator number_check(const char *what, Takes takes) {
    const auto check = [what, takes](const std::string &text) {
        T value{};
        const char *const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        const bool is_right = error == std::errc() && rest == end && takes(value);
        return is_right ? std::string() : "'" + text + "' is no " + what;
    };
    return CLI::Validator(check, "");
}

inline CLI::Validator from_0() {
    return number_check<uint64_t>("whole number from 0 up", [](uint64_t) { return true; });
}
inline CLI::Validator from_1() {
    return number_check<uint64_t>("whole number from 1 up", [](uint64_t n) { return n >= 1; });
}
inline CLI::Validator above_0() {
    return number_check<double>("number above 0",
                                [](double x) { return std::isfinite(x) && x > 0; });
}

}  // namespace cryolite::tools
