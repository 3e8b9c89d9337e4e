#include "plugin/trial/fastest.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "autotune/choice.h"
#include "autotune/pipeline_run.h"
#include "code/legality/validate.h"
#include "emit/scheduled_copy.h"
#include "schedule/trace_text.h"
#include "tensorcore/schedule_nest.h"

namespace cryolite {
namespace {

std::string line_of(const Measured &schedule, const Entry &entry, const Entry *first) {
    std::string text = "  " + schedule.name + ": ";
    if (entry.end != Entry::End::Timed)
        return text + name(entry.end) + (entry.message.empty() ? "" : ": " + entry.message);
    char times[160];
    const Spread &s = entry.spread;
    std::snprintf(times, sizeof times, "%.4g ms (%.4g to %.4g, %zu rounds)", s.median * 1e3,
                  s.low * 1e3, s.high * 1e3, entry.seconds.size());
    text += times;
    if (first != nullptr) {
        std::snprintf(times, sizeof times, ", %.3f of the first", ratio(entry, *first).median);
        text += times;
    }
    return text;
}

void warn(const std::vector<Measured> &schedules, const std::vector<Entry> &entries,
          const Log &log) {
    for (size_t i = 0; i < entries.size(); i++)
        if (entries[i].end == Entry::End::Wrong)
            log.warning(schedules[i].name +
                        " computes something else than the plain schedule and is left out: " +
                        entries[i].message);
}

}  // namespace

std::optional<size_t> fastest(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                              const Halide::Target &target, const std::vector<Measured> &schedules,
                              const MeasureOptions &options, const Log &log) {
    const Prepare prepare = [&](size_t i) -> std::unique_ptr<Runnable> {
        if (const std::string wrong = validate(*schedules[i].nest); !wrong.empty())
            throw std::runtime_error("its loops are wrong: " + wrong);
        const Result<Halide::Pipeline> scheduled =
            scheduled_copy(pipeline, built, schedules[i].nest);
        if (!scheduled.ok()) throw std::runtime_error(scheduled.error().message);
        const auto tiled =
            tensorcore::schedule_tile_kernels(*scheduled, *schedules[i].nest, target);
        if (!tiled.ok()) throw std::runtime_error(tiled.error().message);
        return pipeline_run(*scheduled, built, target, options.cores, options.seed, options.inputs);
    };
    ContestRules rules;
    rules.prepared_at_once =
        static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
    rules.prepare_cpu_seconds = options.compile_limit_seconds;
    // Twice the processor's seconds, for a computer that has other work.
    const double turns = std::ceil(static_cast<double>(schedules.size()) / rules.prepared_at_once);
    rules.prepared_by = Deadline::after(2 * turns * options.compile_limit_seconds);
    rules.seconds = options.benchmark_seconds;
    rules.is_decided = is_decided;
    rules.anchor =
        0;  // the schedule that is found without measuring: users want to know what measuring gained
    rules.output_bytes = output_bytes(pipeline, built);
    const size_t plain = schedules.size() - 1;
    const std::vector<Entry> entries = contest(schedules.size(), plain, prepare, rules);
    warn(schedules, entries, log);

    const auto first = std::ranges::find(entries, Entry::End::Timed, &Entry::end);
    log.info("measured:");
    for (size_t i = 0; i < entries.size(); i++)
        log.info(line_of(schedules[i], entries[i], first == entries.end() ? nullptr : &*first));
    for (const Measured &schedule : schedules)
        log.debug("loops of " + schedule.name + ":\n" + to_tree_text(*schedule.nest));
    if (first == entries.end()) {
        log.warning("mode=top_k could not run the pipeline (the plain schedule: " +
                    std::string(name(entries[plain].end)) +
                    (entries[plain].message.empty() ? "" : ": " + entries[plain].message) +
                    "); the schedule that is predicted to be the fastest is taken");
        return std::nullopt;
    }
    return choice_of(entries);
}

}  // namespace cryolite
