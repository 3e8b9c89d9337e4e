#include "train/training.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "train/adam.h"
#include "train/gradient.h"
#include "train/loss.h"

namespace cryolite {
namespace {

using Eigen::Index;

// A group's own factors are in one step of an epoch alone, so they take longer ones.
constexpr double own_speed = 10;
constexpr double full_group = 5;  // samples of which a group counts half of what a large one does

constexpr auto terms = static_cast<Index>(num_terms);

double weight_of(const PreparedGroup &group) {
    const auto n = static_cast<double>(group.num_samples());
    return n / (n + full_group);
}

// The derivatives of share * mean(values^2) by the values.
Eigen::MatrixXd mean_square_slope(const Eigen::MatrixXd &values, double share) {
    return values * (2 * share / static_cast<double>(std::max<Index>(1, values.size())));
}

Eigen::VectorXd dropped(Index inputs, double share, Random &random) {
    Eigen::VectorXd mask(inputs);
    for (double &m : mask) m = random.chance(share) ? 0 : 1 / (1 - share);
    return mask;
}

// What a member learns: its weights, and the logarithms of the factors.
struct Learned {
    MemberWeights weights;
    Eigen::MatrixXd factors;  // [term, machine]: log c_k
    Eigen::MatrixXd own;      // [term, group]; forgotten after training
};

class Trainer {
public:
    Trainer(const std::vector<SampleGroup> &groups, const TrainingOptions &options,
            const NetworkParameters &parameters, bool with_own)
        : options_(options), with_own_(with_own) {
        for (const SampleGroup &group : groups) groups_.push_back(prepared(group, parameters));
    }

    // From `start`, which it is held near. left_out: groups to stop by. Returns the best epoch's.
    Learned train(size_t member, const Learned &start, const std::vector<bool> &left_out,
                  const std::function<void(const TrainingProgress &)> &progress) {
        Learned now = start, best = start;
        begin_at(start);
        Random random = Random(options_.seed).fork("steps", member);
        Random dropping = random.fork("dropped");
        std::vector<size_t> order;
        for (size_t g = 0; g < groups_.size(); g++)
            if (!left_out[g]) order.push_back(g);
        double least = outcome(now, left_out);
        int since = 0;
        for (int epoch = 1; epoch <= options_.epochs && since < options_.patience; epoch++) {
            for (size_t i = order.size(); i > 1; i--)
                std::swap(order[i - 1], order[random.below(i)]);
            const double loss = one_epoch(now, start, order, dropping);
            const double judged = outcome(now, left_out);
            since++;
            if (judged < least) {
                least = judged;
                since = 0;
                best = now;
            }
            if (progress) progress({member, epoch, loss, judged});
        }
        return best;
    }

private:
    void begin_at(const Learned &start) {
        const double rate = options_.learning_rate;
        const auto size = [](const auto &values) { return values.size(); };
        for (size_t l = 0; l < layer_names.size(); l++) {
            weight_steps_[l] = Adam(size(start.weights.weight[l]), rate, options_.weight_decay);
            bias_steps_[l] = Adam(size(start.weights.bias[l]), rate, 0);
        }
        factor_steps_ = Adam(size(start.factors), rate, 0);
        own_steps_ = Adam(size(start.own), own_speed * rate, 0);
    }

    Eigen::VectorXd log_factors(const Learned &now, size_t g, bool training) const {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(terms);
        if (groups_[g].machine >= 0) sum += now.factors.col(groups_[g].machine);
        if (training && with_own_) sum += now.own.col(static_cast<Index>(g));
        return sum;
    }

    Loss judged(const PreparedGroup &group, const Eigen::VectorXd &log_seconds) const {
        return loss_of(log_seconds, group, {options_.absolute_part, options_.ranking_part});
    }

