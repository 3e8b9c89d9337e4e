#include "tools/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

namespace cryolite::tools {
namespace {

std::string marked(const std::string &text, const char *how, Stream stream) {
    return is_terminal(stream) ? std::string("\x1b[") + how + "m" + text + "\x1b[0m" : text;
}

std::string broken_line(std::string line, size_t most, size_t indent) {
    const size_t own = std::min(line.find_first_not_of(' '), line.size());
    indent = own == 0 ? 0 : std::max(indent, own);
    std::string text;
    size_t first = own;  // where a word may begin a line
    while (line.size() > most) {
        size_t at = line.rfind(' ', most);
        if (at == line.npos || at <= first) at = line.find(' ', most);
        if (at == line.npos) break;
        text += line.substr(0, line.find_last_not_of(' ', at) + 1) + "\n";
        const size_t next = line.find_first_not_of(' ', at);
        if (next == line.npos) return text.substr(0, text.size() - 1);
        line = std::string(indent, ' ') + line.substr(next);
        first = indent;
    }
    return text + line;
}

}  // namespace

bool is_terminal(Stream stream) { return isatty(static_cast<int>(stream)) != 0; }

int columns(Stream stream) {
    winsize size{};
    if (!is_terminal(stream) || ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

std::string bold(const std::string &text, Stream stream) { return marked(text, "1", stream); }

std::string alarming(const std::string &text, Stream stream) {
    return marked(text, "1;31", stream);
}

std::string with_bold_head(const std::string &table) {
    const size_t end = std::min(table.find('\n'), table.size());
    return bold(table.substr(0, end)) + table.substr(end);
}

std::string broken_at(const std::string &text, int most, int indent) {
    // A terminal that is too narrow to hold the indentation breaks lines as well itself.
    if (most <= indent + 20) return text;
    std::istringstream lines(text);
    std::string line, all;
    while (std::getline(lines, line))
        all += broken_line(line, static_cast<size_t>(most), static_cast<size_t>(indent)) + "\n";
    return all;
}

}  // namespace cryolite::tools
