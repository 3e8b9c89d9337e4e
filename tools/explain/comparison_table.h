// Two explanations side by side, as text for people.
#pragma once

#include <string>

#include "tools/explain/comparison.h"
#include "tools/explain/explanation_table.h"

namespace cryolite::tools {

struct Side {
    std::string name;  // for the columns: a file, a trace
    const Explanation &explanation;
};

// Loops beside loops, then stages with the term, and stages with the features, that differ most: a
// few, and all of them with shown.features. Errors: those of compare(), or no such stage.
Result<std::string> comparison_table(const Side &first, const Side &second, const Shown &shown);

}  // namespace cryolite::tools
