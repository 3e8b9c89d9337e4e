// Measured schedules that nobody measured, for tests.
#pragma once

#include <cmath>

#include "tests/model/made_network.h"
#include "train/samples.h"

namespace cryolite {

// Random stages. Their measured times are what the terms say with `truth`.
inline SampleGroup made_group(const std::string &pipeline, size_t samples,
                              const Correction &truth) {
    SampleGroup group{pipeline, "made", "x86-avx512", {0.3, 0.5, 8}, {}};
    Random random = Random(1).fork(pipeline);
    for (size_t i = 0; i < samples; i++) {
        TrainingSample &sample = group.samples.emplace_back();
        for (uint64_t s = 1 + random.below(3); s > 0; s--)
            sample.stages.push_back({made_terms(random), made_row(random)});
        for (const SampleStage &stage : sample.stages) {
            Terms terms = stage.raw;
            truth.correct(stage.row, terms);
            sample.seconds += overlapped(terms, TermTarget::Cpu, group.overlap);
        }
        sample.seconds = std::max(sample.seconds, 1e-9);
        sample.spread = 0.02;
        sample.hash = pipeline + std::to_string(i);
    }
    return group;
}

}  // namespace cryolite
