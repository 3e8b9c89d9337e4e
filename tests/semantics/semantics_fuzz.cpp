// The semantics check at full length: random pipelines under random or searched schedules.
//   semantics_fuzz --cases 500 --seed 1 --source random_trace --jobs 2
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/semantics/case_runner.h"
#include "tests/semantics/checker.h"
#include "tests/semantics/opencl_device.h"
#include "tests/semantics/sources.h"

namespace {

struct Options {
    uint64_t cases = 100;
    uint64_t seed = 1;
    std::string source = "random_trace";
    int jobs = 1;
    double timeout_seconds = 60;
    int max_funcs = 25;
    double interpreters = cryolite::SizeProfile{}.interpreters;
    double channels = cryolite::SizeProfile{}.channels;
    double products = cryolite::SizeProfile{}.products;
    double siblings = cryolite::SizeProfile{}.siblings;
    std::string gpu = "opencl";
    bool verbose = false;
    bool minimize = false;
};

void describe(CLI::App &line, Options &o) {
    line.add_option("--cases", o.cases, "how many")->capture_default_str();
    line.add_option("--seed", o.seed, "the first case; case i is the pipeline of seed S + i")
        ->capture_default_str();
    line.add_option("--source", o.source, "what makes the schedules")
        ->check(CLI::IsMember(cryolite::scheduler_names()))
        ->capture_default_str();
    line.add_option("--gpu", o.gpu,
                    "what sources for GPUs run on; cuda needs a driver or the emulator")
        ->check(CLI::IsMember({"opencl", "cuda"}))
        ->capture_default_str();
    line.add_option("--jobs", o.jobs, "cases at once")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    line.add_option("--timeout", o.timeout_seconds, "seconds for a case")->capture_default_str();
    line.add_option("--max-funcs", o.max_funcs, "of a pipeline")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    line.add_option("--interpreters", o.interpreters, "their share of the pipelines")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    line.add_option("--channels", o.channels, "share of Funcs that choose by their channel")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    line.add_option("--products", o.products, "share of Funcs that sum up products of integers")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    line.add_option("--siblings", o.siblings,
                    "share of pipelines with outputs of one size, or of one less dimension")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    line.add_flag("--verbose", o.verbose, "the log of cases that pass, too");
    line.add_flag("--minimize", o.minimize,
                  "drop actions from the traces of failures while they fail alike");
}

// The last line of a failing log says what happened; digits vary with what was dropped.
std::string kind_of_failure(const std::string &log) {
    for (const char *kind :
         {"values differ", "Input buffer", "outside of", "not compile", "scheduling failed"}) {
        if (log.find(kind) != std::string::npos) return kind;
    }
    return {};
}

// Delta debugging over the actions of the trace: halves, quarters, ..., single actions.
cryolite::CaseReport minimized(const Options &options, const cryolite::RunLimits &limits,
                               const cryolite::CheckOptions &check_options,
                               cryolite::CaseReport report) {
    using namespace cryolite;
    std::vector<bool> keep(actions_in_log(report.log), true);
    const std::string kind = kind_of_failure(report.log);
    for (size_t chunk = keep.size() / 2; chunk > 0; chunk /= 2) {
        for (size_t start = 0; start < keep.size(); start += chunk) {
            std::vector<bool> fewer = keep;
            for (size_t i = start; i < std::min(start + chunk, keep.size()); i++) fewer[i] = false;
            if (fewer == keep) continue;
            const Scheduler scheduler = find_scheduler(options.source, fewer);
            run_cases(
                report.seed, 1, limits,
                [&](uint64_t seed, std::ostream &log) {
                    return check(seed, scheduler, log, check_options);
                },
                [&](const CaseReport &again) {
                    if (again.outcome != report.outcome || kind_of_failure(again.log) != kind)
                        return;
                    report = again;
                    keep = fewer;
                });
        }
    }
    return report;
}

}  // namespace

int main(int argc, char **argv) {
    using namespace cryolite;
    CLI::App line(
        "Random pipelines under random or searched schedules, checked against plain ones.",
        "semantics_fuzz");
    Options options;
    describe(line, options);
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : 2;
    }
    const Scheduler scheduler = find_scheduler(options.source);
    RunLimits limits;
    limits.jobs = options.jobs;
    limits.seconds_per_case = options.timeout_seconds;
    CheckOptions check_options;
    check_options.profile.max_funcs = options.max_funcs;
    check_options.by_hand = find_hand_scheduler(options.source);
    check_options.profile.interpreters = options.interpreters;
    check_options.profile.channels = options.channels;
    check_options.profile.products = options.products;
    check_options.profile.siblings = options.siblings;
    if (is_for_gpu(options.source))
        check_options.target = options.gpu == "cuda" ? cuda_target() : opencl_target();

    uint64_t done = 0, failures = 0;
    run_cases(
        options.seed, options.cases, limits,
        [&](uint64_t seed, std::ostream &log) {
            return check(seed, scheduler, log, check_options);
        },
        [&](CaseReport report) {
            done++;
            const bool failed = report.outcome != CaseOutcome::Passed;
            failures += failed;
            if (failed && options.minimize) {
                std::cout << "---- minimized from " << actions_in_log(report.log) << " actions\n";
                report = minimized(options, limits, check_options, report);
            }
            if (failed || options.verbose) {
                std::cout << "---- seed " << report.seed << " " << name(report.outcome) << " after "
                          << report.seconds << " s\n"
                          << report.log << "---- end of seed " << report.seed << "\n";
            }
            if (done % 50 == 0) {
                std::cout << done << " of " << options.cases << " cases, " << failures
                          << " failures\n";
            }
            std::cout << std::flush;
        });
    std::cout << done << " cases, " << failures << " failures\n";
    return failures == 0 ? 0 : 1;
}
