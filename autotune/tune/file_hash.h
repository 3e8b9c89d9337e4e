// What a file holds, as a number.
#pragma once

#include <cstdint>
#include <string>

namespace cryolite {

// The same on every computer. Of a file that cannot be read: that of an empty one.
uint64_t hash_of_file(const std::string &path);

}  // namespace cryolite
