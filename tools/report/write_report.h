// A report from what `cryolite tune` leaves to a file.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace cryolite::tools {

// The file is written whole or not at all. Returns notes for the user. Errors: those of read_report(), a file that
// cannot be written.
Result<std::vector<std::string>> write_report(const std::string &from, int64_t problem,
                                              const std::string &to);

}  // namespace cryolite::tools
