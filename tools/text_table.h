// Rows of cells as columns of text.
#pragma once

#include <string>
#include <vector>

namespace cryolite::tools {

enum class Align { Left, Right };

// Two spaces between columns, none at the end of a line. A row may end early; columns past the end of
// `align` are aligned as its last.
std::string text_table(const std::vector<std::vector<std::string>> &rows,
                       const std::vector<Align> &align);

}  // namespace cryolite::tools
