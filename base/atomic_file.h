// Writing a file so that whoever opens it sees all of the old text or all of the new.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cryolite {

// Writes beside `path`, flushes to the disk and renames; a link is followed. A `path` that is there
// and no regular file (a pipe, a terminal) is written in place. Errors: what the system says, with
// the path; then nothing is left behind and an older file stays as it was.
Result<bool> write_atomically(const std::string &path, std::string_view text);

}  // namespace cryolite
