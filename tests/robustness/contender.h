// Who schedules a pipeline in the report: Cryolite, a person, or a peer that comes with Halide.
#pragma once

#include <string>
#include <vector>

#include <Halide.h>

#include "tests/robustness/trial.h"

namespace cryolite::robustness {

struct Contender {
    enum class Kind { Ours, Hand, Peer };
    Kind kind = Kind::Ours;
    std::string name;
    std::string plugin;  // of a peer: the library to load
    Options options;
};

// Cryolite with these options.
Contender ourselves(const Options &options);
// The schedule that comes with the app or the kind.
Contender by_hand();
// The same after Cryolite has imported it: the schedule that is measured is what was imported, and the log has its
// predicted time and what has no place in our space.
Contender imported();
// Those of Mullapudi2016 and Adams2019 that this Halide comes with, told of this machine.
std::vector<Contender> peers();

// Loads the plugin where there is one. Throws Halide::Error.
Halide::AutoSchedulerResults schedule_by(const Contender &contender,
                                         const Halide::Pipeline &pipeline,
                                         const Halide::Target &target);

}  // namespace cryolite::robustness
