#include "train/training.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "train/twin.h"

namespace cryolite {
namespace {

constexpr double huber_bound = 0.4;  // of r: as model/fit.cpp's
constexpr double ranking_width =
    0.15;  // of log time: schedules that differ by less are about the same
constexpr size_t groups_per_step = 8;
// A group's own factors are in one step of an epoch alone, so they take longer ones.
constexpr double own_speed = 10;
constexpr double full_group = 5;  // samples of which a group counts half of what a large one does

torch::Tensor huber(const torch::Tensor &r) {
    const torch::Tensor a = r.abs();
    return torch::where(a <= huber_bound, r * r, huber_bound * (2 * a - huber_bound));
}

torch::Tensor mean_of(const torch::Tensor &values, const torch::Tensor &weight) {
    return (values * weight).sum() / weight.sum();
}

// A pair counts by how far its times are apart, up to one power of e, and by its faster schedule.
torch::Tensor ranking_loss(const torch::Tensor &predicted, const GroupTensors &group) {
    const torch::Tensor apart = group.log_seconds.unsqueeze(1) - group.log_seconds.unsqueeze(0);
    const torch::Tensor said = predicted.unsqueeze(1) - predicted.unsqueeze(0);
    const torch::Tensor weight =
        apart.clamp(0, 1) * torch::maximum(group.weight.unsqueeze(1), group.weight.unsqueeze(0));
    return (torch::softplus(-said / ranking_width) * weight).sum() / weight.sum().clamp_min(1e-9);
}

torch::Tensor loss_of(const torch::Tensor &predicted, const GroupTensors &group,
                      const TrainingOptions &options) {
    const torch::Tensor r = predicted - group.log_seconds;
    const torch::Tensor centred = r - mean_of(r, group.weight).detach();
    torch::Tensor loss = options.absolute_part * mean_of(huber(r), group.weight);
    if (group.log_seconds.size(0) > 1)
        loss = loss + mean_of(huber(centred), group.weight) +
               options.ranking_part * ranking_loss(predicted, group);
    return loss;
}

double weight_of(const GroupTensors &group) {
    const auto n = static_cast<double>(group.log_seconds.size(0));
    return n / (n + full_group);
}

class Trainer {
public:
    Trainer(const std::vector<SampleGroup> &groups, const TrainingOptions &options,
            const NetworkParameters &parameters)
        : options_(options), num_machines_(static_cast<int64_t>(parameters.machines.size())) {
        for (const SampleGroup &group : groups) groups_.push_back(tensors_of(group, parameters));
    }

