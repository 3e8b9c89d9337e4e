#include "plugin/trial/schedules_to_try.h"

#include <algorithm>
#include <utility>

#include "plugin/hand/kept_schedules.h"
#include "plugin/planning/strategy_plans.h"
#include "reference/autogpu/schedule.h"
#include "reference/strategy.h"
#include "search/search.h"

namespace cryolite {
namespace {

// Share of the search's time in which strategies may plan for it.
constexpr double planning_share = 0.25;

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

LoopNest found_by(const std::string &strategy, StrategyResult found, const Log &log) {
    log.info("strategy " + strategy + "; " + found.report.text());
    for (const std::string &note : found.report.notes) log.info("  " + note);
    return std::move(found.nest);
}

double predicted_seconds(const LoopNest &nest, const Platform &platform,
                         const PluginOptions &options) {
    CostModel model(nest.graph(), platform.hardware());
    model.correct_by(options.search.correction);
    return model.evaluate(nest).seconds;
}

// The best first. By the search or, where another strategy is asked for, by that.
std::vector<ScheduleToTry> find_schedules(const StageGraph &graph, const Platform &platform,
                                          const PluginOptions &options, const Log &log) {
    const std::string best = "the schedule that was found";
    const Machine &machine = platform.host.machine;
    std::vector<ScheduleToTry> by_autogpu;
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
    for (const ScheduleToTry &c : by_autogpu) asked.plans.push_back(c.nest);
    if (options.plans && !platform.gpu)
        asked.plans = strategy_plans(graph, machine, planning_share * asked.deadline.left(), log);
    SearchResult found = search(graph, platform.hardware(), asked, log);
    log.info(found.statistics.text());
    warn_of_limits(found.statistics, log);
    std::vector<ScheduleToTry> candidates{{std::move(found.nest), best}};
    for (LoopNest &nest : found.others)
        candidates.push_back(
            {std::move(nest), "schedule " + std::to_string(candidates.size() + 1)});
    candidates.push_back({candidates[0].nest, "a schedule of less code", true, true});
    for (LoopNest &nest : found.shallower)
        candidates.push_back(
            {std::move(nest), "a schedule with fewer Funcs inside of others", true});
    for (ScheduleToTry &c : by_autogpu) {
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

// What the search leaves is for trying what it found, and for emission.
double reserved_for_trials(const PluginOptions &options) {
    return options.verify ? std::min(trial_share * options.search.time_limit_seconds,
                                     2.0 * static_cast<double>(options.compile_limit))
                          : 0;
}

}  // namespace

Deadline end_of_trials(const Deadline &deadline, const PluginOptions &options) {
    const double reserved = reserved_for_trials(options);
    return deadline.left() < reserved ? Deadline::after(reserved) : deadline;
}

double lowering_budget(const PluginOptions &options) {
    return std::min(reserved_for_trials(options), static_cast<double>(options.compile_limit));
}

std::vector<ScheduleToTry> fallbacks(const StageGraph &graph, const Platform &platform) {
    const Machine &machine = platform.host.machine;
    std::vector<ScheduleToTry> all;
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

std::vector<ScheduleToTry> good_schedules(const StageGraph &graph, const Platform &platform,
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

}  // namespace cryolite
