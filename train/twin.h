// The network and the overlap as LibTorch computes them, so that a loss can be differentiated by the weights. The same
// functions as model/network.h and analytical/overlap.h; tests/train holds both to 1e-5.
//
// One of the two files of the tree that see LibTorch's headers, which take long to compile. The other is training.cpp.
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

// The tensors of one member, in the order of layer_names: weight, bias, weight, bias...
struct TwinMember {
    std::vector<torch::Tensor> weight, bias;

    explicit TwinMember(const NetworkMember &member);
    void write_to(NetworkMember &member) const;
    // n_k before the trust: [S, terms].
    torch::Tensor corrections(const torch::Tensor &algorithm, const torch::Tensor &schedule) const;
};

// log of the predicted seconds: [N]. corrections: [S, terms]; log_factors: [terms], of the machine.
torch::Tensor predicted_log_seconds(const GroupTensors &group, const torch::Tensor &corrections,
                                    const torch::Tensor &log_factors);

// Centre, scale and ranges of the inputs over all stages. Scales are 0 for what is left out.
void scale_inputs(const std::vector<SampleGroup> &groups, NetworkParameters &parameters);

}  // namespace cryolite
