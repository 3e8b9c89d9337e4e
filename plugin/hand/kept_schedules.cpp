#include "plugin/hand/kept_schedules.h"

#include <algorithm>

#include "graph/halide/pipeline_view.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

using Halide::Internal::Function;

bool is_touched(const Halide::Internal::Definition &definition) {
    return definition.defined() && definition.schedule().touched();
}

}  // namespace

bool is_all_scheduled(const StageGraph &graph) {
    return std::ranges::all_of(graph.funcs(), [](const Func &f) {
        return f.is_input() || f.locked || (f.is_extern && f.is_output());
    });
}

std::vector<std::string> warnings_of_left_alone(const LoopNest &nest) {
    std::vector<std::string> warnings;
    for (const Func &func : nest.graph().funcs()) {
        if (func.is_input() || func.locked || !is_left_alone(func, nest.at(func.id))) continue;
        warnings.push_back(
            "Func " + func.name +
            " is left as Halide has it, computed at each use: it lies between a Func "
            "that is scheduled and the loop where that is computed");
    }
    return warnings;
}

std::vector<std::string> warnings_of_kept(const StageGraph &graph) {
    if (is_all_scheduled(graph)) return {};
    std::string kept;
    for (const Func &func : graph.funcs())
        if (func.locked && !func.is_input())
            kept += (kept.empty() ? "" : ", ") + func.name + " (" + func.locked_because + ")";
    if (kept.empty()) return {};
    return {"left as they are scheduled: " + kept};
}

void mark_as_scheduled(const BuiltGraph &built) {
    for (const Func &func : built.graph.funcs()) {
        if (func.is_input() || func.locked || func.is_extern) continue;
        const Function &function = built.functions[func.id.index()];
        Halide::Func handle(function);
        if (!is_touched(function.definition())) static_cast<Halide::Stage>(handle).unscheduled();
        // Halide warns of updates of which nothing is said, once something is said of the others.
        for (int k = 0; k < static_cast<int>(function.updates().size()); k++)
            if (!is_touched(function.update(k))) handle.update(k).unscheduled();
    }
}

std::string what_halide_refuses_unchanged(const Halide::Pipeline &pipeline,
                                          const Halide::Target &target) {
    try {
        const std::vector<Function> outputs = outputs_of(pipeline);
        auto copied =
            Halide::Internal::deep_copy(outputs, Halide::Internal::build_environment(outputs));
        std::vector<Halide::Func> funcs;
        for (const Function &f : copied.first) funcs.emplace_back(f);
        Halide::Pipeline copy(funcs);
        (void)copy.compile_to_module(copy.infer_arguments(), "verify", target);
        return "";
    } catch (const Halide::Error &e) {  // which is no std::exception
        return e.what();
    } catch (const std::exception &e) {
        return e.what();
    }
}

}  // namespace cryolite
