// An Explanation as JSON, to be kept, compared and read by scripts: docs/explain.md shows it. Numbers
// are read back to the bit.
#pragma once

#include <string>
#include <string_view>

#include "analytical/explain/explanation.h"
#include "base/result.h"

namespace cryolite {

// Raised when a key is added, goes or changes its meaning; a file of another version is refused.
constexpr int explanation_version = 2;

std::string explanation_json(const Explanation &explanation);

// `path` is only for messages. Errors: what is no explanation, another version, missing and unknown
// keys, values of another kind; they name the file, the key and what to do.
Result<Explanation> parse_explanation(std::string_view text, const std::string &path);

// Errors: as above, or the file cannot be read.
Result<Explanation> read_explanation(const std::string &path);

}  // namespace cryolite
