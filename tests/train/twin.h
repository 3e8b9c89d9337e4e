// The network and the overlap in LibTorch, which derives by itself: an independent answer for what train/gradient.h
// computes.
#pragma once

#include <torch/torch.h>

#include "model/network_parameters.h"
#include "train/samples.h"

namespace cryolite {

// A group as tensors: S stages of N samples.
struct GroupTensors {
    torch::Tensor algorithm, schedule;  // [S, inputs], scaled
    torch::Tensor raw;                  // [S, terms], seconds, double
    torch::Tensor trust;                // [S, 1], double
    torch::Tensor sample;               // [S]: the sample of each stage
    torch::Tensor log_seconds;          // [N], measured, double
    torch::Tensor weight;               // [N], double, at most 1
    OverlapRule overlap;
    int64_t machine = -1;  // in NetworkParameters::machines; -1: it is not there
};
GroupTensors tensors_of(const SampleGroup &group, const NetworkParameters &parameters);

// The tensors of one member, in the order of layer_names.
struct TwinMember {
    std::vector<torch::Tensor> weight, bias;

    explicit TwinMember(const NetworkMember &member);
    // n_k before the trust: [S, terms].
    torch::Tensor corrections(const torch::Tensor &algorithm, const torch::Tensor &schedule) const;
};

// log of the predicted seconds: [N]. corrections: [S, terms]; log_factors: [terms], of the machine.
torch::Tensor predicted_log_seconds(const GroupTensors &group, const torch::Tensor &corrections,
                                    const torch::Tensor &log_factors);

// The same by the mean of the members' corrections, with the factors of the group's machine.
torch::Tensor predicted_by_twin(const SampleGroup &group, const NetworkParameters &parameters,
                                const std::vector<TwinMember> &members);

}  // namespace cryolite
