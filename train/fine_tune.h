// A network that is trained already, made to fit what a tuner has measured of one pipeline on one machine: in seconds,
// and never for the worse.
//
// Three candidates are tried, each on top of the one before: the network as it is; with factors of the terms for this
// machine (model/fit.h); trained further, held near what it was. A quarter of the schedules is not learned from. A
// candidate is taken if it ranks that quarter at least as well as the one that stands.
#pragma once

#include <cstdint>

#include "model/network_parameters.h"
#include "train/samples.h"

namespace cryolite {

struct FineTuned {
    enum class Kept : uint8_t { AsItWas, Factors, TrainedFurther };

    NetworkParameters parameters;
    Kept kept = Kept::AsItWas;
    // Spearman's, of predicted and measured seconds of the quarter, before and after; 0: too few to tell.
    double rank_before = 0, rank_after = 0;
};

// Fewer schedules say too little: the network stays as it is.
inline constexpr size_t fewest_to_fine_tune = 24;

// The same for the same arguments.
FineTuned fine_tuned(const NetworkParameters &prior, const SampleGroup &group, uint64_t seed);

}  // namespace cryolite
