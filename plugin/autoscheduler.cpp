#include "plugin/autoscheduler.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>

#include "analytical/explain/explanation_json.h"
#include "autotune/pipeline_inputs.h"
#include "base/atomic_file.h"
#include "base/text_file.h"
#include "code/legality/apply.h"
#include "emit/emit.h"
#include "graph/build.h"
#include "graph/divide_reductions.h"
#include "graph/pipeline_view.h"
#include "model/correction_file.h"
#include "plugin/counted_stages.h"
#include "plugin/division.h"
#include "plugin/draw_batch.h"
#include "plugin/fastest.h"
#include "plugin/hand_names.h"
#include "plugin/hand_schedule.h"
#include "plugin/kept_schedules.h"
#include "plugin/platform.h"
#include "plugin/plugin_options.h"
#include "plugin/prediction_log.h"
#include "plugin/strategy_plans.h"
#include "plugin/tensor_products.h"
#include "plugin/trial.h"
#include "plugin/verify.h"
#include "reference/autogpu/schedule.h"
#include "reference/strategy.h"
#include "schedule/trace_text.h"
#include "search/search.h"
#include "tensorcore/schedule_nest.h"

namespace cryolite {
namespace {

using Halide::Internal::Function;

[[noreturn]] void tell_user(const std::string &message) {
    throw Halide::CompileError("Cryolite: " + message);
}

// Of the time limit: what is left to try schedules, at least.
constexpr double trial_share = 0.25;
// Share of the search's time in which strategies may plan for it.
constexpr double planning_share = 0.25;
// Share of the time that is left for trying schedules in which one of less code may be made.
constexpr double lightening_share = 0.25;
// Trying may end so much later: the limit holds to within a tenth and a second.
constexpr double trial_grace_share = 0.05, trial_grace_seconds = 0.5;

template <typename T>
T or_tell_user(Result<T> result) {
    if (!result.ok()) tell_user(result.error().message);
    return std::move(result).value();
}

// What Halide says has lines; a warning is one.
std::string on_one_line(const std::string &text) {
    std::istringstream words(text);
    std::string line;
    for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
    return line;
}

Log make_log(LogLevel level) {
    return Log(level, [](LogLevel l, const std::string &text) {
        if (l == LogLevel::Warning)
            std::fprintf(stderr, "Cryolite warning: %s\n", on_one_line(text).c_str());
        else
            std::fprintf(stderr, "Cryolite: %s\n", text.c_str());
    });
}

void warn_of_limits(const SearchStatistics &statistics, const Log &log) {
    if (statistics.hit_time_limit)
        log.warning(
            "the search ended at time_limit, with the best schedule so far; a larger time_limit "
            "may find a better one");
    if (statistics.beam_narrowed)
        log.warning(
            "the search kept fewer states at memory_limit_mb; a larger memory_limit_mb may find a "
            "better schedule");
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

// A schedule that may be emitted, and what to call it.
struct Candidate {
    LoopNest nest;
    std::string name;
    bool is_makeshift = false;        // only for when Halide takes too long to lower the others
    bool is_to_be_lightened = false;  // once it is tried: see lightened() in search/search.h
};

double predicted_seconds(const LoopNest &nest, const Platform &platform,
                         const PluginOptions &options) {
    CostModel model(nest.graph(), platform.hardware());
    model.correct_by(options.search.correction);
    return model.evaluate(nest).seconds;
}

// The best first. By the search or, where another strategy is asked for, by that.
std::vector<Candidate> find_schedules(const StageGraph &graph, const Platform &platform,
                                      const PluginOptions &options, const Log &log) {
    const std::string best = "the schedule that was found";
    const Machine &machine = platform.host.machine;
    std::vector<Candidate> by_autogpu;
    if (platform.gpu) {
        by_autogpu = {
            {found_by("autogpu", auto_gpu_schedule(graph, platform.gpu->device, machine), log),
             "the schedule of autogpu"}};
        if (options.strategy == "autogpu") return by_autogpu;
    }
    if (const auto strategy = strategy_named(options.strategy);
        strategy && options.mode != "improve")
        return {{found_by(options.strategy, schedule_by(*strategy, graph, machine), log), best}};
    SearchOptions asked = options.search;
    if (options.mode == "top_k") asked.candidates = options.top_k;
    for (const Candidate &c : by_autogpu) asked.plans.push_back(c.nest);
    if (options.plans && !platform.gpu)
        asked.plans = strategy_plans(graph, machine, planning_share * asked.deadline.left(), log);
    SearchResult found = search(graph, platform.hardware(), asked, log);
    log.info(found.statistics.text());
    warn_of_limits(found.statistics, log);
    std::vector<Candidate> candidates{{std::move(found.nest), best}};
    for (LoopNest &nest : found.others)
        candidates.push_back(
            {std::move(nest), "schedule " + std::to_string(candidates.size() + 1)});
    candidates.push_back({candidates[0].nest, "a schedule of less code", true, true});
    for (LoopNest &nest : found.shallower)
        candidates.push_back(
            {std::move(nest), "a schedule with fewer Funcs inside of others", true});
    for (Candidate &c : by_autogpu) {
        c.is_makeshift = true;
        candidates.push_back(std::move(c));
    }
    if (asked.start) {
        // The search may price a schedule up that compiles slowly. The promise is of the predicted time alone.
        const double by_hand = predicted_seconds(*asked.start, platform, options);
        const double by_search = predicted_seconds(candidates[0].nest, platform, options);
        log.info("by hand predicted " + std::to_string(by_hand * 1e3) + " ms, improved " +
                 std::to_string(std::min(by_hand, by_search) * 1e3) + " ms");
        const auto place = candidates.begin() + (by_hand < by_search ? 0 : 1);
        candidates.insert(place, {*asked.start, "the schedule by hand"});
    }
    return candidates;
}

// Says of what stood before the one that is taken why it is not: taken is its index, or past the last.
void warn_of_given_up(const std::vector<Candidate> &candidates, const Trials &trials, size_t taken,
                      const Log &log) {
    const std::string instead =
        (taken < candidates.size() ? candidates[taken].name : std::string("no schedule")) +
        " is used instead";
    for (size_t i = 0; i < taken; i++) {
        const Trial &trial = trials.of[i];
        if (trial.verdict == Trial::Verdict::Refused)
            log.warning("Halide refused " + candidates[i].name + "; " + instead +
                        ". Halide said: " + trial.why);
        else
            log.warning("Halide did not lower " + candidates[i].name +
                        " within compile_limit and time_limit; " + instead);
    }
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

// What is emitted where nothing better is taken, the best first.
std::vector<Candidate> fallbacks(const StageGraph &graph, const Platform &platform) {
    const Machine &machine = platform.host.machine;
    std::vector<Candidate> all;
    if (!is_all_scheduled(graph) && platform.gpu)
        all.push_back(
            {plain_schedule(graph, platform.hardware()), "the plain schedule for the GPU"});
    if (!is_all_scheduled(graph))
        all.push_back({plain_schedule(graph, machine),
                       platform.gpu ? "the CPU's plain schedule" : "the plain schedule"});
    if (std::ranges::any_of(graph.funcs(), &Func::locked))
        all.push_back({careful_schedule(graph, machine),
                       "a schedule that keeps away from what is scheduled already"});
    return all;
}

// What the search leaves is for trying what it found, and for emission.
double reserved_for_trials(const PluginOptions &options) {
    return options.verify ? std::min(trial_share * options.search.time_limit_seconds,
                                     2.0 * static_cast<double>(options.compile_limit))
                          : 0;
}

// A schedule that is not lowered in that time is given up for a poorer one.
double lowering_budget(const PluginOptions &options) {
    return std::min(reserved_for_trials(options), static_cast<double>(options.compile_limit));
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

// What is worth more than the fallbacks, the best first.
std::vector<Candidate> good_schedules(const StageGraph &graph, const Platform &platform,
                                      const PluginOptions &options, const Deadline &deadline,
                                      const Log &log) {
    if (is_all_scheduled(graph)) {
        log.warning(
            "all Funcs are scheduled already, by you or by an earlier call; nothing is changed");
        return {};
    }
    if (options.mode == "plain" || options.mode == "draw" || options.mode == "count") return {};
    if (options.mode == "as_scheduled") {
        if (!options.search.start) return {};
        return {{*options.search.start, "the schedule by hand"}};
    }
    PluginOptions until = options;
    until.search.deadline = deadline.earlier(reserved_for_trials(options));
    until.search.lowering_budget_seconds = lowering_budget(options);
    return find_schedules(graph, platform, until, log);
}

// The fastest of the good schedules and the first fallback; nothing if they cannot be run. good: how many of `all` come
// before the fallbacks.
std::optional<size_t> fastest_of(const std::vector<Candidate> &all, size_t good,
                                 const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                 const Halide::Target &target, const Platform &platform,
                                 const PluginOptions &options, InputFiles inputs, const Log &log) {
    std::vector<Measured> schedules;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < std::min(all.size(), good + 1); i++) {
        if (all[i].is_makeshift) continue;
        schedules.push_back({&all[i].nest, all[i].name});
        numbers.push_back(i);
    }
    MeasureOptions how;
    how.cores = platform.host.machine.cores;
    how.benchmark_seconds = options.benchmark_seconds;
    how.compile_limit_seconds = static_cast<double>(options.compile_limit);
    how.seed = static_cast<uint64_t>(options.search.seed);
    how.inputs = std::move(inputs);
    const std::optional<size_t> best = fastest(pipeline, built, target, schedules, how, log);
    if (!best) return std::nullopt;
    return numbers[*best];
}

// From the best to the plainest, the first that Halide takes in time. Nothing: the pipeline stays as it is.
std::optional<LoopNest> choose_schedule(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                        const Halide::Target &target, const Platform &platform,
                                        const PluginOptions &options, const Deadline &deadline,
                                        const Log &log) {
    if (options.mode != "top_k" && !options.inputs.empty())
        tell_user("inputs is for mode=top_k: nothing is run in mode=" + options.mode);
    // What is wrong with a file is told before the search and not after it.
    InputFiles inputs = or_tell_user(pipeline_inputs(options.inputs, pipeline, built));
    std::vector<Candidate> all = good_schedules(built.graph, platform, options, deadline, log);
    const size_t good = all.size();
    for (Candidate &c : fallbacks(built.graph, platform)) all.push_back(std::move(c));
    Deadline end = deadline;
    if (options.mode == "top_k" && good > 0) {
        if (const auto best = fastest_of(all, good, pipeline, built, target, platform, options,
                                         std::move(inputs), log))
            return std::move(all[*best].nest);
        // Trying to run them may have taken all the time.
        end = Deadline::after(trial_share * options.search.time_limit_seconds);
    }
    if (!options.verify) return std::move(all.front().nest);
    const auto refuses = [&](size_t i) {
        return what_halide_refuses(pipeline, built, all[i].nest, target, platform.host.machine);
    };
    const double grace =
        trial_grace_share * options.search.time_limit_seconds + trial_grace_seconds;
    const TrialLimits limits{end.earlier(-grace), static_cast<double>(options.compile_limit),
                             options.search.time_limit_seconds};
    const auto prepare = [&](size_t i) {
        if (!all[i].is_to_be_lightened) return;
        SearchOptions in_time = options.search;
        in_time.deadline = limits.deadline.at_most(lightening_share * limits.deadline.left());
        all[i].nest = lightened(all[i].nest, platform.hardware(), in_time);
    };
    const double before = end.left();
    const Trials trials = try_schedules(all.size(), refuses, limits, prepare);
    log.info("seconds of trying schedules: " + std::to_string(before - end.left()));
    // Where none could be shown to pass, the first fallback that was not refused.
    size_t taken = trials.taken.value_or(good);
    while (!trials.taken && taken < all.size() &&
           trials.of[taken].verdict == Trial::Verdict::Refused)
        taken++;
    warn_of_given_up(all, trials, taken, log);
    if (taken < all.size()) return std::move(all[taken].nest);
    const std::string refused = what_halide_refuses_unchanged(pipeline, target);
    if (!refused.empty())
        tell_user("Halide refuses the pipeline as it is, with no schedule of ours: " + refused);
    return std::nullopt;
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
            : choose_schedule(pipeline, built, target, platform, options, deadline, log);
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
