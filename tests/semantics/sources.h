// Where the schedules under test come from, by name.
#pragma once

#include <string>
#include <vector>

#include "tests/semantics/checker.h"

namespace cryolite {

std::vector<std::string> scheduler_names();
// Its schedules have kernels: they run on opencl_target() only.
bool is_for_gpu(const std::string &name);
// Empty if there is none of that name. `keep` drops actions of the trace (keep_actions() in
// random_trace.h); an empty one keeps all.
Scheduler find_scheduler(const std::string &name, std::vector<bool> keep = {});

// What the user of a source has scheduled by hand; empty if nothing (CheckOptions::by_hand).
Scheduler find_hand_scheduler(const std::string &name);

// The number of actions that a case's log says its trace had; 0 if it says nothing.
size_t actions_in_log(const std::string &log);

}  // namespace cryolite
