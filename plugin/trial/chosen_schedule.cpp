#include "plugin/trial/chosen_schedule.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "autotune/pipeline_inputs.h"
#include "plugin/hand/kept_schedules.h"
#include "plugin/tell_user.h"
#include "plugin/trial/fastest.h"
#include "plugin/trial/schedules_to_try.h"
#include "plugin/trial/trial.h"
#include "plugin/trial/verify.h"
#include "search/search.h"

namespace cryolite {
namespace {

// Share of the time that is left for trying schedules in which one of less code may be made.
constexpr double lightening_share = 0.25;
// Trying may end so much later: the limit holds to within a tenth and a second.
constexpr double trial_grace_share = 0.05, trial_grace_seconds = 0.5;

// Says of what stood before the one that is taken why it is not: taken is its index, or past the last.
void warn_of_given_up(const std::vector<ScheduleToTry> &candidates, const Trials &trials,
                      size_t taken, const Log &log) {
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

// The fastest of the good schedules and the first fallback; nothing if they cannot be run. good: how many of `all` come
// before the fallbacks.
std::optional<size_t> fastest_of(const std::vector<ScheduleToTry> &all, size_t good,
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

}  // namespace

std::optional<LoopNest> chosen_schedule(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                        const Halide::Target &target, const Platform &platform,
                                        const PluginOptions &options, const Deadline &deadline,
                                        const Log &log) {
    if (options.mode != "top_k" && !options.inputs.empty())
        tell_user("inputs is for mode=top_k: nothing is run in mode=" + options.mode);
    // What is wrong with a file is told before the search and not after it.
    InputFiles inputs = or_tell_user(pipeline_inputs(options.inputs, pipeline, built));
    std::vector<ScheduleToTry> all = good_schedules(built.graph, platform, options, deadline, log);
    const size_t good = all.size();
    for (ScheduleToTry &c : fallbacks(built.graph, platform)) all.push_back(std::move(c));
    Deadline end = end_of_trials(deadline, options);
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

}  // namespace cryolite