    // What the epochs are judged by: the groups left out, or all where none is.
    double outcome(const Learned &now, const std::vector<bool> &left_out) const {
        const bool stops = std::ranges::find(left_out, true) != left_out.end();
        double sum = 0, total = 0;
        for (size_t g = 0; g < groups_.size(); g++) {
            if (stops && !left_out[g]) continue;
            const PreparedGroup &group = groups_[g];
            const auto stages = corrected_stages(now.weights, group, InputMask::all(group));
            const auto times = predicted_times(group, stages.n, log_factors(now, g, false));
            sum += weight_of(group) * judged(group, times.log_seconds).value;
            total += weight_of(group);
        }
        return total > 0 ? sum / total : 0;
    }

    // Returns the mean loss of the groups, without penalties.
    double one_epoch(Learned &now, const Learned &start, const std::vector<size_t> &order,
                     Random &dropping) {
        double sum = 0, total = 0;
        Learned slope = now;
        for (size_t first = 0; first < order.size(); first += options_.groups_per_step) {
            const size_t end = std::min(order.size(), first + options_.groups_per_step);
            slope.weights.set_zero();
            slope.factors.setZero();
            slope.own.setZero();
            for (size_t i = first; i < end; i++) {
                const double weight = weight_of(groups_[order[i]]);
                sum +=
                    weight * add_group(now, start, order[i],
                                       weight / static_cast<double>(end - first), dropping, slope);
                total += weight;
            }
            step(now, start, slope);
        }
        return total > 0 ? sum / total : 0;
    }

    // Adds `share` of the slope of a group's loss and of the penalties. Returns the loss.
    double add_group(const Learned &now, const Learned &start, size_t g, double share,
                     Random &dropping, Learned &slope) const {
        const PreparedGroup &group = groups_[g];
        const InputMask mask{dropped(group.algorithm.rows(), options_.dropped_inputs, dropping),
                             dropped(group.schedule.rows(), options_.dropped_inputs, dropping)};
        const CorrectedStages stages = corrected_stages(now.weights, group, mask);
        const PredictedTimes times = predicted_times(group, stages.n, log_factors(now, g, true));
        const Loss loss = judged(group, times.log_seconds);
        Eigen::MatrixXd by_terms = times.shares;  // by the logarithms of the corrected terms
        for (Index i = 0; i < group.num_samples(); i++) {
            const Index begin = group.first[static_cast<size_t>(i)];
            by_terms.middleCols(begin, group.first[static_cast<size_t>(i) + 1] - begin) *=
                share * loss.by_log_seconds[i];
        }
        const Eigen::VectorXd by_factors = by_terms.rowwise().sum();
        if (group.machine >= 0) slope.factors.col(group.machine) += by_factors;
        slope.factors +=
            mean_square_slope(now.factors - start.factors, share * options_.factor_penalty);
        if (with_own_) {
            const auto column = static_cast<Index>(g);
            slope.own.col(column) += by_factors;
            slope.own.col(column) +=
                mean_square_slope(now.own.col(column), share * options_.own_penalty);
        }
        if (!options_.without_network) {
            Eigen::MatrixXd n = stages.n;
            if (is_further_) n -= corrected_stages(start.weights, group, mask).n;
            add_gradient(now.weights, group, mask, stages,
                         by_terms * group.trust.asDiagonal() +
                             mean_square_slope(n, share * options_.correction_penalty),
                         slope.weights);
        }
        return loss.value;
    }

    void step(Learned &now, const Learned &start, const Learned &slope) {
        if (!options_.without_network)
            for (size_t l = 0; l < layer_names.size(); l++) {
                // A fresh network decays towards 0, one that is trained further towards what it was.
                if (is_further_)
                    weight_steps_[l].step(slope.weights.weight[l], start.weights.weight[l],
                                          now.weights.weight[l]);
                else
                    weight_steps_[l].step(slope.weights.weight[l], now.weights.weight[l]);
                bias_steps_[l].step(slope.weights.bias[l], now.weights.bias[l]);
            }
        factor_steps_.step(slope.factors, now.factors);
        if (with_own_) own_steps_.step(slope.own, now.own);
    }

