#include "plugin/tell_user.h"

#include <Halide.h>

#include <cstdio>
#include <sstream>

namespace cryolite {
namespace {

// What Halide says has lines.
std::string on_one_line(const std::string &text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
}

}  // namespace

void tell_user(const std::string &message) { throw Halide::CompileError("Cryolite: " + message); }

Log make_log(LogLevel level) {
    return Log(level, [](LogLevel l, const std::string &text) {
        if (l == LogLevel::Warning)
            std::fprintf(stderr, "Cryolite warning: %s\n", on_one_line(text).c_str());
        else
            std::fprintf(stderr, "Cryolite: %s\n", text.c_str());
    });
}

}  // namespace cryolite
