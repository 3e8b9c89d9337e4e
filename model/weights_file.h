// Weights files: a network with what is known of its making, as safetensors.
//
// Tensors, M members, F features, I inputs (network_parameters.h):
//     inputs.centre, inputs.scale            [I]
//     features.low, features.high            [F]
//     N.LAYER.weight, N.LAYER.bias           [outputs, inputs], [outputs]; N from 0 to M - 1, LAYER of layer_names
//     machines.log_factors                   [machines, terms]: the logarithms of c_k
// The metadata hold two texts: `cryolite_weights`, the manifest as JSON, and `cryolite_hash`, the hash of manifest and
// tensors. It finds damage; it is no signature.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/network_parameters.h"

namespace cryolite {

inline constexpr int weights_version = 1;

struct WeightsManifest {
    std::string data;  // hash of the samples, as hexadecimal digits
    uint64_t seed = 0;
    int64_t samples = 0, pipelines = 0;
    std::vector<std::string> held_out;      // pipelines that were not learned from
    std::map<std::string, double> metrics;  // on samples that were not learned from
    std::string date;                       // as whoever trained it gave it

    bool operator==(const WeightsManifest &) const = default;
};

struct Weights {
    NetworkParameters parameters;
    WeightsManifest manifest;
};

// problem_of(weights.parameters) must be empty.
std::string weights_bytes(const Weights &weights);

// Whether the bytes begin like a weights file rather than like a text.
bool looks_like_weights(std::string_view bytes);

// `path` is only for messages. Errors: no such file, another version, other features or terms than this Cryolite's,
// damage of any kind, numbers that cannot be. They name the file and what to do.
Result<Weights> parse_weights(std::string_view bytes, const std::string &path);

}  // namespace cryolite
