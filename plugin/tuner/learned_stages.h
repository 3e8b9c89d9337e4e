// The stages of a schedule as training reads them.
#pragma once

#include <vector>

#include "analytical/cost_model.h"
#include "featurize/features.h"
#include "train/samples.h"

namespace cryolite {

// Empty: a kernel is too large to have features.
inline std::vector<SampleStage> stages_to_learn(CostModel &model, Featurizer &featurizer,
                                                const LoopNest &nest) {
    std::vector<SampleStage> stages;
    const Features features = featurizer.features(nest);
    if (features.too_large()) return stages;
    for (const StageTime &t : model.explain(nest).stages) {
        SampleStage &stage = stages.emplace_back();
        stage.raw = t.raw;
        std::ranges::copy(features.row(t.stage), stage.row.begin());
    }
    return stages;
}

}  // namespace cryolite
