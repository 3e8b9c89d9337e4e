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

template <typename T>
T or_fail(Result<T> result) {
    if (!result.ok()) fail(result.error().message);
    return std::move(result).value();
}

}  // namespace cryolite::tools
