// An Explanation as JSON, for archives, comparisons and scripts (docs/explain.md shows it). Numbers are read back to
// the bit.
#pragma once

#include <string>
#include <string_view>

#include "analytical/explain/explanation.h"
#include "base/result.h"

namespace cryolite {

// Raised when a key is added, removed or changes its meaning. A file of another version is refused.
constexpr int explanation_version = 6;

std::string explanation_json(const Explanation &explanation);

// `path` is only for messages. Errors: no explanation, another version, missing or unknown keys, values of another
// kind. A message names the file and, where there is one, the key, and says what to do.
Result<Explanation> parse_explanation(std::string_view text, const std::string &path);

// Errors: as above, or the file cannot be read.
Result<Explanation> read_explanation(const std::string &path);

}  // namespace cryolite
