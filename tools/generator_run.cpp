#include "tools/generator_run.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/program.h"
#include "base/text_file.h"
#include "tools/scratch_folder.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

bool sets_target(const std::vector<std::string> &parameters) {
    return std::ranges::any_of(parameters,
                               [](const std::string &p) { return p.starts_with("target="); });
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
}

}  // namespace

Result<std::string> read_trace(const std::string &path) {
    auto text = read_text_file(path);
    if (!text.ok()) return text;
    if (text->find_first_not_of(" \t\r\n") == text->npos ||
        (*text)[text->find_first_not_of(" \t\r\n")] != '{')
        return text;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("trace") || !json["trace"].is_string())
        return Error{"'" + path + "' holds no trace: it is JSON without a text under 'trace'"};
    return json["trace"].get<std::string>();
}

Result<std::string> run_generator(const GeneratorRun &run, const Asked &asked) {
    if (!fs::is_regular_file(run.generator))
        return Error{"there is no generator '" + run.generator + "'"};
    if (access(run.generator.c_str(), X_OK) != 0)
        return Error{"'" + run.generator + "' is no program: nothing may run it"};
    if (!fs::is_regular_file(run.plugin)) return Error{"there is no plugin '" + run.plugin + "'"};

    const ScratchFolder scratch;
    if (!scratch.exists())
        return Error{"cannot make a folder in '" + fs::temp_directory_path().string() + "'"};
    std::vector<std::string> arguments{
        run.generator, "-g",           run.name, "-o",       asked.folder,
        "-e",          asked.products, "-p",     run.plugin, "autoscheduler=Cryolite"};
    if (!asked.function.empty()) arguments.insert(arguments.end(), {"-f", asked.function});
    if (!asked.stem.empty()) arguments.insert(arguments.end(), {"-n", asked.stem});
    for (const std::string &option : asked.options) arguments.push_back("autoscheduler." + option);
    if (!run.target.empty())
        arguments.push_back("target=" + run.target);
    else if (!sets_target(run.parameters))
        arguments.emplace_back("target=host");
    if (!run.machine.empty()) arguments.push_back("autoscheduler.machine=" + run.machine);
    const std::string copy = scratch.file("trace");
    if (!run.trace_file.empty()) {
        const auto trace = read_trace(run.trace_file);
        if (!trace.ok()) return trace.error();
        if (const auto copied = write_atomically(copy, *trace); !copied.ok()) return copied.error();
        arguments.emplace_back("autoscheduler.mode=replay");
        arguments.push_back("autoscheduler.trace_file=" + copy);
    }
    arguments.insert(arguments.end(), run.parameters.begin(), run.parameters.end());

    auto child = run_program(arguments);
    if (!child.ok()) return child.error();
    std::string said = trimmed(child->output);
    // The copy is nobody's file.
    if (!run.trace_file.empty())
        while (said.find(copy) != said.npos)
            said.replace(said.find(copy), copy.size(), run.trace_file);
    if (!child->succeeded())
        return Error{"generator '" + run.generator + "' failed (" + child->ending + ")" +
                     (said.empty() ? "" : ": " + said)};
    return said;
}

std::string find_beside(const std::string &name, const std::vector<std::string> &places) {
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    if (unknown) return "";
    for (const std::string &place : places)
        if (const fs::path file = folder / place / name; fs::exists(file))
            return file.lexically_normal().string();
    return "";
}

Result<std::string> find_plugin() {
    const std::string name = "libautoschedule_cryolite.so";
    const std::string found = find_beside(name, {".", CRYOLITE_LIBRARIES, "../plugin"});
    if (!found.empty()) return found;
    return Error{"there is no " + name + " beside this program; say with --plugin where it is"};
}

}  // namespace cryolite::tools
