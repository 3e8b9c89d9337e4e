#include "plugin/autoscheduler.h"

#include <cstdio>

#include "analytical/explain/explanation_json.h"
#include "analytical/gpu/schedule_time.h"
#include "base/atomic_file.h"
#include "base/text_file.h"
#include "graph/build.h"
#include "plugin/platform.h"
#include "plugin/plugin_options.h"
#include "plugin/verify.h"
#include "schedule/emit.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "search/strategies/autogpu.h"
#include "search/strategies/strategy.h"

namespace cryolite {
namespace {

using Halide::Internal::Function;

[[noreturn]] void tell_user(const std::string &message) {
    throw Halide::CompileError("Cryolite: " + message);
}

template <typename T>
T or_tell_user(Result<T> result) {
    if (!result.ok()) tell_user(result.error().message);
    return std::move(result).value();
}

Log make_log(LogLevel level) {
    return Log(level, [](LogLevel l, const std::string &text) {
        std::fprintf(stderr, "Cryolite%s: %s\n", l == LogLevel::Warning ? " warning" : "",
                     text.c_str());
    });
}

// Where the predicted time goes, a line per stage.
std::string times_text(const StageGraph &graph, const ScheduleTime &time) {
    std::string text;
    for (const StageTime &t : time.stages) {
        char line[256];
        std::snprintf(line, sizeof line,
                      "  %-24s.s%d %9.3f ms: core %8.3f, L2 %8.3f, last level %8.3f, memory %8.3f, "
                      "overhead %7.3f; %.0f realisations, speed-up %.2f\n",
                      graph.func_of(t.stage).name.c_str(), graph.stage(t.stage).index,
                      t.seconds * 1e3, t.core_seconds * 1e3, t.l2_seconds * 1e3,
                      t.last_level_seconds * 1e3, t.memory_seconds * 1e3, t.overhead_seconds * 1e3,
                      t.realisations, t.speedup);
        text += line;
    }
    return text;
}

// A pipeline has no name of its own; its outputs have.
std::string name_of(const Halide::Pipeline &pipeline) {
    std::string name;
    for (const Halide::Func &f : pipeline.outputs()) name += (name.empty() ? "" : ", ") + f.name();
    return name;
}

LoopNest found_by(const std::string &strategy, StrategyResult found, const Log &log) {
    log.info("strategy " + strategy + "; " + found.report.text());
    for (const std::string &note : found.report.notes) log.info("  " + note);
    return std::move(found.nest);
}

LoopNest schedule_for_gpu(const StageGraph &graph, const Platform &platform,
                          const AutoGpuFusion &fusion, const Log &log) {
    return found_by("autogpu",
                    auto_gpu_schedule(graph, platform.gpu->device, platform.host.machine, fusion),
                    log);
}

// By the search or, where another strategy is asked for, by that.
LoopNest find_schedule(const StageGraph &graph, const Platform &platform,
                       const PluginOptions &options, const Log &log) {
    if (platform.gpu) return schedule_for_gpu(graph, platform, {}, log);
    const Machine &machine = platform.host.machine;
    if (const auto strategy = strategy_named(options.strategy))
        return found_by(options.strategy, schedule_by(*strategy, graph, machine), log);
    SearchResult found = search(graph, machine, options.search, log);
    log.info(found.statistics.text());
    return std::move(found.nest);
}

LoopNest replay_file(const StageGraph &graph, const std::string &path) {
    const Result<std::string> text = read_text_file(path);
    if (!text.ok()) tell_user("mode=replay reads trace_file: " + text.error().message);
    const Trace trace = or_tell_user(parse_trace(graph, *text));
    auto nest = replay(graph, trace);
    if (!nest.ok())
        tell_user("action " + std::to_string(nest.error().failed_at + 1) + " of the trace in '" +
                  path + "' was refused: " + name(nest.error().reason));
    if (!nest->complete()) tell_user("the trace in '" + path + "' does not decide every Func");
    return std::move(*nest);
}

void log_prediction(const LoopNest &nest, const Platform &platform, const Log &log) {
    if (!log.enabled(LogLevel::Info)) return;
    const Machine &machine = platform.host.machine;
    if (platform.gpu) {
        const gpu::GpuScheduleTime time = gpu::predict(nest, platform.gpu->device, machine);
        log.info("predicted " + std::to_string(time.seconds * 1e3) + " ms on " +
                 platform.gpu->device.name);
        return;
    }
    const ScheduleTime time = CostModel(nest.graph(), machine).explain(nest);
    log.info("predicted " + std::to_string(time.seconds * 1e3) + " ms on " + machine.name);
    log.info("predicted times:\n" + times_text(nest.graph(), time));
}

Explanation explained(const LoopNest &nest, const Platform &platform, ExplainedRun run) {
    run.machine_source = platform.gpu ? platform.gpu->source : platform.host.source;
    const Machine &machine = platform.host.machine;
    return platform.gpu ? explain(platform.gpu->device, machine, nest, run)
                        : explain(nest.graph(), machine, nest, run);
}

std::vector<Function> functions_of(const Halide::Pipeline &pipeline) {
    std::vector<Function> outputs;
    for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
    return outputs;
}

}  // namespace

void autoschedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                  const Halide::AutoschedulerParams &params,
                  Halide::AutoSchedulerResults *results) {
    const PluginOptions options = or_tell_user(parse_plugin_options(params.extra));
    const Log log = make_log(options.level());
    const Platform platform = or_tell_user(platform_of(target, options, log));

    const BuiltGraph built = or_tell_user(build_graph(functions_of(pipeline), target));
    for (const std::string &w : built.warnings) log.warning(w);

    // From the best to the plainest: the first that Halide takes is emitted.
    LoopNest nest(built.graph);
    std::string refused;
    const auto accepts = [&](LoopNest candidate) {
        refused = options.verify ? what_halide_refuses(pipeline, built, candidate, target,
                                                       platform.host.machine)
                                 : "";
        nest = std::move(candidate);
        return refused.empty();
    };
    if (options.mode == "replay") {
        nest = replay_file(built.graph, options.trace_file);
    } else if (options.mode == "plain" ||
               !accepts(find_schedule(built.graph, platform, options, log))) {
        if (!refused.empty())
            log.warning(
                "Halide refused the schedule that was found; the plain schedule is used instead. "
                "Halide said: " +
                refused);
        const bool plain_gpu =
            platform.gpu && accepts(schedule_for_gpu(built.graph, platform, {.fused = false}, log));
        if (platform.gpu && !plain_gpu)
            log.warning(
                "Halide refused the plain schedule for the GPU; the CPU's is used instead. Halide "
                "said: " +
                refused);
        if (!plain_gpu) nest = plain_schedule(built.graph, platform.host.machine);
    }
    log_prediction(nest, platform, log);
    log.info("loops:\n" + to_tree_text(nest));
    log.debug("trace:\n" + to_text(built.graph, trace_of(nest)));

    const Emitted emitted = or_tell_user(emit(built, nest));
    if (!options.explain.empty()) {
        or_tell_user(write_atomically(
            options.explain, explanation_json(explained(
                                 nest, platform, {name_of(pipeline), target.to_string(), ""}))));
    }
    results->target = target;
    results->autoscheduler_params = params;
    results->schedule_source = emitted.source;
    // The trace is the record of what was chosen: features, of any version, are computed from it.
    const std::string trace = to_text(built.graph, trace_of(nest));
    results->featurization.assign(trace.begin(), trace.end());
}

}  // namespace cryolite
