// An autoscheduler that only calls another one and writes down how long that took and how much
// memory the process had needed by then. A generator's run is mostly Halide's lowering and LLVM,
// which are the same for everybody: without this, the slower the compiler, the more alike all
// schedulers would look. It serves every scheduler in the same way, ours included.
//
// Parameters: `scheduler`, the name of the real one; `report`, the file to write; all others are
// passed on.
#include <Halide.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <string>

namespace {

double process_cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

long process_peak_kilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

std::string take(std::map<std::string, std::string> &parameters, const std::string &name) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
        throw Halide::CompileError("the timed autoscheduler needs autoscheduler." + name);
    }
    std::string value = found->second;
    parameters.erase(found);
    return value;
}

void schedule_timed(const Halide::Pipeline &pipeline, const Halide::Target &target,
                    const Halide::AutoschedulerParams &parameters,
                    Halide::AutoSchedulerResults *results) {
    Halide::AutoschedulerParams inner = parameters;
    inner.name = take(inner.extra, "scheduler");
    const std::string report = take(inner.extra, "report");
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = process_cpu_seconds();
    *results = pipeline.apply_autoscheduler(target, inner);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::ofstream(report) << "{\"seconds\": " << elapsed.count()
                          << ", \"cpu_seconds\": " << process_cpu_seconds() - cpu_start
                          << ", \"peak_kilobytes\": " << process_peak_kilobytes() << "}\n";
}

struct Registration {
    Registration() { Halide::Pipeline::add_autoscheduler("Timed", schedule_timed); }
} registration;

}  // namespace
