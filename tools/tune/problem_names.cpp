#include "tools/tune/problem_names.h"

#include <nlohmann/json.hpp>

namespace cryolite::tools {

using nlohmann::json;

std::string machine_name(const Problem &problem) {
    const json machine = json::parse(problem.machine, nullptr, false);
    if (!machine.is_object() || !machine.contains("name") || !machine["name"].is_string())
        return "";
    return machine["name"].get<std::string>();
}

std::vector<std::string> parameters_of(const Problem &problem) {
    std::vector<std::string> all;
    const json list = json::parse(problem.parameters, nullptr, false);
    if (!list.is_array()) return all;
    for (const json &p : list)
        if (p.is_string()) all.push_back(p.get<std::string>());
    return all;
}

}  // namespace cryolite::tools
