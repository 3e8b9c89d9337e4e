// A command as a line for a shell: one that a person pastes, or a script.
#pragma once

#include <span>
#include <string>

namespace cryolite {

// Words that a POSIX shell would read otherwise are quoted.
std::string shell_line(std::span<const std::string> words);

}  // namespace cryolite