    // left_out: groups to stop by. Returns log c_k of the machines: [machines, terms].
    torch::Tensor train(size_t member, NetworkMember &network, const std::vector<bool> &left_out,
                        const std::function<void(const TrainingProgress &)> &progress) {
        TwinMember twin(network);
        torch::Tensor factors =
            torch::zeros({num_machines_, static_cast<int64_t>(num_terms)}, torch::kFloat64);
        // What is so of one group alone: [groups, terms]. It is forgotten after training.
        torch::Tensor own =
            torch::zeros({static_cast<int64_t>(groups_.size()), static_cast<int64_t>(num_terms)},
                         torch::kFloat64);
        std::vector<torch::Tensor> weights, others{factors};
        for (const torch::Tensor &t : twin.weight) weights.push_back(t);
        for (const torch::Tensor &t : twin.bias) others.push_back(t);
        for (auto *list : {&weights, &others})
            for (torch::Tensor &t : *list) t.set_requires_grad(true);
        own.set_requires_grad(true);
        using torch::optim::AdamWOptions;
        std::vector<torch::optim::OptimizerParamGroup> parts;
        if (!options_.without_network)
            parts.emplace_back(
                weights,
                std::make_unique<AdamWOptions>(
                    AdamWOptions(options_.learning_rate).weight_decay(options_.weight_decay)));
        parts.emplace_back(
            options_.without_network ? std::vector{factors} : others,
            std::make_unique<AdamWOptions>(AdamWOptions(options_.learning_rate).weight_decay(0)));
        parts.emplace_back(std::vector{own},
                           std::make_unique<AdamWOptions>(
                               AdamWOptions(own_speed * options_.learning_rate).weight_decay(0)));
        torch::optim::AdamW optimizer(parts, AdamWOptions(options_.learning_rate));

        Random random = Random(options_.seed).fork("steps", member);
        torch::Generator dropping =
            torch::make_generator<torch::CPUGeneratorImpl>(random.fork("dropped")());
        std::vector<size_t> order;
        for (size_t g = 0; g < groups_.size(); g++)
            if (!left_out[g]) order.push_back(g);

        const bool stops = std::ranges::find(left_out, true) != left_out.end();
        // What the epochs are judged by: the groups left out, or all where none is.
        const auto outcome = [&] {
            torch::NoGradGuard none;
            double sum = 0, total = 0;
            for (size_t g = 0; g < groups_.size(); g++) {
                if (stops && !left_out[g]) continue;
                const double w = weight_of(groups_[g]);
                sum += w * loss_of(predicted(twin, factors, {}, groups_[g], nullptr).first,
                                   groups_[g], options_)
                               .item<double>();
                total += w;
            }
            return total > 0 ? sum / total : 0;
        };
        NetworkMember best = network;
        torch::Tensor best_factors = factors.detach().clone();
        double least = outcome();
        int since = 0;
        for (int epoch = 1; epoch <= options_.epochs && since < options_.patience; epoch++) {
            for (size_t i = order.size(); i > 1; i--)
                std::swap(order[i - 1], order[random.below(i)]);
            double sum = 0, total = 0;
            for (size_t first = 0; first < order.size(); first += groups_per_step) {
                const size_t end = std::min(order.size(), first + groups_per_step);
                optimizer.zero_grad();
                for (size_t i = first; i < end; i++) {
                    const GroupTensors &group = groups_[order[i]];
                    const auto [said, n] = predicted(
                        twin, factors, own[static_cast<int64_t>(order[i])], group, &dropping);
                    torch::Tensor loss = loss_of(said, group, options_);
                    sum += weight_of(group) * loss.item<double>();
                    total += weight_of(group);
                    const torch::Tensor of_group = own[static_cast<int64_t>(order[i])];
                    loss = loss + options_.correction_penalty * (n * n).mean() +
                           options_.factor_penalty * (factors * factors).mean() +
                           options_.own_penalty * (of_group * of_group).mean();
                    loss = loss * (weight_of(group) / static_cast<double>(end - first));
                    loss.backward();
                }
                optimizer.step();
            }
            since++;
            const double now = outcome();
            if (now < least) {
                least = now;
                since = 0;
                twin.write_to(best);
                best_factors = factors.detach().clone();
            }
            if (progress) progress({member, epoch, sum / total, now});
        }
        network = best;
        return best_factors;
    }

private:
    // log seconds, and n_k. dropping: null where nothing is dropped.
    std::pair<torch::Tensor, torch::Tensor> predicted(const TwinMember &twin,
                                                      const torch::Tensor &factors,
                                                      const torch::Tensor &own,
                                                      const GroupTensors &group,
                                                      torch::Generator *dropping) const {
        torch::Tensor algorithm = group.algorithm, schedule = group.schedule;
        if (dropping && options_.dropped_inputs > 0) {
            // The same inputs for all stages of a group, as if the features did not exist.
            const double kept = 1 - options_.dropped_inputs;
            const auto dropped = [&](const torch::Tensor &x) {
                const torch::Tensor mask =
                    torch::empty({1, x.size(1)}).bernoulli_(kept, *dropping) / kept;
                return x * mask;
            };
            algorithm = dropped(algorithm);
            schedule = dropped(schedule);
        }
        const torch::Tensor n = twin.corrections(algorithm, schedule);
        const torch::Tensor log_factors =
            group.machine < 0 ? torch::zeros({static_cast<int64_t>(num_terms)}, torch::kFloat64)
                              : factors[group.machine];
        return {predicted_log_seconds(group, n, own.defined() ? log_factors + own : log_factors),
                n};
    }

