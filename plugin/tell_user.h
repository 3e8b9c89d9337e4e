// How the plugin speaks to its user: errors that end the call, and a log on standard error.
#pragma once

#include <string>
#include <utility>

#include "base/log.h"
#include "base/result.h"

namespace cryolite {

// Throws Halide::CompileError with "Cryolite: " before the message.
[[noreturn]] void tell_user(const std::string &message);

template <typename T>
T or_tell_user(Result<T> result) {
    if (!result.ok()) tell_user(result.error().message);
    return std::move(result).value();
}

// Warnings are a line each, whatever lines their text has.
Log make_log(LogLevel level);

}  // namespace cryolite
