#include "autotune/tune/far_run.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "autotune/runner/pack.h"
#include "autotune/tune/generator.h"
#include "base/text_file.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;

constexpr const char *placeholder = "{}";
// Results come back even where the runner says that something was wrong: they say what.
constexpr const char *far_script =
    "d=$(mktemp -d) && tar -xf - -C \"$d\" && { \"$d/run\" >&2; s=$?; cat \"$d/results.json\"; rm "
    "-rf \"$d\"; exit $s; }";

}  // namespace

Result<std::vector<std::string>> parse_runner_command(const std::string &text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    if (std::ranges::count(words, placeholder) != 1 || words[0] == placeholder)
        return Error{"'" + text +
                     "' is no command for a runner: it needs one word {} after the command that "
                     "reaches the other computer, as in 'ssh box {}'"};
    return words;
}

Result<RunResult> run_far_away(const RunRequest &request, const std::string &runner_program,
                               const std::vector<std::string> &command, const std::string &folder,
                               const ProgramLimits &limits) {
    const fs::path pack = fs::path(folder) / "pack", packed = fs::path(folder) / "pack.tar",
                   results = fs::path(folder) / "results.json";
    std::error_code ignored;
    fs::remove_all(pack, ignored);
    if (const auto made = write_pack(pack, request, runner_program); !made.ok())
        return made.error();
    const auto tar =
        run_or_say_why({"tar", "-cf", packed.string(), "-C", pack.string(), "."}, limits);
    fs::remove_all(pack, ignored);
    if (!tar.ok()) return tar.error();
    std::vector<std::string> words = command;
    std::ranges::replace(words, std::string(placeholder), std::string(far_script));
    fs::remove(results, ignored);
    const auto run = run_program(words, limits, {packed.string(), results.string()});
    fs::remove(packed, ignored);
    if (!run.ok()) return run.error();
    if (!run->succeeded())
        return Error{"the runner's command '" + words[0] + "' failed (" + run->ending +
                     "): " + last_words(*run)};
    const auto text = read_text_file(results.string());
    if (!text.ok()) return text.error();
    return parse_run_result(*text);
}

}  // namespace cryolite
