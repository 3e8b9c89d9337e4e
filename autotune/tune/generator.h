// What a Halide generator is asked for while its pipeline is tuned. Each is a run of the program, in a process of its
// own.
#pragma once

#include <string>
#include <vector>

#include "base/program.h"
#include "base/result.h"

namespace cryolite {

// Names of what is built: the function in the object, and the object's file.
inline constexpr const char *tuned_function = "cryolite_candidate";
inline constexpr const char *tuned_stem = "candidate";
inline constexpr const char *runtime_stem = "cryolite_runtime";

struct Generator {
    std::string program;  // its path
    std::string name;     // -g
    std::vector<std::string>
        parameters;      // KEY=VALUE, as the generator takes them; those of the plugin too
    std::string plugin;  // libautoschedule_cryolite.so
    std::string target = "host";

    // Errors: a missing program or plugin, a parameter without '='.
    Result<bool> check() const;

    // The command that makes `products` (a list as for -e) in `folder`, by the plugin with these options of it.
    std::vector<std::string> command(const std::string &folder, const std::string &products,
                                     const std::vector<std::string> &plugin_options,
                                     const std::string &function = tuned_function) const;
    // The same as the generator schedules it itself, without the plugin's parameters.
    std::vector<std::string> command_by_hand(const std::string &folder,
                                             const std::string &products) const;
    // Halide's runtime for the target as FOLDER/cryolite_runtime.o.
    std::vector<std::string> runtime_command(const std::string &folder) const;

private:
    std::vector<std::string> without_parameters(const std::string &folder,
                                                const std::string &products,
                                                const std::string &function) const;
};

// The last line of what a program said that names an error, shortened; its last line if none does. Lines that are
// indented explain one before them.
std::string last_words(const ProgramResult &result);

// Runs the command. Errors: it cannot be started, fails or meets a limit, with its last words.
Result<ProgramResult> run_or_say_why(const std::vector<std::string> &command,
                                     const ProgramLimits &limits);

}  // namespace cryolite
