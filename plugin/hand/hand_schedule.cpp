#include "plugin/hand/hand_schedule.h"

#include <algorithm>
#include <sstream>

#include "code/legality/apply.h"
#include "emit/import/clear_schedule.h"
#include "graph/builder/locks.h"
#include "plugin/hand/hand_names.h"

namespace cryolite {
namespace {

using Halide::Internal::Function;
using Halide::Internal::GeneratorRegistry;

bool is_scheduled(const PipelineView &view) {
    const std::vector<std::string> locked = locked_funcs(view);
    return std::ranges::any_of(locked, [](const std::string &why) { return !why.empty(); });
}

constexpr const char *what_to_say =
    "schedule the Funcs before the autoscheduler is called, or name the generator with "
    "autoscheduler.generator=NAME, and parameters that are not its defaults with "
    "autoscheduler.generator_parameters=\"KEY:VALUE ...\"";

// The generator's pipeline, scheduled by the generator itself.
Result<Halide::Pipeline> pipeline_by_hand(const std::string &name, const std::string &parameters,
                                          const Halide::Target &target) {
    const std::vector<std::string> known = GeneratorRegistry::enumerate();
    if (std::ranges::find(known, name) == known.end())
        return Error{"no generator of this program is called '" + name + "'"};
    const auto generator = GeneratorRegistry::create(name, Halide::GeneratorContext(target));
    if (!generator) return Error{"the generator '" + name + "' cannot be made a second time"};
    std::istringstream words(parameters);
    for (std::string word; words >> word;) {
        // A generator's command line takes no second '=' in a parameter.
        const size_t colon = word.find_first_of(":=");
        if (colon == std::string::npos)
            return Error{"generator_parameters: '" + word + "' is no KEY:VALUE"};
        generator->set_generatorparam_value(word.substr(0, colon), word.substr(colon + 1));
    }
    return generator->build_pipeline();
}

// The pipeline whose schedule is to be read.
Result<Halide::Pipeline> scheduled_pipeline(const Halide::Pipeline &given,
                                            const Halide::Target &target,
                                            const PluginOptions &options) {
    const std::string &name = options.generator;
    if (!name.empty()) return pipeline_by_hand(name, options.generator_parameters, target);
    if (is_scheduled(view_pipeline(outputs_of(given)))) return given;
    const std::vector<std::string> known = GeneratorRegistry::enumerate();
    if (known.size() != 1)
        return Error{"mode=" + options.mode + " finds no schedule by hand: " + what_to_say};
    return pipeline_by_hand(known[0], options.generator_parameters, target);
}

// The imported schedule as one of another graph.
std::optional<LoopNest> on_graph(const LoopNest &nest, const StageGraph &graph) {
    if (!is_alike(nest.graph(), graph)) return std::nullopt;
    const auto again = replay(graph, trace_of(nest));
    if (!again.ok() || !again->complete()) return std::nullopt;
    return *again;
}

}  // namespace

Result<HandSchedule> take_hand_schedule(const Halide::Pipeline &pipeline,
                                        const Halide::Target &target,
                                        const PluginOptions &options) try {
    const Result<Halide::Pipeline> scheduled = scheduled_pipeline(pipeline, target, options);
    if (!scheduled.ok()) return scheduled.error();
    const PipelineView view = view_pipeline(outputs_of(*scheduled));
    if (!is_scheduled(view))
        return Error{"mode=" + options.mode +
                     " finds no schedule by hand: no Func is scheduled without an autoscheduler "
                     "either; " +
                     what_to_say};
    clear_schedules(outputs_of(pipeline));
    clear_schedules(outputs_of(*scheduled));
    auto built = build_graph(outputs_of(*scheduled), target);
    if (!built.ok()) return built.error();
    auto kept = std::make_unique<const BuiltGraph>(std::move(*built));
    auto imported = import_schedule(*kept, view);
    if (!imported.ok()) return imported.error();
    return HandSchedule{std::move(kept), std::move(*imported)};
} catch (const Halide::Error &error) {
    return Error{std::string("the schedule by hand cannot be had: ") + error.what()};
}

std::optional<LoopNest> start_of(const HandSchedule &by_hand, const StageGraph &graph,
                                 const Log &log) {
    for (const std::string &line : difference_lines(by_hand)) log.info("not as by hand: " + line);
    std::optional<LoopNest> start = on_graph(by_hand.imported.nest, graph);
    if (!start)
        log.warning(
            "the schedule by hand is of another pipeline than the one to schedule, as where "
            "rfactor "
            "or Func::in makes Funcs; it cannot be emitted. Let the generator schedule with an "
            "autoscheduler, too: then its Funcs are there");
    return start;
}

std::vector<std::string> difference_lines(const HandSchedule &by_hand) {
    std::vector<std::string> lines;
    for (const ScheduleDifference &d : by_hand.imported.differences) lines.push_back(to_text(d));
    return lines;
}

}  // namespace cryolite
