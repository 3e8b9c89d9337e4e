#include "tests/robustness/trial.h"

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "plugin/autoscheduler.h"
#include "tests/robustness/comparison.h"
#include "tests/robustness/process_use.h"

namespace cryolite::robustness {

namespace {

// Without the check of the algorithm, which comes after the calls and is nearly the same in all sources.
std::string_view scheduling_calls(std::string_view source) {
    return source.substr(0, source.find("// What follows refuses"));
}

// Through Halide's own door: the registration that opening the plugin makes, then the call that
// users and generators make.
void schedule_by_cryolite(const Subject &subject, const Options &options,
                          const Halide::Target &target, std::ostream &log) {
    Halide::Pipeline::add_autoscheduler("Cryolite", autoschedule);
    Options with_log = options;
    with_log.insert({"log_level", "info"});
    log << "funcs=" << funcs_of(subject).size() << "\n" << std::flush;
    begin_to_count_megabytes();
    const double megabytes_before = resident_megabytes();
    const double cpu_before = cpu_seconds() + cpu_seconds_of_children();
    const auto start = std::chrono::steady_clock::now();
    const Halide::AutoSchedulerResults results =
        subject.pipeline().apply_autoscheduler(target, {"Cryolite", with_log});
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    log << "wall_seconds=" << wall.count()
        << "\ncpu_seconds=" << cpu_seconds() + cpu_seconds_of_children() - cpu_before
        << "\ngrown_megabytes=" << peak_megabytes() - megabytes_before
        << "\npeak_megabytes=" << peak_megabytes() << "\n"
        << scheduling_calls(results.schedule_source) << std::flush;
}

Verdict run(const Entry &entry, const Options &options, std::ostream &log) {
    const Halide::Target target = Halide::get_host_target();
    Subject reference, scheduled;
    try {
        entry.make(scheduled);
        schedule_by_cryolite(scheduled, options, target, log);
    } catch (const Halide::Error &error) {
        log << "scheduling failed: " << error.what() << "\n";
        return Verdict::Differs;
    }
    entry.make(reference);
    schedule_reference(reference);
    Comparison comparison(reference, scheduled, scheduled.pipeline(), target, log);
    comparison.compile();
    return comparison.at_all_sizes();
}

Verdict run_by_hand(const Entry &entry, std::ostream &log) {
    const Halide::Target target = Halide::get_host_target();
    Subject reference, scheduled;
    try {
        entry.make(scheduled);
        scheduled.hand_schedule(target);
    } catch (const Halide::Error &error) {
        log << "scheduling by hand failed: " << error.what() << "\n";
        return Verdict::Differs;
    }
    entry.make(reference);
    schedule_reference(reference);
    Comparison comparison(reference, scheduled, scheduled.pipeline(), target, log);
    return comparison.at(Run::Estimates);
}

// Runs it in a child process. The report has the outcome, the log and the CPU seconds of all.
TrialReport in_a_child(const std::function<Verdict(std::ostream &log)> &trial) {
    TrialReport result;
    RunLimits limits;
    limits.seconds_per_case = 600;
    const double before = cpu_seconds_of_children();
    run_cases(
        0, 1, limits, [&](uint64_t, std::ostream &log) { return trial(log); },
        [&](const CaseReport &report) {
            result.outcome = report.outcome;
            result.log = report.log;
        });
    result.all_cpu_seconds = cpu_seconds_of_children() - before;
    return result;
}

// The number after the last `label` in the log, or 0.
double number_after(const std::string &log, const std::string &label) {
    const size_t at = log.rfind(label);
    return at == log.npos ? 0 : std::strtod(log.c_str() + at + label.size(), nullptr);
}

}  // namespace

void warm_up() {
    Halide::Func nothing("nothing");
    nothing() = 0;
    nothing.compile_jit(Halide::get_host_target());
}

TrialReport try_out(const Entry &entry, const Options &options) {
    TrialReport result = in_a_child([&](std::ostream &log) { return run(entry, options, log); });
    const std::string &log = result.log;
    result.funcs = static_cast<uint64_t>(number_after(log, "funcs="));
    result.states = static_cast<uint64_t>(number_after(log, "states: "));
    result.wall_seconds = number_after(log, "wall_seconds=");
    result.cpu_seconds = number_after(log, "cpu_seconds=");
    result.compile_cpu_seconds = number_after(log, "\ncompile_seconds=");
    result.reference_compile_cpu_seconds = number_after(log, "reference_compile_seconds=");
    result.peak_megabytes = number_after(log, "peak_megabytes=");
    result.grown_megabytes = number_after(log, "grown_megabytes=");
    result.given_up = log.find("Halide did not lower") != log.npos;
    result.stopped_by_time = log.find("stopped at the time limit") != log.npos;
    result.fell_back = log.find("Halide refused the schedule") != log.npos;
    return result;
}

TrialReport try_by_hand(const Entry &entry) {
    return in_a_child([&](std::ostream &log) { return run_by_hand(entry, log); });
}

}  // namespace cryolite::robustness
