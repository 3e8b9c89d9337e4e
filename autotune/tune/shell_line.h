// A command as a line that a person pastes into a shell. Nothing here runs one.
#pragma once

#include <span>
#include <string>

namespace cryolite::tools {

// Words that a POSIX shell would read otherwise are quoted.
std::string shell_line(std::span<const std::string> words);

}  // namespace cryolite::tools
