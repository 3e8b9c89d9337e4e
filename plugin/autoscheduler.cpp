#include "plugin/autoscheduler.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "analytical/explain/explanation_json.h"
#include "base/atomic_file.h"
#include "base/text_file.h"
#include "code/legality/apply.h"
#include "emit/emit.h"
#include "graph/builder/build.h"
#include "graph/builder/divide_reductions.h"
#include "graph/halide/pipeline_view.h"
#include "model/correction_file.h"
#include "plugin/hand/hand_names.h"
#include "plugin/hand/hand_schedule.h"
#include "plugin/hand/kept_schedules.h"
#include "plugin/planning/division.h"
#include "plugin/planning/tensor_products.h"
#include "plugin/plugin_options.h"
#include "plugin/prediction_log.h"
#include "plugin/target/platform.h"
#include "plugin/tell_user.h"
#include "plugin/trial/chosen_schedule.h"
#include "plugin/trial/schedules_to_try.h"
#include "plugin/tuner/counted_stages.h"
#include "plugin/tuner/draw_batch.h"
#include "schedule/trace_text.h"
#include "tensorcore/schedule_nest.h"

namespace cryolite {
namespace {

// A pipeline has no name of its own; its outputs have.
std::string name_of(const Halide::Pipeline &pipeline) {
    std::string name;
    for (const Halide::Func &f : pipeline.outputs()) name += (name.empty() ? "" : ", ") + f.name();
    return name;
}

std::string text_of_trace(const std::string &path) {
    Result<std::string> text = read_text_file(path);
    if (!text.ok()) tell_user("mode=replay reads trace_file: " + text.error().message);
    return std::move(*text);
}

LoopNest replay_file(const StageGraph &graph, const std::string &path) {
    const Trace trace = or_tell_user(parse_trace(graph, text_of_trace(path)));
    auto nest = replay(graph, trace);
    if (!nest.ok())
        tell_user("action " + std::to_string(nest.error().failed_at + 1) + " of the trace in '" +
                  path + "' was refused: " + name(nest.error().reason));
    if (!nest->complete()) tell_user("the trace in '" + path + "' does not decide every Func");
    return std::move(*nest);
}

Explanation explained(const LoopNest &nest, const Platform &platform, const Learned &learned,
                      ExplainedRun run) {
    run.machine_source = platform.gpu ? platform.gpu->source : platform.host.source;
    const Machine &machine = platform.host.machine;
    return platform.gpu ? explain(platform.gpu->device, machine, nest, run)
                        : explain(nest.graph(), machine, nest, run, learned);
}

// What was learned, by the options `model` and `weights`; null: nothing.
std::shared_ptr<const Correction> correction_of(const PluginOptions &options,
                                                const Platform &platform, const Log &log) {
    if (options.model == "learned") {
        if (platform.gpu)
            tell_user(
                "model=learned is for CPUs; this target has a GPU, whose model has no weights");
        if (!options.names_weights())
            tell_user(
                "model=learned needs weights=FILE, and none come with Cryolite: `cryolite train` "
                "and `cryolite tune` write some (docs/train.md); model=analytical needs none");
    }
    if (options.risk > 0 && (options.model == "analytical" || !options.names_weights()))
        tell_user("risk is what a network's doubt costs, and there is none without weights=FILE");
    if (options.model == "analytical" || !options.names_weights()) return nullptr;
    if (platform.gpu) {
        log.warning("weights=" + options.weights + " are for CPUs; the model of the GPU has none");
        return nullptr;
    }
    return or_tell_user(read_correction(options.weights, platform.host.machine.name, options.risk));
}

// A batch for a tuner goes to its file, and the plain schedule to whoever runs this.
void draw_to_file(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                  const Halide::Target &target, const Platform &platform,
                  const PluginOptions &options, const Log &log) {
    if (options.draw_file.empty()) tell_user("mode=draw writes draw_file: say where");
    PluginOptions draws = options;
    draws.search.lowering_budget_seconds = lowering_budget(options);
    const std::string text =
        or_tell_user(drawn_batch(pipeline, built, target, platform, draws, log));
    or_tell_user(write_atomically(options.draw_file, text));
}

void count_to_file(const StageGraph &graph, const Platform &platform,
                   const PluginOptions &options) {
    if (options.draw_file.empty()) tell_user("mode=count writes draw_file: say where");
    if (platform.gpu) tell_user("mode=count is for CPUs; this target has a GPU");
    or_tell_user(write_atomically(
        options.draw_file,
        or_tell_user(counted_stages(graph, platform.host.machine, options.samples_file))));
}

bool searches(const PluginOptions &options) {
    return options.mode == "one_shot" || options.mode == "top_k";
}

// Reductions may be divided first: by a trace that is replayed, or where it pays.
BuiltGraph graph_to_schedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                             const Platform &platform, const PluginOptions &options,
                             const Deadline &deadline, const Log &log) {
    if (options.mode == "replay") {
        const auto divisions = or_tell_user(divisions_in(text_of_trace(options.trace_file)));
        return or_tell_user(build_divided_graph(outputs_of(pipeline), target, divisions));
    }
    if (options.mode == "count") {
        const auto divisions = or_tell_user(divisions_to_count(options.samples_file));
        return or_tell_user(build_divided_graph(outputs_of(pipeline), target, divisions));
    }
    BuiltGraph built = or_tell_user(build_graph(outputs_of(pipeline), target));
    if (options.strategy != "search" || !(searches(options) || options.mode == "draw") ||
        is_all_scheduled(built.graph))
        return built;
    return divided_where_worth_it(pipeline, std::move(built), target, platform, options, deadline,
                                  log);
}

}  // namespace

void autoschedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                  const Halide::AutoschedulerParams &params,
                  Halide::AutoSchedulerResults *results) {
    PluginOptions options = or_tell_user(parse_plugin_options(params.extra));
    const Deadline deadline = Deadline::after(options.search.time_limit_seconds);
    const Log log = make_log(options.level());
    const Platform platform = or_tell_user(platform_of(target, options, log));
    options.search.correction = correction_of(options, platform, log);

    std::optional<HandSchedule> by_hand;
    if (is_of_hand_schedule(options.mode)) {
        if (platform.gpu) tell_user("mode=" + options.mode + " is for CPUs; this target has a GPU");
        by_hand = or_tell_user(take_hand_schedule(pipeline, target, options));
    }
    BuiltGraph built = graph_to_schedule(pipeline, target, platform, options, deadline, log);
    for (const std::string &w : built.warnings) log.warning(w);
    std::vector<std::string> about_products =
        or_tell_user(add_tensor_products(built, target, platform, options));
    options.search.require_tensor_cores = options.tensor_cores == "require";
    if (by_hand) options.search.start = start_of(*by_hand, built.graph, log);
    log.info("seconds of describing the pipeline: " +
             std::to_string(options.search.time_limit_seconds - deadline.left()));

    if (options.mode == "draw") draw_to_file(pipeline, built, target, platform, options, log);
    if (options.mode == "count") count_to_file(built.graph, platform, options);
    const std::optional<LoopNest> nest =
        options.mode == "replay"
            ? replay_file(built.graph, options.trace_file)
            : chosen_schedule(pipeline, built, target, platform, options, deadline, log);
    or_tell_user(check_required(nest ? &*nest : nullptr, platform, options));
    if (nest && (log.enabled(LogLevel::Info) || !options.explain.empty()))
        std::ranges::move(tensor_lines(*nest, platform, options),
                          std::back_inserter(about_products));
    for (const std::string &line : about_products) log.info("tensor cores: " + line);
    if (nest) {
        for (const std::string &w : warnings_of_left_alone(*nest)) log.warning(w);
        if (searches(options))
            for (const std::string &w : warnings_of_kept(built.graph)) log.warning(w);
        log_prediction(*nest, platform, options.search.correction, log);
        log.info("loops:\n" + to_tree_text(*nest));
        log.debug("trace:\n" + to_text(built.graph, trace_of(*nest)));
    }
    const bool is_for_estimates = options.mode == "replay" && options.small_sizes == "unchecked";
    const Emitted emitted =
        nest ? or_tell_user(emit(built, *nest,
                                 is_for_estimates ? SmallSizes::Unchecked : SmallSizes::Compiled))
             : emit_nothing(built);
    if (nest) or_tell_user(tensorcore::schedule_tile_kernels(pipeline, *nest, target));
    if (nest) mark_as_scheduled(built);
    if (nest && !options.explain.empty()) {
        ExplainedRun run{name_of(pipeline), target.to_string(), ""};
        run.is_by_hand = options.mode == "as_scheduled";
        const LoopNest &shown = run.is_by_hand ? by_hand->imported.nest : *nest;
        run.tensor_cores = about_products;
        if (run.is_by_hand) run.differences = difference_lines(*by_hand);
        Explanation explanation = explained(shown, platform, options.search.correction, run);
        if (run.is_by_hand) rename(explanation, first_names(by_hand->built->graph, built.graph));
        or_tell_user(write_atomically(options.explain, explanation_json(explanation)));
    }
    results->target = target;
    results->autoscheduler_params = params;
    results->schedule_source = emitted.source;
    // The trace is the record of what was chosen: features, of any version, are computed from it.
    const std::string trace = nest ? to_text(built.graph, trace_of(*nest)) : std::string();
    results->featurization.assign(trace.begin(), trace.end());
}

}  // namespace cryolite
