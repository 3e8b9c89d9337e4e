// A pipeline that the report measures, with the data to run it at its estimates: one of the corpus, or an
// app with a schedule by hand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <Halide.h>

#include "tests/robustness/contender.h"
#include "tests/semantics/checker.h"

namespace cryolite::robustness {

class Workload {
public:
    virtual ~Workload() = default;
    // The same at each call. Scheduled by whoever schedules it; by hand where that is the contender.
    virtual Halide::Pipeline pipeline() = 0;
    // Once scheduled: does it compute what a plain schedule does?
    virtual Verdict check(const Halide::Target &target, std::ostream &log) = 0;
    // Inputs of the estimated sizes, and buffers for the outputs. Nothing where these are too large to run.
    virtual std::optional<Halide::Realization> prepare_run(const Halide::Target &target) = 0;
};

struct WorkloadMaker {
    std::string theme, name;
    bool has_hand_schedule = false;
    std::function<std::unique_ptr<Workload>(const Contender &, const Halide::Target &)> make;
    // The user has scheduled a part: what Adams2019 throws away and Mullapudi2016 ends at, so that neither
    // is a contender.
    bool has_user_schedule = false;
    // Of the half of the kinds that is only measured at the end.
    bool is_set_aside = false;
};

// The corpus, its large graphs, the kinds, and the apps of the group "corpus".
std::vector<WorkloadMaker> all_workloads();
std::vector<WorkloadMaker> app_workloads();

}  // namespace cryolite::robustness
