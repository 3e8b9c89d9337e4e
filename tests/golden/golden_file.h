// Golden texts: compared in a normal run, accepted with --update-golden on the command line.
#pragma once

#include <string>

namespace cryolite::testing {

bool updating_golden();

// Expects `text` to be the content of the file of that name in CRYOLITE_GOLDEN_FOLDER, which each test
// program sets for itself (tests/golden, mostly); or writes it there.
void expect_golden(const std::string &file, const std::string &text);

// The same for the line of `file` that begins with `key` and a space.
void expect_golden_line(const std::string &file, const std::string &key, const std::string &line);

}  // namespace cryolite::testing
