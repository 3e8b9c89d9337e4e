// Networks that were trained on nothing, for tests.
#pragma once

#include <cmath>
#include <string>

#include "base/random.h"
#include "model/weights_file.h"

namespace cryolite {

// Random everywhere, with all inputs scaled; ranges from 0 to `high`, or none for a negative one.
inline NetworkParameters made_network(uint64_t seed, size_t members, float high = -1) {
    NetworkParameters p = untrained_network(seed, members);
    Random random = Random(seed).fork("made");
    const auto value = [&](double most) {
        return static_cast<float>(most * (2 * random.unit() - 1));
    };
    for (float &c : p.centre) c = value(2) + 2;
    for (float &s : p.scale) s = value(0.1) + 0.15f;
    for (NetworkMember &m : p.members)
        for (DenseLayer *layer : m.layers()) {
            for (float &b : layer->bias) b = value(0.2);
            if (layer == &m.last)
                for (float &w : layer->weight) w = value(0.3);
        }
    if (high >= 0) {
        p.low.assign(network_inputs().num_features(), 0);
        p.high.assign(network_inputs().num_features(), high);
    }
    MachineFactors factors{"x86-avx512", {}};
    for (double &f : factors.factors) f = 0.5 + random.unit();
    p.machines.push_back(factors);
    return p;
}

// Sparse, as rows are, and over many decades.
inline FeatureRow made_row(Random &random) {
    FeatureRow row{};
    for (size_t f = 0; f < row.size(); f++)
        if (random.chance(0.4))
            row[f] = feature_table()[f].transform == FeatureTransform::None
                         ? random.unit()
                         : std::pow(10, 8 * random.unit() - 2);
    return row;
}

inline Terms made_terms(Random &random) {
    Terms terms{};
    for (double &t : terms)
        if (random.chance(0.6)) t = std::pow(10, -3 - 6 * random.unit());
    return terms;
}

inline Weights made_weights() {
    Weights w{made_network(3, 2, 1e6f), {}};
    // As a file gives them back.
    for (double &f : w.parameters.machines[0].factors)
        f = std::exp(static_cast<double>(static_cast<float>(std::log(f))));
    w.manifest = {"0123456789abcdef", 7,           100, 5, {"blur", "archive \"x\""},
                  {{"regret", 1.25}}, "2026-11-25"};
    return w;
}

}  // namespace cryolite