    const TrainingOptions &options_;
    const int64_t num_machines_;
    std::vector<GroupTensors> groups_;
};

void leave_out(const TrainingOptions &options, NetworkParameters &parameters) {
    if (options.without_ranges) {
        parameters.low.clear();
        parameters.high.clear();
    }
    const NetworkInputs inputs = network_inputs();
    for (size_t i = 0; i < inputs.size(); i++) {
        const bool is_algorithm = i < inputs.num_algorithm(), is_term = i >= inputs.num_features();
        if (is_algorithm ? options.without_algorithm
            : is_term    ? options.without_terms
                         : options.without_schedule)
            parameters.scale[i] = 0;
    }
}

}  // namespace

NetworkParameters train_network(const std::vector<SampleGroup> &groups,
                                const TrainingOptions &options,
                                const std::function<void(const TrainingProgress &)> &progress) {
    torch::set_num_threads(1);  // sums in another order would give other weights
    NetworkParameters parameters = untrained_network(options.seed, options.members);
    scale_inputs(groups, parameters);
    leave_out(options, parameters);
    for (const SampleGroup &group : groups)
        if (std::ranges::find(parameters.machines, group.machine, &MachineFactors::machine) ==
            parameters.machines.end()) {
            parameters.machines.push_back({group.machine, {}});
            parameters.machines.back().factors.fill(1);
        }
    Trainer trainer(groups, options, parameters);
    torch::Tensor factors = torch::zeros(
        {static_cast<int64_t>(parameters.machines.size()), static_cast<int64_t>(num_terms)},
        torch::kFloat64);
    for (size_t m = 0; m < options.members; m++) {
        const Random random = Random(options.seed).fork("left out", m);
        std::vector<bool> left_out;
        for (const SampleGroup &group : groups)
            left_out.push_back(random.fork(group.pipeline).unit() < options.left_out_share);
        if (std::ranges::find(left_out, false) == left_out.end())
            left_out.assign(groups.size(), false);
        factors += trainer.train(m, parameters.members[m], left_out, progress);
    }
    factors /= static_cast<double>(options.members);
    const double most = std::log(largest_factor);
    for (size_t m = 0; m < parameters.machines.size(); m++)
        for (size_t k = 0; k < num_terms; k++)
            parameters.machines[m].factors[k] = std::exp(
                std::clamp(factors[static_cast<int64_t>(m)][static_cast<int64_t>(k)].item<double>(),
                           -most, most));
    return parameters;
}

std::vector<double> predicted_by_twin(const SampleGroup &group,
                                      const NetworkParameters &parameters) {
    torch::NoGradGuard none;
    const GroupTensors tensors = tensors_of(group, parameters);
    torch::Tensor n;
    for (const NetworkMember &member : parameters.members) {
        const torch::Tensor one =
            TwinMember(member).corrections(tensors.algorithm, tensors.schedule);
        n = n.defined() ? n + one : one;
    }
    n = n / static_cast<double>(parameters.members.size());
    torch::Tensor factors = torch::zeros({static_cast<int64_t>(num_terms)}, torch::kFloat64);
    if (tensors.machine >= 0)
        for (size_t k = 0; k < num_terms; k++)
            factors[static_cast<int64_t>(k)] =
                std::log(parameters.machines[static_cast<size_t>(tensors.machine)].factors[k]);
    const torch::Tensor seconds = predicted_log_seconds(tensors, n, factors).exp();
    return {seconds.data_ptr<double>(), seconds.data_ptr<double>() + seconds.numel()};
}

}  // namespace cryolite
