// Commands run as an array of Slurm's jobs. Slurm's programs (sbatch, squeue, scancel) must be on PATH, and the folder
// must be one that all nodes see under the same path.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"

namespace cryolite {

struct SlurmRules {
    std::string folder;                // for the files of arrays
    std::string job_name;              // of all jobs: nobody else's may have it
    std::vector<std::string> options;  // of sbatch, for all arrays
    // Beyond the first time, for tasks that ended without a trace: their node was lost, or somebody cancelled them.
    int retries = 3;
    const std::atomic<bool> *stop = nullptr;
};

class Slurm {
public:
    explicit Slurm(SlurmRules rules) : rules_(std::move(rules)) {}

    // Ends the jobs that a tuner left that was killed. Errors: Slurm's programs are missing, or no controller answers.
    Result<bool> prepare() const;

    // Runs each command as a task and waits for all. [i]: empty, or why command i did not succeed: that it was lost too
    // often, or its exit status with its last words. options: of sbatch, besides. seconds: that a task may take, by the
    // clock. Errors: the array cannot be submitted, or it was stopped; no job is left then.
    Result<std::vector<std::string>> run(const std::vector<std::vector<std::string>> &commands,
                                         std::vector<std::string> options, double seconds);

private:
    std::string array_folder();
    Result<bool> submit(const std::string &folder, const std::vector<size_t> &tasks,
                        const std::vector<std::string> &options) const;
    Result<bool> wait(const std::string &folder, size_t count) const;
    void cancel() const;

    const SlurmRules rules_;
    int arrays_ = 0;
};

}  // namespace cryolite
