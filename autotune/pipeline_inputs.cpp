#include "autotune/pipeline_inputs.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "autotune/runner/input_values.h"
#include "autotune/workload.h"

namespace cryolite {
namespace {

std::string names_of(const std::map<std::string, Halide::Parameter> &parameters) {
    std::string names;
    for (const auto &[name, p] : parameters)
        if (p.is_buffer()) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "none" : names;
}

}  // namespace

PlannedArgument planned_input(const Halide::Parameter &input, const Box &region) {
    PlannedArgument planned;
    planned.name = input.name();
    planned.kind = PlannedArgument::Kind::Input;
    planned.type = input.type();
    for (const Interval &i : region)
        planned.region.push_back({static_cast<int32_t>(i.min), static_cast<int32_t>(i.extent())});
    return planned;
}

Result<InputFiles> pipeline_inputs(const std::string &text, const Halide::Pipeline &pipeline,
                                   const BuiltGraph &built) {
    InputFiles files;
    const std::map<std::string, Halide::Parameter> parameters = parameters_of(pipeline);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const size_t colon = word.find(':');
        if (colon == word.npos || colon == 0)
            return Error{"inputs takes NAME:FILE, with spaces between, not '" + word + "'"};
        const std::string name = word.substr(0, colon);
        const auto input = parameters.find(name);
        if (input == parameters.end() || !input->second.is_buffer())
            return Error{"inputs: the pipeline has no input '" + name + "'; it has " +
                         names_of(parameters)};
        auto file = read_array_file(word.substr(colon + 1), input->second.type(), nullptr);
        if (!file.ok()) return Error{"inputs: " + file.error().message};
        const auto func = std::ranges::find_if(
            built.graph.funcs(), [&](const Func &f) { return f.is_input() && f.name == name; });
        if (func != built.graph.funcs().end()) {
            const auto covered = covers(*file, planned_input(input->second, func->root_region));
            if (!covered.ok())
                return Error{"inputs: '" + word.substr(colon + 1) + "' " + covered.error().message};
        }
        files[name] = std::move(*file);
    }
    return files;
}

}  // namespace cryolite
