// The semantics check at full length: random pipelines under random or searched schedules.
//   semantics_fuzz --cases 500 --seed 1 --source random_trace --jobs 2
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
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
    bool verbose = false;
    bool minimize = false;
};

void print_usage() {
    std::cerr << "usage: semantics_fuzz [--cases N] [--seed S] [--source NAME] [--jobs J]\n"
                 "                      [--timeout SECONDS] [--max-funcs N] [--interpreters SHARE] "
                 "[--verbose] [--minimize]\n"
                 "  --seed S      the first case; case i is the pipeline of seed S + i\n"
                 "  --verbose     print the log of cases that pass, too\n"
                 "  --minimize    drop actions from the traces of failures while they fail alike\n"
                 "sources:";
    for (const std::string &name : cryolite::scheduler_names()) std::cerr << " " << name;
    std::cerr << "\n";
}

template <typename Number>
bool parse_number(const char *text, Number &out) {
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), out);
    return error == std::errc() && *end == '\0';
}

std::optional<Options> parse(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        const std::string key = argv[i];
        if (key == "--verbose") {
            options.verbose = true;
            continue;
        }
        if (key == "--minimize") {
            options.minimize = true;
            continue;
        }
        if (i + 1 >= argc) return std::nullopt;
        const char *value = argv[++i];
        bool ok = true;
        if (key == "--cases") {
            ok = parse_number(value, options.cases);
        } else if (key == "--seed") {
            ok = parse_number(value, options.seed);
        } else if (key == "--jobs") {
            ok = parse_number(value, options.jobs) && options.jobs > 0;
        } else if (key == "--timeout") {
            ok = parse_number(value, options.timeout_seconds);
        } else if (key == "--max-funcs") {
            ok = parse_number(value, options.max_funcs) && options.max_funcs > 0;
        } else if (key == "--interpreters") {
            ok = parse_number(value, options.interpreters);
        } else if (key == "--source") {
            options.source = value;
        } else {
            ok = false;
        }
        if (!ok) {
            std::cerr << "not understood: " << key << " " << value << "\n";
            return std::nullopt;
        }
    }
    return options;
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
    const std::optional<Options> options = parse(argc, argv);
    const Scheduler scheduler = options ? find_scheduler(options->source) : nullptr;
    if (!scheduler) {
        print_usage();
        return 2;
    }
    RunLimits limits;
    limits.jobs = options->jobs;
    limits.seconds_per_case = options->timeout_seconds;
    CheckOptions check_options;
    check_options.profile.max_funcs = options->max_funcs;
    check_options.by_hand = find_hand_scheduler(options->source);
    check_options.profile.interpreters = options->interpreters;
    if (is_for_gpu(options->source)) check_options.target = opencl_target();

    uint64_t done = 0, failures = 0;
    run_cases(
        options->seed, options->cases, limits,
        [&](uint64_t seed, std::ostream &log) {
            return check(seed, scheduler, log, check_options);
        },
        [&](CaseReport report) {
            done++;
            const bool failed = report.outcome != CaseOutcome::Passed;
            failures += failed;
            if (failed && options->minimize) {
                std::cout << "---- minimized from " << actions_in_log(report.log) << " actions\n";
                report = minimized(*options, limits, check_options, report);
            }
            if (failed || options->verbose) {
                std::cout << "---- seed " << report.seed << " " << name(report.outcome) << " after "
                          << report.seconds << " s\n"
                          << report.log << "---- end of seed " << report.seed << "\n";
            }
            if (done % 50 == 0) {
                std::cout << done << " of " << options->cases << " cases, " << failures
                          << " failures\n";
            }
            std::cout << std::flush;
        });
    std::cout << done << " cases, " << failures << " failures\n";
    return failures == 0 ? 0 : 1;
}
