// The learned network as plain numbers: what a weights file holds (weights_file.h), what inference folds (network.h)
// and what training starts from and ends with (train/).
//
// OOPSLA 2021, section 5.2, embeds the algorithm's and the schedule's features apart, joins the two embeddings and ends
// with a positive weight for each component of the cost. Here the weight of term k is exp(n_k):
//     corrected_k = raw_k * c_k(machine) * exp(trust(row) * n_k)
//     h_k         = relu(joined(relu(algorithm(a)), relu(schedule(s))))
//     n_k         = the members' mean of  bound * tanh(last(h_k) / bound)
// An untrained network has zeros in its last layer, so n_k is 0 and the terms stay what they are, to the bit.
//
// The inputs of the algorithm's embedding are features_for(Cpu, Algorithm). Those of the schedule's embedding are
// features_for(Cpu, Schedule), then one input for each term: how much of the stage's raw seconds it is. Inputs are
// transformed as the schema says, centred and scaled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analytical/terms.h"
#include "featurize/schema.h"

namespace cryolite {

// Values of each layer.
inline constexpr size_t algorithm_width = 8, schedule_width = 24,
                        embeddings_width = algorithm_width + schedule_width, joined_width = 32;
// Of n_k: no term is corrected by more than this factor, beside the machine's own.
inline constexpr double correction_bound = 1.4;  // exp: about 4
// A term's input is log(1 + term_share_scale * share): 0 without the term, and a share of 1/1000 still shows.
inline constexpr double term_share_scale = 1000;
inline constexpr size_t most_members = 8;
// Limits of a file's numbers. With them no sum leaves the range of floats, whatever the row.
inline constexpr float largest_weight = 1e4f;
inline constexpr double largest_factor = 20;  // of a machine's c_k, and its inverse the least

// What the inputs are, in order.
struct NetworkInputs {
    std::vector<Feature> algorithm, schedule;

    size_t num_algorithm() const { return algorithm.size(); }
    size_t num_schedule() const { return schedule.size() + num_terms; }
    size_t size() const { return num_algorithm() + num_schedule(); }
    // The terms' inputs come last.
    size_t num_features() const { return algorithm.size() + schedule.size(); }
    Feature feature(size_t input) const {
        return input < algorithm.size() ? algorithm[input] : schedule[input - algorithm.size()];
    }
};
NetworkInputs network_inputs();

struct DenseLayer {
    size_t inputs = 0, outputs = 0;
    std::vector<float> weight;  // [output * inputs + input]
    std::vector<float> bias;    // [output]
};

struct NetworkMember {
    DenseLayer algorithm, schedule, joined, last;

    std::array<DenseLayer *, 4> layers() { return {&algorithm, &schedule, &joined, &last}; }
    std::array<const DenseLayer *, 4> layers() const {
        return {&algorithm, &schedule, &joined, &last};
    }
};
inline constexpr std::array<const char *, 4> layer_names = {"algorithm", "schedule", "joined",
                                                            "last"};

struct MachineFactors {
    std::string machine;                    // the name of a preset (machine/presets.h)
    std::array<double, num_terms> factors;  // c_k
};

struct NetworkParameters {
    std::vector<float> centre, scale;  // [input]; the scale of an input that never changed is 0
    // The range of each feature in training, in the units of the row; [NetworkInputs::feature]. An empty range: nothing
    // was learned, and every row is within.
    std::vector<float> low, high;
    std::vector<NetworkMember> members;    // at least 1
    std::vector<MachineFactors> machines;  // of a machine that is not here all factors are 1
};

// Random weights from the seed, but the last layers are 0. No input is scaled yet.
NetworkParameters untrained_network(uint64_t seed, size_t members);

// The hash of all numbers. Two networks with the same hash correct alike.
uint64_t hash_of(const NetworkParameters &parameters);

// Empty, or what cannot be: sizes, numbers that are not finite or too large, ranges that are upside down.
std::string problem_of(const NetworkParameters &parameters);

}  // namespace cryolite
