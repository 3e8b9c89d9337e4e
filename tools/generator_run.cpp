#include "tools/generator_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "autotune/tune/generator.h"
#include "base/atomic_file.h"
#include "base/program.h"
#include "base/text_file.h"
#include "tools/scratch_folder.h"
#include "tools/waiting.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

bool sets_target(const std::vector<std::string> &parameters) {
    return std::ranges::any_of(parameters,
                               [](const std::string &p) { return p.starts_with("target="); });
}

// The parameters of the generator itself as KEY:VALUE, with spaces between. Errors: one has a space.
Result<std::string> own_parameters(const GeneratorRun &run) {
    std::string all;
    for (const std::string &p : run.parameters) {
        if (p.starts_with("target=") || p.starts_with("autoscheduler")) continue;
        if (p.find_first_of(" \t\n") != p.npos)
            return Error{"the parameter '" + p +
                         "' has a space: the generator's own schedule cannot be asked for with it"};
        std::string word = p;
        word[word.find('=')] = ':';
        all += (all.empty() ? "" : " ") + word;
    }
    return all;
}

std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
}

// The folder of this program; empty: it cannot be told.
fs::path own_folder() {
    std::error_code unknown;
    const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
    return unknown ? fs::path() : self.parent_path();
}

// The file of a name beside this program, in its folder or one of `places` relative to it; empty: there is none.
std::string find_beside(const std::string &name, const std::vector<std::string> &places) {
    const fs::path folder = own_folder();
    if (folder.empty()) return "";
    for (const std::string &place : places)
        if (const fs::path file = folder / place / name; fs::exists(file))
            return file.lexically_normal().string();
    return "";
}

// Halide::Internal::throw_error(const Halide::CompileError &), since 20: what Halide's headers put into every program.
constexpr const char *since_20 = "_ZN6Halide8Internal11throw_errorERKNS_12CompileErrorE";

bool is_of_halide_20_or_newer(const std::string &generator) {
    std::ifstream file(generator, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    return bytes.find(since_20) != bytes.npos;
}

// An installed wheel has a plugin for each version of Halide, in folders named halide-VERSION of its libraries: the one
// for the Halide that a generator was built with. Empty: there is none.
std::string find_by_version(const std::string &name, const std::string &generator) {
    const bool wants_new = is_of_halide_20_or_newer(generator);
    const std::string prefix = "halide-";
    std::string found;
    std::error_code none;
    for (const auto &entry : fs::directory_iterator(own_folder() / CRYOLITE_LIBRARIES, none)) {
        const std::string folder = entry.path().filename().string();
        if (!folder.starts_with(prefix)) continue;
        const bool is_new = std::atoi(folder.c_str() + prefix.size()) >= 20;
        if (is_new == wants_new && fs::exists(entry.path() / name))
            found = std::max(found, (entry.path() / name).lexically_normal().string());
    }
    return found;
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
    Generator checked;
    checked.program = run.generator;
    checked.parameters = run.parameters;
    checked.plugin = run.plugin;
    if (const auto well = checked.check(); !well.ok()) return well.error();

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
    std::vector<std::string> parameters = run.parameters;
    if (run.as_scheduled) {
        const auto own = own_parameters(run);
        if (!own.ok()) return own.error();
        arguments.emplace_back("autoscheduler.mode=as_scheduled");
        arguments.push_back("autoscheduler.generator=" + run.name);
        if (!own->empty()) arguments.push_back("autoscheduler.generator_parameters=" + *own);
        std::erase_if(parameters,
                      [](const std::string &p) { return p.starts_with("autoscheduler.mode="); });
    }
    arguments.insert(arguments.end(), parameters.begin(), parameters.end());

    auto child = [&] {
        const Waiting line("scheduling " + run.name);
        return run_program(arguments);
    }();
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

Result<std::string> find_plugin(const std::string &generator) {
    const std::string name = "libautoschedule_cryolite.so";
    std::string found = find_beside(name, {".", CRYOLITE_LIBRARIES, "../plugin"});
    if (found.empty()) found = find_by_version(name, generator);
    if (!found.empty()) return found;
    return Error{"there is no " + name + " beside this program; say with --plugin where it is"};
}

Result<std::string> find_runner() {
    const std::string found = find_beside("cryolite_runner", {".", "runner", "../bin"});
    if (!found.empty()) return found;
    return Error{"there is no cryolite_runner beside this program; install it with the rest"};
}

Result<std::string> find_generator(const std::string &path_or_name) {
    if (fs::exists(path_or_name)) return path_or_name;
    const std::string found = find_beside(path_or_name + ".generator", {".", "../apps", "../bin"});
    if (!found.empty()) return found;
    return Error{"there is no generator '" + path_or_name +
                 "'; name the path of one, or an app of the build tree that this program is in"};
}

Result<bool> check_parameters(const std::vector<std::string> &inputs, const std::string &target) {
    const std::vector<std::string> parameters(inputs.begin() + 1, inputs.end());
    for (const std::string &p : parameters)
        if (p.find('=') == p.npos)
            return Error{"'" + p + "' is no parameter of a generator, which is KEY=VALUE"};
    if (!target.empty() && sets_target(parameters))
        return Error{"say the target with --target and not as a parameter"};
    return true;
}

Result<Generator> tuned_generator(const std::vector<std::string> &inputs, const std::string &name,
                                  const std::string &target, const std::string &plugin) {
    Generator g;
    g.program = inputs[0];
    g.parameters.assign(inputs.begin() + 1, inputs.end());
    g.name = name;
    g.target = target;
    g.plugin = plugin;
    if (plugin.empty()) {
        const auto found = find_plugin(g.program);
        if (!found.ok()) return found.error();
        g.plugin = *found;
    }
    const auto well = g.check();
    if (!well.ok()) return well.error();
    return g;
}

}  // namespace cryolite::tools
