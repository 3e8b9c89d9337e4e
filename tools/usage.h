// How the command line explains itself: help that fits the terminal, and what is said where it was misunderstood.
#pragma once

#include <CLI/CLI.hpp>

namespace cryolite::tools {

// The exit status where the command line itself is wrong; 1 is for what could not be done.
inline constexpr int usage_status = 2;

// The help of the command that was asked about, broken to the width of the terminal.
std::string help_text(const CLI::App &app);

// One line on what is wrong with the command line, with the nearest word that is known, and where help is.
std::string usage_error_text(const CLI::App &app, const CLI::ParseError &error);

}  // namespace cryolite::tools
