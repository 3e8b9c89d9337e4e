// The parts of an explanation that a CPU and a GPU share, for explanation.cpp and gpu_explanation.cpp.
#pragma once

#include <functional>
#include <span>

#include "analytical/explain/explanation.h"
#include "analytical/roofline.h"
#include "analytical/stage_time.h"
#include "machine/machine_fields.h"

namespace cryolite {

// An explanation with the loops, the trace, the names and all features, but without machine and times.
Explanation explained_schedule(const LoopNest &nest, const ExplainedRun &run);

std::vector<ExplainedConstant> explained_constants(const std::vector<FieldValue> &values);
NamedNumbers explained_features(std::span<const double> row);

void explain_roofline(Explanation &out, const Roofline &least);

// `productions` and `speedup` are those of StageTerms.
ExplainedStage explained_stage(const StageGraph &graph, const StageTime &time,
                               std::span<const double> row);

// Fills in the terms that the target has, with their constants, summed over the stages, and the dominating term.
void explain_terms(Explanation &out, std::span<const StageTime> stages, TermTarget target,
                   const std::function<std::vector<std::string>(Term)> &constants_of);

}  // namespace cryolite
