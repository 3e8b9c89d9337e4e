#include "train/prepared.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/network.h"

namespace cryolite {
namespace {

// An input that deviates less is as good as constant.
constexpr double least_deviation = 1e-3;
// A spread of the measurements that halves a schedule's weight.
constexpr double wide_spread = 0.1;

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

size_t stages_of(const SampleGroup &group) {
    size_t stages = 0;
    for (const TrainingSample &s : group.samples) stages += s.stages.size();
    return stages;
}

void widen(const SampleStage &stage, const NetworkInputs &inputs, NetworkParameters &parameters) {
    for (size_t i = 0; i < inputs.num_features(); i++) {
        const auto value = static_cast<float>(stage.row[index(inputs.feature(i))]);
        parameters.low[i] = std::min(parameters.low[i], value);
        parameters.high[i] = std::max(parameters.high[i], value);
    }
}

}  // namespace

PreparedGroup prepared(const SampleGroup &group, const NetworkParameters &parameters) {
    const NetworkInputs inputs = network_inputs();
    const Network network(parameters, group.machine);
    const auto stages = static_cast<Eigen::Index>(stages_of(group)),
               samples = static_cast<Eigen::Index>(group.samples.size()),
               num_algorithm = static_cast<Eigen::Index>(inputs.num_algorithm());
    PreparedGroup out;
    Eigen::MatrixXd all(static_cast<Eigen::Index>(inputs.size()), stages);
    out.raw.resize(static_cast<Eigen::Index>(num_terms), stages);
    out.trust.resize(stages);
    out.log_seconds.resize(samples);
    out.weight.resize(samples);
    double fastest = std::numeric_limits<double>::infinity();
    for (const TrainingSample &s : group.samples) fastest = std::min(fastest, s.seconds);
    Eigen::Index at = 0;
    for (Eigen::Index i = 0; i < samples; i++) {
        const TrainingSample &s = group.samples[static_cast<size_t>(i)];
        out.first.push_back(at);
        for (const SampleStage &stage : s.stages) {
            const std::vector<double> values = inputs_of(stage, inputs);
            for (size_t v = 0; v < values.size(); v++)
                all(static_cast<Eigen::Index>(v), at) =
                    (values[v] - static_cast<double>(parameters.centre[v])) *
                    static_cast<double>(parameters.scale[v]);
            for (size_t k = 0; k < num_terms; k++)
                out.raw(static_cast<Eigen::Index>(k), at) = stage.raw[k];
            out.trust[at++] = network.trust(stage.row);
        }
        out.log_seconds[i] = std::log(s.seconds);
        // The square root keeps slow schedules in view.
        out.weight[i] = std::sqrt(fastest / s.seconds) / (1 + std::pow(s.spread / wide_spread, 2));
    }
    out.first.push_back(at);
    out.algorithm = all.topRows(num_algorithm);
    out.schedule = all.bottomRows(all.rows() - num_algorithm);
    out.overlap = group.overlap;
    for (size_t m = 0; m < parameters.machines.size(); m++)
        if (parameters.machines[m].machine == group.machine)
            out.machine = static_cast<Eigen::Index>(m);
    return out;
}

void scale_inputs(const std::vector<SampleGroup> &groups, NetworkParameters &parameters) {
    const NetworkInputs inputs = network_inputs();
    std::vector<double> sum(inputs.size()), squares(inputs.size());
    parameters.low.assign(inputs.num_features(), std::numeric_limits<float>::max());
    parameters.high.assign(inputs.num_features(), 0);
    double total = 0;
    for (const SampleGroup &group : groups) {
        const auto stages = static_cast<double>(stages_of(group));
        if (stages == 0) continue;
        total += 1;
        for (const TrainingSample &s : group.samples)
            for (const SampleStage &stage : s.stages) {
                const std::vector<double> values = inputs_of(stage, inputs);
                for (size_t i = 0; i < values.size(); i++) {
                    sum[i] += values[i] / stages;
                    squares[i] += values[i] * values[i] / stages;
                }
                widen(stage, inputs, parameters);
            }
    }
    if (total == 0) {
        parameters.low.clear();
        parameters.high.clear();
        return;
    }
    for (size_t i = 0; i < inputs.size(); i++) {
        const double mean = sum[i] / total;
        const double deviation = std::sqrt(std::max(0.0, squares[i] / total - mean * mean));
        parameters.centre[i] = static_cast<float>(mean);
        parameters.scale[i] = deviation < least_deviation ? 0 : static_cast<float>(1 / deviation);
    }
}

void widen_ranges(const SampleGroup &group, NetworkParameters &parameters) {
    if (parameters.low.empty()) return;
    const NetworkInputs inputs = network_inputs();
    for (const TrainingSample &s : group.samples)
        for (const SampleStage &stage : s.stages) widen(stage, inputs, parameters);
}

}  // namespace cryolite
