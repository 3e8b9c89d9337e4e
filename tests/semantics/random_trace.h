// Random complete schedules, drawn through the public door of schedule/ only: whatever apply()
// accepts must be right.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "code/legality/gpu_kernels.h"
#include "schedule/loop_nest.h"

namespace cryolite {

struct RandomTraceLimits {
    // Of the whole schedule at the estimates, recomputation included: keeps a run in milliseconds.
    double most_points = 2e7;
    // Copies of one Func's expression after inlining: keeps compile times in seconds.
    double most_inlined_copies = 40;
    // Half of the Funcs at root are kernels, within these limits.
    std::optional<LaunchLimits> gpu = std::nullopt;
    // A quarter of the vectors are tried as woven ones, none where kernels are drawn.
    bool woven = true;
};

struct RandomTrace {
    Trace trace;
    LoopNest nest;
};

// Decides Func after Func in id order; draws again where apply() refuses.
RandomTrace draw_random_trace(const StageGraph &graph, Random random,
                              const RandomTraceLimits &limits = {});

// The part of a trace that is left when some actions are dropped: a placement that is dropped becomes
// ComputeRoot, and what apply() then refuses goes, too. For finding the action that breaks a case.
RandomTrace keep_actions(const StageGraph &graph, const Trace &trace,
                         const std::vector<bool> &keep);

}  // namespace cryolite
