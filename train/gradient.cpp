#include "train/gradient.h"

#include <cmath>

namespace cryolite {
namespace {

constexpr double least_seconds = 1e-30;  // of what is computed at all: nothing divides by 0
constexpr size_t algorithm = 0, schedule = 1, joined = 2, last = 3;  // layer_names

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index as_index(size_t n) { return static_cast<Eigen::Index>(n); }

// by_outputs: the derivatives by a relu layer's results, which are 0 where the results are.
Eigen::MatrixXd before_relu(const Eigen::MatrixXd &results, const Eigen::MatrixXd &by_results) {
    return (results.array() > 0).select(by_results, 0);
}

}  // namespace

void MemberWeights::set_zero() {
    for (Eigen::MatrixXd &w : weight) w.setZero();
    for (Eigen::VectorXd &b : bias) b.setZero();
}

MemberWeights weights_of(const NetworkMember &member) {
    MemberWeights out;
    for (size_t l = 0; l < layer_names.size(); l++) {
        const DenseLayer &layer = *member.layers()[l];
        const auto rows = as_index(layer.outputs), columns = as_index(layer.inputs);
        out.weight[l] =
            Eigen::Map<const RowMajor>(layer.weight.data(), rows, columns).cast<double>();
        out.bias[l] = Eigen::Map<const Eigen::VectorXf>(layer.bias.data(), rows).cast<double>();
    }
    return out;
}

void write_to(NetworkMember &member, const MemberWeights &weights) {
    for (size_t l = 0; l < layer_names.size(); l++) {
        DenseLayer &layer = *member.layers()[l];
        const auto rows = as_index(layer.outputs), columns = as_index(layer.inputs);
        Eigen::Map<RowMajor>(layer.weight.data(), rows, columns) = weights.weight[l].cast<float>();
        Eigen::Map<Eigen::VectorXf>(layer.bias.data(), rows) = weights.bias[l].cast<float>();
    }
}

InputMask InputMask::all(const PreparedGroup &group) {
    return {Eigen::VectorXd::Ones(group.algorithm.rows()),
            Eigen::VectorXd::Ones(group.schedule.rows())};
}

CorrectedStages corrected_stages(const MemberWeights &w, const PreparedGroup &group,
                                 const InputMask &mask) {
    CorrectedStages out;
    const Eigen::Index stages = group.raw.cols();
    out.embeddings.resize(as_index(embeddings_width), stages);
    auto first = out.embeddings.topRows(as_index(algorithm_width));
    auto second = out.embeddings.bottomRows(as_index(schedule_width));
    first.noalias() = (w.weight[algorithm] * mask.algorithm.asDiagonal()) * group.algorithm;
    second.noalias() = (w.weight[schedule] * mask.schedule.asDiagonal()) * group.schedule;
    first.colwise() += w.bias[algorithm];
    second.colwise() += w.bias[schedule];
    out.embeddings = out.embeddings.cwiseMax(0);
    out.hidden.noalias() = w.weight[joined] * out.embeddings;
    out.hidden.colwise() += w.bias[joined];
    out.hidden = out.hidden.cwiseMax(0);
    out.n.noalias() = w.weight[last] * out.hidden;
    out.n.colwise() += w.bias[last];
    out.n = correction_bound * (out.n.array() / correction_bound).tanh();
    return out;
}

void add_gradient(const MemberWeights &w, const PreparedGroup &group, const InputMask &mask,
                  const CorrectedStages &stages, const Eigen::MatrixXd &by_n, MemberWeights &g) {
    // The derivative of bound * tanh(z / bound) is 1 - tanh^2.
    const Eigen::MatrixXd by_last =
        by_n.array() * (1 - (stages.n.array() / correction_bound).square());
    g.weight[last].noalias() += by_last * stages.hidden.transpose();
    g.bias[last] += by_last.rowwise().sum();
    const Eigen::MatrixXd by_joined =
        before_relu(stages.hidden, w.weight[last].transpose() * by_last);
    g.weight[joined].noalias() += by_joined * stages.embeddings.transpose();
    g.bias[joined] += by_joined.rowwise().sum();
    const Eigen::MatrixXd by_embeddings =
        before_relu(stages.embeddings, w.weight[joined].transpose() * by_joined);
    const auto first = by_embeddings.topRows(as_index(algorithm_width));
    const auto second = by_embeddings.bottomRows(as_index(schedule_width));
    g.weight[algorithm] += (first * group.algorithm.transpose()) * mask.algorithm.asDiagonal();
    g.weight[schedule] += (second * group.schedule.transpose()) * mask.schedule.asDiagonal();
    g.bias[algorithm] += first.rowwise().sum();
    g.bias[schedule] += second.rowwise().sum();
}

PredictedTimes predicted_times(const PreparedGroup &group, const Eigen::MatrixXd &n,
                               const Eigen::VectorXd &log_factors) {
    PredictedTimes out;
    out.log_seconds.resize(group.num_samples());
    out.shares.resize(group.raw.rows(), group.raw.cols());
    const Eigen::MatrixXd corrected =
        group.raw.array() * ((n * group.trust.asDiagonal()).colwise() + log_factors).array().exp();
    for (Eigen::Index i = 0; i < group.num_samples(); i++) {
        const Eigen::Index begin = group.first[static_cast<size_t>(i)],
                           end = group.first[static_cast<size_t>(i) + 1];
        double seconds = 0;
        for (Eigen::Index s = begin; s < end; s++) {
            Terms terms;
            for (size_t k = 0; k < num_terms; k++) terms[k] = corrected(as_index(k), s);
            const Overlap o = explained_overlap(terms, TermTarget::Cpu, group.overlap);
            seconds += o.seconds;
            for (size_t k = 0; k < num_terms; k++) out.shares(as_index(k), s) = o.exposed[k];
        }
        seconds = std::max(seconds, least_seconds);
        out.shares.middleCols(begin, end - begin) /= seconds;
        out.log_seconds[i] = std::log(seconds);
    }
    return out;
}

}  // namespace cryolite