    const TrainingOptions &options_;
    const bool with_own_;
    const bool is_further_ = !with_own_;
    std::vector<PreparedGroup> groups_;
    std::array<Adam, layer_names.size()> weight_steps_, bias_steps_;
    Adam factor_steps_, own_steps_;
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

void add_machines(const std::vector<SampleGroup> &groups, NetworkParameters &parameters) {
    for (const SampleGroup &group : groups)
        if (std::ranges::find(parameters.machines, group.machine, &MachineFactors::machine) ==
            parameters.machines.end()) {
            parameters.machines.push_back({group.machine, {}});
            parameters.machines.back().factors.fill(1);
        }
}

Eigen::MatrixXd log_factors_of(const NetworkParameters &parameters) {
    Eigen::MatrixXd out(terms, static_cast<Index>(parameters.machines.size()));
    for (Index m = 0; m < out.cols(); m++)
        for (Index k = 0; k < terms; k++)
            out(k, m) = std::log(
                parameters.machines[static_cast<size_t>(m)].factors[static_cast<size_t>(k)]);
    return out;
}

// Trains each member in place; left_out_of: the groups that member m leaves out.
template <typename LeftOutOf>
void train_members(Trainer &trainer, size_t num_groups, const LeftOutOf &left_out_of,
                   const std::function<void(const TrainingProgress &)> &progress,
                   NetworkParameters &parameters) {
    const Eigen::MatrixXd from = log_factors_of(parameters);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(from.rows(), from.cols());
    for (size_t m = 0; m < parameters.members.size(); m++) {
        const Learned start{weights_of(parameters.members[m]), from,
                            Eigen::MatrixXd::Zero(terms, static_cast<Index>(num_groups))};
        const Learned learned = trainer.train(m, start, left_out_of(m), progress);
        write_to(parameters.members[m], learned.weights);
        sum += learned.factors;
    }
    sum /= static_cast<double>(parameters.members.size());
    const double most = std::log(largest_factor);
    for (size_t m = 0; m < parameters.machines.size(); m++)
        for (size_t k = 0; k < num_terms; k++)
            parameters.machines[m].factors[k] = std::exp(
                std::clamp(sum(static_cast<Index>(k), static_cast<Index>(m)), -most, most));
}

}  // namespace

NetworkParameters train_network(const std::vector<SampleGroup> &groups,
                                const TrainingOptions &options,
                                const std::function<void(const TrainingProgress &)> &progress) {
    NetworkParameters parameters = untrained_network(options.seed, options.members);
    scale_inputs(groups, parameters);
    leave_out(options, parameters);
    add_machines(groups, parameters);
    Trainer trainer(groups, options, parameters, true);
    const auto left_out_of = [&](size_t m) {
        const Random random = Random(options.seed).fork("left out", m);
        std::vector<bool> left_out;
        for (const SampleGroup &group : groups)
            left_out.push_back(random.fork(group.pipeline).unit() < options.left_out_share);
        if (std::ranges::find(left_out, false) == left_out.end())
            left_out.assign(groups.size(), false);
        return left_out;
    };
    train_members(trainer, groups.size(), left_out_of, progress, parameters);
    return parameters;
}

NetworkParameters trained_further(const NetworkParameters &prior,
                                  const std::vector<SampleGroup> &groups,
                                  const std::vector<bool> &left_out, const TrainingOptions &options,
                                  const std::function<void(const TrainingProgress &)> &progress) {
    NetworkParameters parameters = prior;
    add_machines(groups, parameters);
    Trainer trainer(groups, options, parameters, false);
    train_members(
        trainer, groups.size(), [&](size_t) { return left_out; }, progress, parameters);
    return parameters;
}

}  // namespace cryolite
