#include "tools/explain/explain_generator.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analytical/explain/explanation_json.h"
#include "base/atomic_file.h"
#include "base/program.h"
#include "base/text_file.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

// A folder that goes with the object.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string name = (fs::temp_directory_path() / "cryolite-explain-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;

    bool exists() const { return !path_.empty(); }
    std::string file(const char *name) const { return (fs::path(path_) / name).string(); }
    const std::string &path() const { return path_; }

private:
    std::string path_;
};

// A trace as it is in its file, or out of JSON.
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

bool sets_target(const std::vector<std::string> &parameters) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [](const std::string &p) { return p.starts_with("target="); });
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
}

}  // namespace

Result<Explanation> explain_generator(const GeneratorRun &run) {
    if (!fs::is_regular_file(run.generator))
        return Error{"there is no generator '" + run.generator + "'"};
    if (access(run.generator.c_str(), X_OK) != 0)
        return Error{"'" + run.generator + "' is no program: nothing may run it"};
    if (!fs::is_regular_file(run.plugin)) return Error{"there is no plugin '" + run.plugin + "'"};

    const ScratchFolder scratch;
    if (!scratch.exists())
        return Error{"cannot make a folder in '" + fs::temp_directory_path().string() + "'"};
    const std::string written = scratch.file("explanation.json");
    std::vector<std::string> arguments{run.generator, "-g", run.name, "-o", scratch.path(),
                                       // The least that a generator can be asked for.
                                       "-e", "schedule", "-p", run.plugin, "autoscheduler=Cryolite",
                                       "autoscheduler.explain=" + written};
    if (!run.target.empty())
        arguments.push_back("target=" + run.target);
    else if (!sets_target(run.parameters))
        arguments.emplace_back("target=host");
    if (!run.machine.empty()) arguments.push_back("autoscheduler.machine=" + run.machine);
    if (!run.trace_file.empty()) {
        const auto trace = read_trace(run.trace_file);
        if (!trace.ok()) return trace.error();
        const std::string copy = scratch.file("trace");
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
        for (const std::string copy = scratch.file("trace"); said.find(copy) != said.npos;)
            said.replace(said.find(copy), copy.size(), run.trace_file);
    if (!child->ending.empty())
        return Error{"generator '" + run.generator + "' failed (" + child->ending + ")" +
                     (said.empty() ? "" : ": " + said)};
    if (!fs::exists(written))
        return Error{"generator '" + run.generator +
                     "' ran without asking Cryolite for a schedule; is its pipeline scheduled by "
                     "hand, or the plugin older than this program?" +
                     (said.empty() ? "" : " It said: " + said)};
    auto explanation = read_explanation(written);
    if (explanation.ok()) explanation->pipeline = run.name;
    return explanation;
}

Result<std::string> find_plugin() {
    std::error_code unknown;
    const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    const char *const name = "libautoschedule_cryolite.so";
    if (!unknown)
        for (const char *place : {".", "../lib", "../lib64", "../plugin"})
            if (const fs::path file = folder / place / name; fs::exists(file))
                return file.lexically_normal().string();
    return Error{std::string("there is no ") + name +
                 " beside this program; say with --plugin where it is"};
}

}  // namespace cryolite::tools
