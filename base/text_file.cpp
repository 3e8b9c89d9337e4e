#include "base/text_file.h"

#include <filesystem>
#include <fstream>

namespace cryolite {

Result<std::string> read_text_file(const std::string &path, size_t most_bytes) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return Error{"there is no file '" + path + "'"};
    if (std::filesystem::is_directory(path, ignored)) return Error{"'" + path + "' is a folder"};
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{"'" + path + "' cannot be read"};
    std::string text;
    char chunk[1 << 16];
    while (file && text.size() <= most_bytes) {
        file.read(chunk, sizeof chunk);
        text.append(chunk, static_cast<size_t>(file.gcount()));
    }
    if (file.bad()) return Error{"'" + path + "' cannot be read"};
    if (text.size() > most_bytes)
        return Error{"'" + path + "' is longer than " + std::to_string(most_bytes) + " bytes"};
    return text;
}

}  // namespace cryolite
