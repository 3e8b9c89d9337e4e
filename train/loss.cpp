#include "train/loss.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

constexpr double huber_bound = 0.4;  // of r: as model/fit.cpp's
constexpr double ranking_width =
    0.15;  // of log time: schedules that differ by less are about the same
constexpr double least_weight = 1e-9;

// share * the weighted mean of huber(r).
void add_huber(const Eigen::VectorXd &r, const Eigen::VectorXd &weight, double share, Loss &loss) {
    const double whole = weight.sum();
    for (Eigen::Index i = 0; i < r.size(); i++) {
        const double a = std::abs(r[i]), w = share * weight[i] / whole;
        loss.value += w * (a <= huber_bound ? a * a : huber_bound * (2 * a - huber_bound));
        loss.by_log_seconds[i] += w * 2 * std::clamp(r[i], -huber_bound, huber_bound);
    }
}

// A pair counts by how far its times are apart, up to one power of e, and by its faster schedule.
void add_ranking(const Eigen::VectorXd &predicted, const PreparedGroup &group, double share,
                 Loss &loss) {
    const Eigen::Index n = predicted.size();
    double value = 0, whole = 0;
    Eigen::VectorXd by = Eigen::VectorXd::Zero(n);
    for (Eigen::Index slow = 0; slow < n; slow++)
        for (Eigen::Index fast = 0; fast < n; fast++) {
            const double apart = std::min(1.0, group.log_seconds[slow] - group.log_seconds[fast]);
            if (apart <= 0) continue;
            const double w = apart * std::max(group.weight[slow], group.weight[fast]);
            const double x = (predicted[fast] - predicted[slow]) / ranking_width;
            // log(1 + exp(x)), whatever the size of x.
            value += w * (std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))));
            const double slope = w / (1 + std::exp(-x)) / ranking_width;
            by[fast] += slope;
            by[slow] -= slope;
            whole += w;
        }
    whole = std::max(whole, least_weight);
    loss.value += share * value / whole;
    loss.by_log_seconds += share / whole * by;
}

}  // namespace

Loss loss_of(const Eigen::VectorXd &predicted, const PreparedGroup &group, const LossParts &parts) {
    Loss loss{0, Eigen::VectorXd::Zero(predicted.size())};
    const Eigen::VectorXd r = predicted - group.log_seconds;
    add_huber(r, group.weight, parts.absolute, loss);
    if (predicted.size() < 2) return loss;
    const double mean = r.dot(group.weight) / group.weight.sum();
    add_huber(r.array() - mean, group.weight, 1, loss);
    if (parts.ranking > 0) add_ranking(predicted, group, parts.ranking, loss);
    return loss;
}

}  // namespace cryolite
