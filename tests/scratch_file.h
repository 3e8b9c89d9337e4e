// Files that a test writes and removes.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace cryolite::test {

// A path of this process alone: tests of one program run side by side, and so do builds.
inline std::filesystem::path scratch_file(const std::string &name) {
    return std::filesystem::path(::testing::TempDir()) /
           ("cryolite_" + std::to_string(getpid()) + "_" + name);
}

}  // namespace cryolite::test
