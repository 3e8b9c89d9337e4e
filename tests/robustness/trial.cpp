#include "tests/robustness/trial.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "plugin/autoscheduler.h"
#include "tests/semantics/buffers.h"
#include "tests/semantics/guarded_allocations.h"

namespace cryolite::robustness {

namespace {

// A buffer of more points than this is not made.
constexpr double most_points_run = 4e6;

double cpu_seconds(int who = RUSAGE_SELF) {
    rusage usage{};
    getrusage(who, &usage);
    auto seconds = [](const timeval &t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in kilobytes
}

// The highest resident size since the process began anew to count it.
double megabytes(const char *field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(field, 0) == 0)
            return std::strtod(line.c_str() + std::strlen(field), nullptr) / 1024;
    return 0;
}

std::map<std::string, Halide::Internal::Function> funcs_of(const Subject &subject) {
    std::vector<Halide::Internal::Function> outputs;
    for (const Output &o : subject.outputs) outputs.push_back(o.func.function());
    return Halide::Internal::build_environment(outputs);
}

// Each at root in plain loops, or Halide's default, which inlines.
void schedule_reference(const Subject &subject) {
    if (subject.inlined_reference) return;
    for (const auto &[name, function] : funcs_of(subject)) {
        const auto &by_hand = subject.names_scheduled_by_hand;
        if (std::find(by_hand.begin(), by_hand.end(), name) == by_hand.end())
            Halide::Func(function).compute_root();
    }
}

// Without the check of the algorithm's hash, which comes first and is the same in all sources.
std::string_view scheduling_calls(std::string_view source) {
    const size_t end_of_check = source.find("(void)cryolite_find;");
    return end_of_check == source.npos ? source : source.substr(end_of_check);
}

// Through Halide's own door: the registration that opening the plugin makes, then the call that
// users and generators make.
void schedule_by_cryolite(const Subject &subject, const Options &options,
                          const Halide::Target &target, std::ostream &log) {
    Halide::Pipeline::add_autoscheduler("Cryolite", autoschedule);
    Options with_log = options;
    with_log.insert({"log_level", "info"});
    log << "funcs=" << funcs_of(subject).size() << "\n" << std::flush;
    std::ofstream("/proc/self/clear_refs") << "5";  // begins to count the highest size anew
    const double megabytes_before = megabytes("VmRSS:");
    const double cpu_before = cpu_seconds() + cpu_seconds(RUSAGE_CHILDREN);
    const auto start = std::chrono::steady_clock::now();
    const Halide::AutoSchedulerResults results =
        subject.pipeline().apply_autoscheduler(target, {"Cryolite", with_log});
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    log << "wall_seconds=" << wall.count()
        << "\ncpu_seconds=" << cpu_seconds() + cpu_seconds(RUSAGE_CHILDREN) - cpu_before
        << "\ngrown_megabytes=" << megabytes("VmHWM:") - megabytes_before
        << "\npeak_megabytes=" << peak_megabytes() << "\n"
        << scheduling_calls(results.schedule_source) << std::flush;
}

void print(std::ostream &log, const std::string &name, const Box &box) {
    log << "  " << name << ":";
    for (const Interval &i : box) log << " [" << i.min << ", " << i.max << "]";
    log << "\n";
}

std::vector<GuardedBuffer> make_outputs(const Subject &subject, Run run) {
    std::vector<GuardedBuffer> buffers;
    for (const Output &o : subject.outputs)
        for (const Halide::Type &type : o.func.types())
            buffers.emplace_back(type, region(o.sizes, run, true));
    return buffers;
}

Halide::Realization realization(const std::vector<GuardedBuffer> &buffers) {
    std::vector<Halide::Buffer<>> list;
    for (const GuardedBuffer &b : buffers) list.push_back(b.inside);
    return Halide::Realization(std::move(list));
}

bool small_enough(const Subject &subject, Run run) {
    for (const Output &o : subject.outputs)
        if (points(region(o.sizes, run, true)) > most_points_run) return false;
    return true;
}

void set_parameters(Subject &subject, Run run) {
    for (Parameter &p : subject.parameters)
        p.param.set(run == Run::Estimates ? p.estimate : p.other);
}

// The same data for both. An input without a size gets just what the reference reads.
void set_inputs(Subject &reference, Halide::Pipeline &plain, Subject &scheduled, Run run,
                const Halide::Target &target, const std::vector<GuardedBuffer> &outputs,
                std::ostream &log) {
    auto set = [&](size_t i, const Box &box) {
        print(log, reference.inputs[i].image.name(), box);
        const Halide::Buffer<> data =
            make_data(reference.inputs[i].image.type(), box, reference.inputs[i].values, i + 1);
        reference.inputs[i].image.set(data);
        scheduled.inputs[i].image.set(data);
    };
    for (size_t i = 0; i < reference.inputs.size(); i++) {
        reference.inputs[i].image.reset();
        if (!reference.inputs[i].sizes.empty())
            set(i, region(reference.inputs[i].sizes, run, false));
    }
    plain.infer_input_bounds(realization(outputs), target);
    for (size_t i = 0; i < reference.inputs.size(); i++) {
        const Halide::Buffer<> wanted = reference.inputs[i].image.get();
        if (!reference.inputs[i].sizes.empty() || !wanted.defined()) continue;
        Box box;
        for (int d = 0; d < wanted.dimensions(); d++)
            box.push_back({wanted.dim(d).min(), wanted.dim(d).max()});
        set(i, box);
    }
}

class Comparison {
public:
    Comparison(Subject &reference, Subject &scheduled, const Halide::Target &target,
               std::ostream &log)
        : reference_(reference), scheduled_(scheduled), target_(target), log_(log) {
        plain_ = reference.pipeline();
        ours_ = scheduled.pipeline();
    }

