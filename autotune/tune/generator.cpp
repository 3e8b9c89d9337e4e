#include "autotune/tune/generator.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace cryolite {
namespace {

namespace fs = std::filesystem;
constexpr size_t longest_words = 400;

}  // namespace

Result<bool> Generator::check() const {
    if (!fs::is_regular_file(program)) return Error{"there is no generator '" + program + "'"};
    if (access(program.c_str(), X_OK) != 0)
        return Error{"'" + program + "' is no program: nothing may run it"};
    if (!fs::is_regular_file(plugin)) return Error{"there is no plugin '" + plugin + "'"};
    for (const std::string &p : parameters)
        if (p.find('=') == p.npos)
            return Error{"'" + p + "' is no parameter of a generator, which is KEY=VALUE"};
    return true;
}

std::vector<std::string> Generator::command(const std::string &folder, const std::string &products,
                                            const std::vector<std::string> &plugin_options,
                                            const std::string &function) const {
    std::vector<std::string> all = without_parameters(folder, products, function);
    all.insert(all.end(), {"-p", plugin, "autoscheduler=Cryolite"});
    for (const std::string &option : plugin_options) all.push_back("autoscheduler." + option);
    all.insert(all.end(), parameters.begin(), parameters.end());
    return all;
}

std::vector<std::string> Generator::command_by_hand(const std::string &folder,
                                                    const std::string &products) const {
    std::vector<std::string> all = without_parameters(folder, products, tuned_function);
    std::ranges::copy_if(parameters, std::back_inserter(all),
                         [](const std::string &p) { return !p.starts_with("autoscheduler"); });
    return all;
}

std::vector<std::string> Generator::without_parameters(const std::string &folder,
                                                       const std::string &products,
                                                       const std::string &function) const {
    return {program,    "-g", name,   "-f", function, "-n",
            tuned_stem, "-o", folder, "-e", products, "target=" + target + "-no_runtime"};
}

std::vector<std::string> Generator::runtime_command(const std::string &folder) const {
    return {program, "-r", runtime_stem, "-o", folder, "-e", "object", "target=" + target};
}

std::string last_words(const ProgramResult &result) {
    std::istringstream lines(result.output);
    std::string line, last, telling;
    while (std::getline(lines, line)) {
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        last = line;
        // Lists that follow a message are indented.
        if (line[0] == ' ') continue;
        if (line.find("rror") != line.npos || line.find("Cryolite") != line.npos) telling = line;
    }
    std::string words = telling.empty() ? last : telling;
    if (words.size() > longest_words) words = words.substr(0, longest_words - 3) + "...";
    return words;
}

Result<ProgramResult> run_or_say_why(const std::vector<std::string> &command,
                                     const ProgramLimits &limits) {
    auto result = run_program(command, limits);
    if (!result.ok()) return result;
    if (result->succeeded()) return result;
    const std::string words = last_words(*result);
    return Error{"'" + command[0] + "' failed (" + result->ending + ")" +
                 (words.empty() ? "" : ": " + words)};
}

}  // namespace cryolite
