#include "tools/tune/inputs.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

namespace cryolite::tools {
namespace {

template <typename T>
std::optional<T> number_of(std::string_view text) {
    T value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
    return value;
}

struct Named {
    std::string name, value;
};

std::optional<Named> split(const std::string &text) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) return std::nullopt;
    return Named{text.substr(0, equals), text.substr(equals + 1)};
}

Error wrong(const char *option, const std::string &text, const char *form) {
    return Error{std::string(option) + " takes " + form + ", not '" + text + "'"};
}

}  // namespace

void add_input_options(CLI::App &command, InputOptions &o) {
    // One value for each time that the option is given: what follows may be a parameter of the generator.
    const auto add = [&command](const char *name, std::vector<std::string> &to, const char *doc) {
        command.add_option(name, to, doc)->allow_extra_args(false);
    };
    add("--input", o.files, "NAME=FILE: an input's contents (npy, png, pgm)");
    add("--range", o.ranges, "NAME=LOW:HIGH: between which an input is drawn");
    add("--scalar", o.scalars, "NAME=VALUE of a parameter (default: its estimate)");
    add("--shape", o.shapes, "NAME=640x480x3: an input's or output's size (default: its estimate)");
}

Result<bool> add_inputs(const InputOptions &o, RunRequest &request) {
    for (const std::string &text : o.files) {
        const auto named = split(text);
        if (!named || named->value.empty()) return wrong("--input", text, "NAME=FILE");
        request.inputs[named->name].file = std::filesystem::absolute(named->value).string();
    }
    for (const std::string &text : o.ranges) {
        const auto named = split(text);
        const size_t colon = named ? named->value.find(':') : text.npos;
        if (!named || colon == named->value.npos) return wrong("--range", text, "NAME=LOW:HIGH");
        const auto low = number_of<double>(named->value.substr(0, colon)),
                   high = number_of<double>(named->value.substr(colon + 1));
        if (!low || !high || *low > *high) return wrong("--range", text, "NAME=LOW:HIGH");
        request.inputs[named->name].has_range = true;
        request.inputs[named->name].range = {*low, *high};
    }
    for (const std::string &text : o.scalars) {
        const auto named = split(text);
        if (!named) return wrong("--scalar", text, "NAME=NUMBER");
        if (const auto whole = number_of<int64_t>(named->value))
            request.scalars[named->name] = *whole;
        else if (const auto large = number_of<uint64_t>(named->value))
            request.scalars[named->name] = *large;
        else if (const auto real = number_of<double>(named->value))
            request.scalars[named->name] = *real;
        else
            return wrong("--scalar", text, "NAME=NUMBER");
    }
    for (const std::string &text : o.shapes) {
        const auto named = split(text);
        if (!named) return wrong("--shape", text, "NAME=640x480");
        std::vector<int32_t> extents;
        std::istringstream parts(named->value + "x");
        for (std::string rest; std::getline(parts, rest, 'x');) {
            const auto extent = number_of<int32_t>(rest);
            if (!extent || *extent < 1) return wrong("--shape", text, "NAME=640x480");
            extents.push_back(*extent);
        }
        request.shapes[named->name] = extents;
    }
    return true;
}

Result<bool> find_input_files(const InputOptions &o) {
    for (const std::string &text : o.files)
        if (const auto named = split(text); !std::filesystem::is_regular_file(named->value))
            return Error{"there is no file '" + named->value + "' for the input " + named->name};
    return true;
}

}  // namespace cryolite::tools
