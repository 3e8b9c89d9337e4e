// How a command says that it cannot go on.
#pragma once

#include <iostream>
#include <string>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "tools/terminal.h"

namespace cryolite::tools {

inline void complain(const std::string &message) {
    std::cerr << alarming("cryolite:") << " " << message << "\n";
}

[[noreturn]] inline void fail(const std::string &message) {
    complain(message);
    throw CLI::RuntimeError(1);
}

// Where the command line is at fault and not what it names: main() adds where help is, and ends with usage_status.
[[noreturn]] inline void misuse(const std::string &message) { throw CLI::ValidationError(message); }

template <typename T>
T or_misuse(Result<T> result) {
    if (!result.ok()) misuse(result.error().message);
    return std::move(result).value();
}

template <typename T>
T or_fail(Result<T> result) {
    if (!result.ok()) fail(result.error().message);
    return std::move(result).value();
}

}  // namespace cryolite::tools
