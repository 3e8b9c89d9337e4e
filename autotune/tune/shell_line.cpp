#include "autotune/tune/shell_line.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cryolite {
namespace {

bool is_plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
}

std::string quoted(const std::string &word) {
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
    std::string text = "'";
    for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
    std::string line;
    for (const std::string &w : words) line += (line.empty() ? "" : " ") + quoted(w);
    return line;
}

}  // namespace cryolite
