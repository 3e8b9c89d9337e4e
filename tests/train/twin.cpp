#include "tests/train/twin.h"

#include <algorithm>
#include <cmath>

#include "train/prepared.h"

namespace cryolite {
namespace {

constexpr double least_seconds = 1e-30;  // of what is computed at all: nothing divides by 0

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
    const torch::Tensor busy =
        work + rule.core_exposed_share * (arithmetic + l1 - work) + at(Resource::Control);
    const torch::Tensor core = norm(torch::stack({busy, at(Resource::Latency)}, 1), p);
    const torch::Tensor outer =
        torch::stack({core, at(Resource::L2), at(Resource::LastLevel), at(Resource::Memory)}, 1);
    const torch::Tensor slowest = norm(outer, p);
    return slowest + rule.memory_exposed_share * (outer.sum(1) - slowest) + at(Resource::Added);
}

// A column of the matrix becomes a row.
torch::Tensor tensor_of(const Eigen::MatrixXd &columns) {
    return tensor_of(std::vector<double>(columns.data(), columns.data() + columns.size()),
                     {columns.cols(), columns.rows()});
}

torch::Tensor layer_tensor(const std::vector<float> &values, std::vector<int64_t> shape) {
    return torch::tensor(values, torch::kFloat32).reshape(shape);
}

}  // namespace

GroupTensors tensors_of(const SampleGroup &group, const NetworkParameters &parameters) {
    const PreparedGroup p = prepared(group, parameters);
    std::vector<int64_t> sample;
    for (int64_t i = 0; i < p.num_samples(); i++)
        sample.insert(sample.end(),
                      static_cast<size_t>(p.first[static_cast<size_t>(i) + 1] -
                                          p.first[static_cast<size_t>(i)]),
                      i);
    GroupTensors out;
    out.algorithm = tensor_of(p.algorithm).to(torch::kFloat32);
    out.schedule = tensor_of(p.schedule).to(torch::kFloat32);
    out.raw = tensor_of(p.raw);
    out.trust = tensor_of(p.trust.transpose());
    out.sample = torch::tensor(sample, torch::kInt64);
    out.log_seconds = tensor_of(p.log_seconds.transpose()).squeeze(1);
    out.weight = tensor_of(p.weight.transpose()).squeeze(1);
    out.overlap = p.overlap;
    out.machine = p.machine;
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
