// A contender at a pipeline, in a process of its own: it schedules, compiles and then runs when it is asked
// to, so that several contenders can be timed by turns. Whatever happens to the process is a finding.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tests/robustness/workload.h"

namespace cryolite::robustness {

struct LaneLimits {
    double seconds = 60;      // of the clock for scheduling; of the processor, twice, for compiling
    double megabytes = 8192;  // of addresses that the process may use
    bool profiles = false;    // with Halide's profiler, which writes each Func's time to the log
};

// Times of scheduling are of the clock; lowering and LLVM use one thread, and their times are of it.
struct LaneReport {
    std::string failure;  // empty: it can be run. Else the phase and what happened
    double funcs = 0, states = 0;
    double schedule_seconds = 0;  // verify_seconds included
    double verify_seconds = 0;    // of trying schedules on copies of the pipeline
    double schedule_cpu_seconds = 0;
    double schedule_megabytes = 0;  // the most that was resident while scheduling
    double lowering_seconds = 0, llvm_seconds = 0;
    double megabytes = 0;  // the most that was resident at all
    bool wrong = false;
    bool fell_back = false;  // Halide refused what the search found
    bool given_up = false;   // Halide did not lower it in time
    bool stopped_by_time = false;
    std::string log;
};

class Lane {
public:
    // Returns once the contender can be run, or has failed. The caller must not have started threads.
    Lane(const WorkloadMaker &maker, const Contender &contender, const LaneLimits &limits);
    ~Lane();
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;

    const LaneReport &report() const { return report_; }
    bool can_run() const { return can_run_; }
    // Seconds of a call, the mean of as many as make a sample. Nothing once the process has ended.
    std::optional<double> sample();

private:
    void read_until(const std::string &label);
    void take_line(const std::string &line);
    void end();
    void fill_report();
    double figure(const std::string &label) const;

    struct Process;
    std::unique_ptr<Process> process_;
    bool can_run_ = false;
    std::map<std::string, std::string> figures_;
    LaneReport report_;
};

}  // namespace cryolite::robustness
