// Reading a small file whole.
#pragma once

#include <string>

#include "base/result.h"

namespace cryolite {

// What is longer is another file than the one that was meant, or a device without an end.
inline constexpr size_t longest_text_bytes = size_t{64} << 20;

// Errors: "'PATH' ...", with what is wrong: not there, a folder, not readable, too long.
Result<std::string> read_text_file(const std::string &path, size_t most_bytes = longest_text_bytes);

}  // namespace cryolite
