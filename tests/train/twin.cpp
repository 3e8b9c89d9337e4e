#include "tests/train/twin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/network.h"

namespace cryolite {
namespace {

constexpr double least_seconds = 1e-30;  // of what is computed at all: nothing divides by 0

// The inputs of a stage, transformed and not yet scaled: model/network_parameters.h.
std::vector<double> inputs_of(const SampleStage &stage, const NetworkInputs &inputs) {
    std::vector<double> out;
    for (size_t i = 0; i < inputs.num_features(); i++) {
        const Feature f = inputs.feature(i);
        out.push_back(transformed(info(f).transform, stage.row[index(f)]));
    }
    double sum = 0;
    for (size_t k = 0; k < num_terms; k++)
        if (k != index(Term::PageFaults)) sum += stage.raw[k];
    for (size_t k = 0; k < num_terms; k++)
        out.push_back(k == index(Term::PageFaults) || sum <= 0
                          ? 0
                          : std::log1p(term_share_scale * (stage.raw[k] / sum)));
    return out;
}

torch::Tensor tensor_of(const std::vector<double> &values, std::vector<int64_t> shape) {
    return torch::tensor(values, torch::kFloat64).reshape(shape);
}

torch::Tensor norm(const torch::Tensor &values, double p) {
    const torch::Tensor most = std::get<0>(values.max(1, true)).clamp_min(least_seconds);
    // The sum is at least 1 but where all values are 0, and there a root has no derivative.
    return (most * (values / most).pow(p).sum(1, true).clamp_min(1).pow(1 / p)).squeeze(1);
}

// overlap.h, for a CPU. corrected: [S, terms].
torch::Tensor overlapped(const torch::Tensor &corrected, const OverlapRule &rule) {
    std::vector<double> of(num_terms * num_resources);
    for (size_t k = 0; k < num_terms; k++)
        if (const auto r = resource_of(static_cast<Term>(k), TermTarget::Cpu))
            of[k * num_resources + static_cast<size_t>(*r)] = 1;
    const torch::Tensor seconds = corrected.matmul(
        tensor_of(of, {static_cast<int64_t>(num_terms), static_cast<int64_t>(num_resources)}));
    const auto at = [&](Resource r) { return seconds.select(1, static_cast<int64_t>(r)); };
    const double p = rule.sharpness;
    const torch::Tensor arithmetic = at(Resource::Arithmetic), l1 = at(Resource::L1);
    const torch::Tensor work = norm(torch::stack({arithmetic, l1}, 1), p);
    const torch::Tensor in_core = norm(torch::stack({arithmetic, l1, at(Resource::Latency)}, 1), p);
    const torch::Tensor core =
        in_core + rule.core_exposed_share * (arithmetic + l1 - work) + at(Resource::Control);
    const torch::Tensor outer =
        torch::stack({core, at(Resource::L2), at(Resource::LastLevel), at(Resource::Memory)}, 1);
    const torch::Tensor slowest = norm(outer, p);
    return slowest + rule.memory_exposed_share * (outer.sum(1) - slowest) + at(Resource::Added);
}

torch::Tensor layer_tensor(const std::vector<float> &values, std::vector<int64_t> shape) {
    return torch::tensor(values, torch::kFloat32).reshape(shape);
}

}  // namespace

GroupTensors tensors_of(const SampleGroup &group, const NetworkParameters &parameters) {
    const NetworkInputs inputs = network_inputs();
    const auto num_algorithm = static_cast<int64_t>(inputs.num_algorithm()),
               num_inputs = static_cast<int64_t>(inputs.size());
    const Network network(parameters, group.machine);
    std::vector<double> scaled, raw, trust, log_seconds, weight;
    std::vector<int64_t> sample;
    double fastest = std::numeric_limits<double>::infinity();
    for (const TrainingSample &s : group.samples) fastest = std::min(fastest, s.seconds);
    for (const TrainingSample &s : group.samples) {
        for (const SampleStage &stage : s.stages) {
            const std::vector<double> values = inputs_of(stage, inputs);
            for (size_t i = 0; i < values.size(); i++)
                scaled.push_back((values[i] - static_cast<double>(parameters.centre[i])) *
                                 static_cast<double>(parameters.scale[i]));
            raw.insert(raw.end(), stage.raw.begin(), stage.raw.end());
            trust.push_back(network.trust(stage.row));
            sample.push_back(static_cast<int64_t>(log_seconds.size()));
        }
        log_seconds.push_back(std::log(s.seconds));
        // A spread of a tenth halves the weight. The square root keeps slow schedules in view.
        weight.push_back(std::sqrt(fastest / s.seconds) / (1 + std::pow(s.spread / 0.1, 2)));
    }
    GroupTensors out;
    const auto stages = static_cast<int64_t>(sample.size());
    const torch::Tensor all = tensor_of(scaled, {stages, num_inputs}).to(torch::kFloat32);
    out.algorithm = all.slice(1, 0, num_algorithm).contiguous();
    out.schedule = all.slice(1, num_algorithm).contiguous();
    out.raw = tensor_of(raw, {stages, static_cast<int64_t>(num_terms)});
    out.trust = tensor_of(trust, {stages, 1});
    out.sample = torch::tensor(sample, torch::kInt64);
    out.log_seconds = torch::tensor(log_seconds, torch::kFloat64);
    out.weight = torch::tensor(weight, torch::kFloat64);
    out.overlap = group.overlap;
    for (size_t m = 0; m < parameters.machines.size(); m++)
        if (parameters.machines[m].machine == group.machine) out.machine = static_cast<int64_t>(m);
    return out;
}

TwinMember::TwinMember(const NetworkMember &member) {
    for (const DenseLayer *layer : member.layers()) {
        weight.push_back(layer_tensor(layer->weight, {static_cast<int64_t>(layer->outputs),
                                                      static_cast<int64_t>(layer->inputs)}));
        bias.push_back(layer_tensor(layer->bias, {static_cast<int64_t>(layer->outputs)}));
    }
}

torch::Tensor TwinMember::corrections(const torch::Tensor &algorithm,
                                      const torch::Tensor &schedule) const {
    const auto layer = [&](size_t l, const torch::Tensor &x) {
        return torch::addmm(bias[l], x, weight[l].t());
    };
    const torch::Tensor embeddings =
        torch::cat({layer(0, algorithm), layer(1, schedule)}, 1).relu();
    const torch::Tensor hidden = layer(2, embeddings).relu();
    return correction_bound * (layer(3, hidden) / correction_bound).tanh();
}

torch::Tensor predicted_log_seconds(const GroupTensors &group, const torch::Tensor &corrections,
                                    const torch::Tensor &log_factors) {
    const torch::Tensor corrected =
        group.raw * (log_factors + group.trust * corrections.to(torch::kFloat64)).exp();
    const torch::Tensor stages = overlapped(corrected, group.overlap);
    return torch::zeros({group.log_seconds.size(0)}, torch::kFloat64)
        .index_add(0, group.sample, stages)
        .clamp_min(least_seconds)
        .log();
}

torch::Tensor predicted_by_twin(const SampleGroup &group, const NetworkParameters &parameters,
                                const std::vector<TwinMember> &members) {
    const GroupTensors tensors = tensors_of(group, parameters);
    torch::Tensor n;
    for (const TwinMember &member : members) {
        const torch::Tensor one = member.corrections(tensors.algorithm, tensors.schedule);
        n = n.defined() ? n + one : one;
    }
    n = n / static_cast<double>(members.size());
    torch::Tensor factors = torch::zeros({static_cast<int64_t>(num_terms)}, torch::kFloat64);
    if (tensors.machine >= 0)
        for (size_t k = 0; k < num_terms; k++)
            factors[static_cast<int64_t>(k)] =
                std::log(parameters.machines[static_cast<size_t>(tensors.machine)].factors[k]);
    return predicted_log_seconds(tensors, n, factors);
}

}  // namespace cryolite
