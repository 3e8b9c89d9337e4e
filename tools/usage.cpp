#include "tools/usage.h"

#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "tools/terminal.h"

namespace cryolite::tools {
namespace {

// The command that the line got to, and its name with those before it.
struct Reached {
    const CLI::App *command;
    std::string name;
};

Reached reached(const CLI::App &app) {
    Reached r{&app, app.get_name()};
    for (auto next = r.command->get_subcommands(); !next.empty();
         next = r.command->get_subcommands()) {
        r.command = next.front();
        r.name += " " + r.command->get_name();
    }
    return r;
}

// Commands without a group are for programs, and not shown.
bool is_offered(const CLI::App *command) { return !command->get_group().empty(); }

// What may stand in a word's place: options for what begins with a dash, else commands.
std::vector<std::string> known_names(const CLI::App &command, const std::string &word) {
    std::vector<std::string> names;
    if (!word.starts_with("-")) {
        for (const CLI::App *sub : command.get_subcommands(is_offered))
            names.push_back(sub->get_name());
        return names;
    }
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string &name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

}  // namespace

std::string help_text(const CLI::App &app) {
    constexpr int description_column = 30;  // CLI11's
    std::string text = broken_at(app.help(), columns(Stream::Output), description_column);
    for (const std::string head : {"Usage:", "Positionals:", "Options:", "Subcommands:"})
        if (const size_t at = text.find(head); at != text.npos && (at == 0 || text[at - 1] == '\n'))
            text.replace(at, head.size(), bold(head));
    return text;
}

std::string usage_error_text(const CLI::App &app, const CLI::ParseError &error) {
    const Reached at = reached(app);
    std::string text = error.what();
    for (const std::string &word : at.command->remaining()) {
        if (!word.starts_with("-") && at.command->get_subcommands({}).empty()) continue;
        const std::string meant = near_name(word, known_names(*at.command, word));
        text = (word.starts_with("-") ? "unknown option '" : "unknown command '") + word + "'";
        if (!meant.empty()) text += "; did you mean '" + meant + "'?";
        break;
    }
    return text + "\n" + at.name + " --help lists what there is";
}

}  // namespace cryolite::tools
