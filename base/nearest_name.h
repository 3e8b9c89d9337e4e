// Which known name a misspelt one meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cryolite {

// The name with the fewest letters to insert, remove or replace (Levenshtein); the first of several. Empty: `names` is.
std::string nearest_name(std::string_view word, std::span<const std::string> names);

// The same, or empty where too many letters differ, so that the name would be a guess: more than two and more than a
// third, or all but one. Words of one or two letters are never guessed.
std::string near_name(std::string_view word, std::span<const std::string> names);

}  // namespace cryolite
