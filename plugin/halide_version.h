// Halide's C++ interface is not stable between major versions: a plugin opened by another version
// than it was built for must say so instead of failing somewhere inside.
#pragma once

#include <string>

namespace cryolite {

// Empty if the Halide in this process is the one that the plugin was built for, as far as can be
// told; else a message for the user.
std::string halide_version_mismatch();

}  // namespace cryolite
