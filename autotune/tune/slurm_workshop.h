// The workshop on a cluster: schedules are built as the tasks of an array of Slurm's jobs, and measured alone on nodes.
// They are drawn here, where the store is.
#pragma once

#include <string>
#include <vector>

#include "autotune/tune/local_workshop.h"
#include "autotune/tune/slurm.h"

namespace cryolite {

struct ClusterRules {
    SlurmRules slurm;
    std::string worker;  // the command `cryolite`, under a path that all nodes see
    // Nodes that measure at once. Each measures a part of a group beside the anchor; all must be of one kind.
    int nodes = 1;
};

class SlurmWorkshop : public Workshop {
public:
    SlurmWorkshop(const Generator &generator, LocalRules rules, ClusterRules cluster,
                  const std::atomic<bool> &stop);

    // Before anything else. Errors: those of LocalWorkshop and of Slurm.
    Result<bool> prepare();

    Result<DrawnBatch> draw(const std::vector<Lesson> &lessons, size_t count,
                            uint64_t seed) override {
        return local_.draw(lessons, count, seed);
    }
    std::vector<Built> build(const std::vector<std::string> &traces,
                             const std::vector<std::string> &names) override;
    Result<MeasuredGroup> measure(const std::string &anchor,
                                  const std::vector<std::string> &libraries,
                                  const MeasureRules &rules) override;
    void forget(const std::string &name) override { local_.forget(name); }

private:
    const Generator &generator_;
    const LocalRules rules_;
    const ClusterRules cluster_;
    const std::atomic<bool> &stop_;
    LocalWorkshop local_;
    Slurm slurm_;
};

}  // namespace cryolite
