// The workshop on this computer: generators and the linker are programs that are started here. The runner is, too, or
// it runs on another computer.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "autotune/runner/run_request.h"
#include "autotune/runner/run_result.h"
#include "autotune/tune/workshop.h"

namespace cryolite {

struct LocalRules {
    std::string folder;          // for files in between
    std::string runner_program;  // cryolite_runner
    std::vector<std::string>
        runner;  // a command that reaches another computer (far_run.h); empty: here
    BuildRules build;
    double draw_seconds = 120;
    std::vector<std::string> draw_options = {};  // of the plugin, NAME=VALUE, while it draws
    std::vector<std::string> launch =
        {};  // words before the runner's: what it is started with here
    // What every measurement shares: inputs, scalars, shapes, seed, tolerance, limits of memory and of one run.
    RunRequest request;
};

class LocalWorkshop : public Workshop {
public:
    LocalWorkshop(const Generator &generator, LocalRules rules, const std::atomic<bool> &stop);

    // Before anything else. Errors: a folder that cannot be made, a runtime that cannot be built.
    Result<bool> prepare() { return builder_.prepare(); }

    Result<DrawnBatch> draw(const std::vector<Lesson> &lessons, size_t count,
                            uint64_t seed) override;
    std::vector<Built> build(const std::vector<std::string> &traces,
                             const std::vector<std::string> &names) override;
    Result<MeasuredGroup> measure(const std::string &anchor,
                                  const std::vector<std::string> &libraries,
                                  const MeasureRules &rules) override;
    void forget(const std::string &name) override { builder_.forget(name); }

    int threads() const { return threads_; }  // of the problem that was drawn last

private:
    Result<RunResult> run_here(const RunRequest &request, const ProgramLimits &limits) const;

    const Generator &generator_;
    const LocalRules rules_;
    const std::atomic<bool> &stop_;
    Builder builder_;
    int threads_ = 0;  // of the problem, known after a draw
};

}  // namespace cryolite
