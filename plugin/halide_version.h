// Halide's C++ interface is not stable between major versions: a plugin opened by another version
// than it was built for must say so instead of failing somewhere inside.
#pragma once

#include <string>

namespace cryolite {

// Empty if the Halide in this process is the one that the plugin was built for, as far as can be
// told (20 or newer, or older); else a message for the user.
std::string halide_version_mismatch();

// The same for a given pair.
std::string halide_version_mismatch(int built_for_major, bool loaded_20_or_newer);

}  // namespace cryolite