    // Halide compiles when a pipeline is run for the first time; doing it here shows what it took.
    void compile() {
        for (const auto &[label, pipeline] :
             {std::pair{"reference_compile_seconds=", &plain_}, {"compile_seconds=", &ours_}}) {
            const double before = cpu_seconds();
            pipeline->compile_jit(target_);
            log_ << label << cpu_seconds() - before << "\n" << std::flush;
        }
    }

    Verdict at(Run run) {
        log_ << "size " << name(run) << "\n";
        set_parameters(reference_, run);
        set_parameters(scheduled_, run);
        const std::vector<GuardedBuffer> expected = make_outputs(reference_, run);
        const std::vector<GuardedBuffer> found = make_outputs(scheduled_, run);
        try {
            set_inputs(reference_, plain_, scheduled_, run, target_, expected, log_);
            plain_.realize(realization(expected), target_);
        } catch (const Halide::Error &error) {
            log_ << "the reference failed: " << error.what() << "\n";
            return Verdict::ReferenceFailed;
        }
        GuardedAllocations allocations;
        log_ << std::flush;  // what follows may crash
        try {
            ours_.realize(&allocations, realization(found), target_);
        } catch (const Halide::Error &error) {
            log_ << "the scheduled pipeline failed: " << error.what() << "\n";
            return Verdict::Differs;
        }
        if (allocations.damaged > 0) {
            log_ << "store outside of an intermediate Func's buffer\n";
            return Verdict::Differs;
        }
        size_t i = 0;
        for (const Output &o : reference_.outputs) {
            for (size_t element = 0; element < o.func.types().size(); element++, i++) {
                print(log_, o.func.name(), region(o.sizes, run, true));
                if (!same_values(expected[i].inside, found[i].inside, o.tolerance, log_) ||
                    !found[i].red_zone_intact(log_))
                    return Verdict::Differs;
            }
        }
        return Verdict::Agrees;
    }

private:
    Subject &reference_, &scheduled_;
    Halide::Pipeline plain_, ours_;
    Halide::Target target_;
    std::ostream &log_;
};

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
    Comparison comparison(reference, scheduled, target, log);
    comparison.compile();
    for (Run size : all_runs) {
        if (!small_enough(reference, size)) continue;
        const Verdict verdict = comparison.at(size);
        if (verdict != Verdict::Agrees) return verdict;
    }
    return Verdict::Agrees;
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
    TrialReport result;
    RunLimits limits;
    limits.seconds_per_case = 600;
    const double before = cpu_seconds(RUSAGE_CHILDREN);
    run_cases(
        0, 1, limits, [&](uint64_t, std::ostream &log) { return run(entry, options, log); },
        [&](const CaseReport &report) {
            result.outcome = report.outcome;
            result.log = report.log;
        });
    result.all_cpu_seconds = cpu_seconds(RUSAGE_CHILDREN) - before;
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

}  // namespace cryolite::robustness
