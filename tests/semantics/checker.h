// "This schedule computes what the unscheduled pipeline computes", at the estimates and at other
// sizes, without touching memory that the unscheduled pipeline is not entitled to.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "tests/semantics/random_pipeline.h"

namespace cryolite {

// What a scheduler did to a pipeline. A refusal to schedule is a failure, too: every pipeline of
// the generator has a legal schedule.
struct SchedulingOutcome {
    bool ok = true;
    std::string error;
};

// Schedules the Funcs of the pipeline in place. Writes what helps to understand a failure (trace,
// loop nest) to the log, at once, so that it is there when something crashes later.
using Scheduler =
    std::function<SchedulingOutcome(const RandomPipeline &, uint64_t seed, std::ostream &log)>;

struct CheckOptions {
    SizeProfile profile;
    int sizes = 4;  // estimates, all ones, primes, then random ones
    // What the schedule under test runs on; the reference runs on the host.
    Halide::Target target = Halide::get_host_target();
    // The part of the schedule that is not under test: a failure that it shows alone is its own, and what
    // it needs of an input is allowed.
    Scheduler by_hand = nullptr;
};

enum class Verdict {
    Agrees,
    Differs,          // the scheduled pipeline is wrong, fails or cannot be compiled
    ReferenceFailed,  // the generator made a pipeline that Halide refuses
};

// Exceptions of Halide become verdicts; a crash is for the caller to isolate (case_runner.h).
Verdict check(uint64_t seed, const Scheduler &scheduler, std::ostream &log,
              const CheckOptions &options = {});

// Everything at root, serial, in the default order.
SchedulingOutcome schedule_all_root(const RandomPipeline &pipeline, uint64_t seed,
                                    std::ostream &log);
// Halide's default: all inlined that can be.
SchedulingOutcome schedule_default(const RandomPipeline &pipeline, uint64_t seed,
                                   std::ostream &log);

}  // namespace cryolite
