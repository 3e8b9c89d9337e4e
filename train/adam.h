// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), for the numbers of one matrix or vector.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace cryolite {

class Adam {
public:
    Adam() = default;
    Adam(Eigen::Index size, double rate, double decay)
        : rate_(rate),
          decay_(decay),
          mean_(Eigen::ArrayXd::Zero(size)),
          square_(Eigen::ArrayXd::Zero(size)) {}

    // Decays towards 0.
    template <typename Values>
    void step(const Values &slope, Values &values) {
        values *= 1 - rate_ * decay_;
        descend(slope, values);
    }
    // Decays towards `rest`.
    template <typename Values>
    void step(const Values &slope, const Values &rest, Values &values) {
        values -= rate_ * decay_ * (values - rest);
        descend(slope, values);
    }

private:
    // Means of the slopes and of their squares forget by these factors a step; what divides is at least so large.
    static constexpr double mean_keeps = 0.9, square_keeps = 0.999, least_root = 1e-8;

    template <typename Values>
    void descend(const Values &slope, Values &values) {
        const Eigen::Map<const Eigen::ArrayXd> s(slope.data(), slope.size());
        Eigen::Map<Eigen::ArrayXd> v(values.data(), values.size());
        steps_++;
        mean_ = mean_keeps * mean_ + (1 - mean_keeps) * s;
        square_ = square_keeps * square_ + (1 - square_keeps) * s.square();
        // Both means began at 0.
        const double of_mean = 1 - std::pow(mean_keeps, steps_),
                     of_square = 1 - std::pow(square_keeps, steps_);
        v -= rate_ / of_mean * mean_ / ((square_ / of_square).sqrt() + least_root);
    }

    double rate_ = 0, decay_ = 0;
    int steps_ = 0;
    Eigen::ArrayXd mean_, square_;
};

}  // namespace cryolite
