#include "autotune/tune/file_hash.h"

#include <fstream>
#include <iterator>

#include "base/hash.h"

namespace cryolite {

uint64_t hash_of_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    return Hasher().add(std::string_view(bytes)).value();
}

}  // namespace cryolite
