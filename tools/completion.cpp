#include "tools/completion.h"

#include <vector>

namespace cryolite::tools {
namespace {

// A command and the names that lead to it: "", "machine", "machine show".
struct Place {
    const CLI::App *command;
    std::string path;
};

// Commands without a group are for programs, and not shown.
bool is_offered(const CLI::App *command) { return !command->get_group().empty(); }

std::vector<Place> places(const CLI::App &app) {
    std::vector<Place> all{{&app, ""}};
    for (size_t i = 0; i < all.size(); i++) {
        const Place at = all[i];
        for (const CLI::App *sub : at.command->get_subcommands(is_offered))
            all.push_back({sub, at.path + (at.path.empty() ? "" : " ") + sub->get_name()});
    }
    return all;
}

std::vector<std::string> option_names(const CLI::App &command) {
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options()) {
        for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string &name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

std::vector<std::string> command_names(const CLI::App &command) {
    std::vector<std::string> names;
    for (const CLI::App *sub : command.get_subcommands(is_offered))
        names.push_back(sub->get_name());
    return names;
}

std::string spaced(const std::vector<std::string> &words) {
    std::string text;
    for (const std::string &w : words) text += (text.empty() ? "" : " ") + w;
    return text;
}

// In single quotes, for fish.
std::string quoted(const std::string &text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

// When fish offers what belongs to a place: all of its names were given, and none of a command below it.
std::string fish_condition(const Place &at) {
    std::string text;
    std::string path = at.path + " ";
    for (size_t begin = 0, end; (end = path.find(' ', begin)) != path.npos && end > begin;
         begin = end + 1)
        text += (text.empty() ? "" : "; and ") +
                ("__fish_seen_subcommand_from " + path.substr(begin, end - begin));
    if (const auto below = command_names(*at.command); !below.empty())
        text +=
            (text.empty() ? "" : "; and ") + ("not __fish_seen_subcommand_from " + spaced(below));
    return text;
}

}  // namespace

std::string bash_completion(const CLI::App &app) {
    const std::string name = app.get_name();
    std::string steps, words;
    for (const Place &at : places(app)) {
        if (!at.path.empty()) steps += (steps.empty() ? "" : " | ") + ("\"" + at.path + "\"");
        auto known = command_names(*at.command);
        for (const std::string &option : option_names(*at.command)) known.push_back(option);
        words += "        \"" + at.path + "\") words=\"" + spaced(known) + "\" ;;\n";
    }
    return "_" + name +
           "() {\n"
           "    local path=\"\" word words=\"\"\n"
           "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
           "        case \"${path:+$path }$word\" in\n"
           "            " +
           steps +
           ") path=\"${path:+$path }$word\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$path\" in\n" +
           words +
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
           "}\n"
           "complete -o default -F _" +
           name + " " + name + "\n";
}

std::string zsh_completion(const CLI::App &app) {
    return "autoload -U +X bashcompinit && bashcompinit\n" + bash_completion(app);
}

std::string fish_completion(const CLI::App &app) {
    std::string text;
    for (const Place &at : places(app)) {
        const std::string line =
            "complete -c " + app.get_name() + " -n " + quoted(fish_condition(at));
        for (const CLI::App *sub : at.command->get_subcommands(is_offered))
            text +=
                line + " -f -a " + sub->get_name() + " -d " + quoted(sub->get_description()) + "\n";
        for (const CLI::Option *option : at.command->get_options()) {
            std::string names;
            for (const std::string &name : option->get_lnames()) names += " -l " + name;
            for (const std::string &name : option->get_snames()) names += " -s " + name;
            if (!names.empty())
                text += line + names + " -d " + quoted(option->get_description()) + "\n";
        }
    }
    return text;
}

}  // namespace cryolite::tools
