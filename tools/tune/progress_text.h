// The tuner's progress as text.
#pragma once

#include <string>

#include "autotune/tune/tune.h"

namespace cryolite::tools {

// A small table; see docs/tune.md.
std::string progress_table(const std::string &pipeline, const TuneProgress &progress);

// The same with lines of at most so many columns; 0: the width is not known. A line that a terminal breaks would be
// two.
std::string cut_to_width(const std::string &text, size_t columns);

// One line: the same in short.
std::string progress_line(const TuneProgress &progress);

// "4.12 ms (4.08 to 4.19)".
std::string time_text(const Spread &seconds);

// "180 timed, 3 wrong".
std::string status_text(const std::map<SampleStatus, int64_t> &by_status);

}  // namespace cryolite::tools
