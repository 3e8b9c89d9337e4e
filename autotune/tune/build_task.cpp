#include "autotune/tune/build_task.h"

#include <nlohmann/json.hpp>

namespace cryolite {
namespace {

using nlohmann::json;

// Bytes that are no UTF-8, as a compiler may say, are replaced.
std::string text_of(const json &value) {
    return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Error unreadable(const char *what, const json::exception &error) {
    return Error{std::string(what) + " cannot be read: " + error.what()};
}

}  // namespace

std::string to_json_text(const BuildTask &task) {
    const Generator &g = task.generator;
    const BuildRules &r = task.rules;
    return text_of({{"generator",
                     {{"program", g.program},
                      {"name", g.name},
                      {"parameters", g.parameters},
                      {"plugin", g.plugin},
                      {"target", g.target}}},
                    {"rules",
                     {{"folder", r.folder},
                      {"compiler", r.compiler},
                      {"link", r.link},
                      {"compile_seconds", r.compile_seconds},
                      {"memory_bytes", r.memory_bytes}}},
                    {"trace", task.trace},
                    {"name", task.name}});
}

Result<BuildTask> parse_build_task(const std::string &text) {
    try {
        const json file = json::parse(text), &g = file.at("generator"), &r = file.at("rules");
        BuildTask task;
        task.generator = {g.at("program"), g.at("name"), g.at("parameters"), g.at("plugin"),
                          g.at("target")};
        task.rules.folder = r.at("folder");
        task.rules.compiler = r.at("compiler");
        task.rules.link = r.at("link").get<std::vector<std::string>>();
        task.rules.compile_seconds = r.at("compile_seconds");
        task.rules.memory_bytes = r.at("memory_bytes");
        task.trace = file.at("trace");
        task.name = file.at("name");
        return task;
    } catch (const json::exception &error) {
        return unreadable("the task", error);
    }
}

std::string to_json_text(const Built &built) {
    return text_of({{"library", built.library},
                    {"message", built.message},
                    {"object_hash", built.object_hash},
                    {"seconds", built.seconds}});
}

Result<Built> parse_built(const std::string &text) {
    try {
        const json file = json::parse(text);
        Built built;
        built.library = file.at("library");
        built.message = file.at("message");
        built.object_hash = file.at("object_hash");
        built.seconds = file.at("seconds");
        return built;
    } catch (const json::exception &error) {
        return unreadable("what was built", error);
    }
}

}  // namespace cryolite
