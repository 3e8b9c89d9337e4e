// What makes a shell complete the commands and options of a program.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace cryolite::tools {

// A script for the shell to read. Words that are no command and no option are completed as files.
std::string bash_completion(const CLI::App &app);
std::string zsh_completion(const CLI::App &app);
std::string fish_completion(const CLI::App &app);

}  // namespace cryolite::tools
