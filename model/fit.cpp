#include "model/fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cryolite {
namespace {

// Of log(predicted / measured) among schedules of one pipeline, about the pipeline's own median. Measured over the 31
// apps of bench/results/batches-zen4.tar.xz with at least ten times: median 0.20 of the robust deviations, quartiles
// 0.14 and 0.28. Between pipelines the median deviates by 0.26 and lies at 0.17.
constexpr double residual_deviation = 0.2;
// A priori, of g and of the d_k. Not measured: one pipeline's factor may be far from 1 on a machine without a preset,
// and a term's own by half or double.
constexpr double shared_deviation = 1.0, own_deviation = 0.5;
constexpr double huber_bound = 2 * residual_deviation;
constexpr int most_steps = 50;
constexpr double smallest_gain = 1e-6;  // of the loss, by which a step goes on

constexpr size_t num_parameters = num_terms + 1;  // g, then d_k
using Vector = Eigen::Matrix<double, num_parameters, 1>;
using Matrix = Eigen::Matrix<double, num_parameters, num_parameters>;

Coefficients coefficients_of(const Vector &x) {
    std::array<double, num_terms> factors;
    for (size_t k = 0; k < num_terms; k++)
        factors[k] = std::exp(x[0] + x[static_cast<Eigen::Index>(k + 1)]);
    return Coefficients(factors);
}

double huber(double r) {
    const double a = std::abs(r);
    return a <= huber_bound ? r * r : huber_bound * (2 * a - huber_bound);
}

Vector precision() {
    Vector p = Vector::Constant(std::pow(residual_deviation / own_deviation, 2));
    p[0] = std::pow(residual_deviation / shared_deviation, 2);
    return p;
}

double residual(const MeasuredSchedule &s, double predicted) {
    return std::log(std::max(predicted, std::numeric_limits<double>::min())) - std::log(s.seconds);
}

double loss(std::span<const MeasuredSchedule> schedules, const OverlapRule &rule, const Vector &x) {
    const Coefficients c = coefficients_of(x);
    double sum = x.cwiseAbs2().dot(precision());
    for (const MeasuredSchedule &s : schedules)
        sum += s.weight * huber(residual(s, predicted_seconds(s, c, rule)));
    return sum;
}

// The system of normal equations around x.
void linearise(std::span<const MeasuredSchedule> schedules, const OverlapRule &rule,
               const Vector &x, Matrix &normal, Vector &slope) {
    normal = precision().asDiagonal();
    slope = precision().cwiseProduct(x);
    const Coefficients c = coefficients_of(x);
    for (const MeasuredSchedule &s : schedules) {
        double predicted = 0;
        Vector exposed = Vector::Zero();
        for (const StageTerms &stage : s.stages) {
            Terms terms = stage.raw;
            c.correct({}, terms);
            const Overlap o = explained_overlap(terms, stage.target, rule);
            predicted += o.seconds;
            for (size_t k = 0; k < num_terms; k++)
                exposed[static_cast<Eigen::Index>(k + 1)] += o.exposed[k];
        }
        if (predicted <= 0) continue;
        const Vector derivative = [&] {
            Vector d = exposed / predicted;
            d[0] = d.tail<num_terms>().sum();
            return d;
        }();
        const double r = residual(s, predicted);
        const double weight = s.weight * std::min(1.0, huber_bound / std::max(std::abs(r), 1e-12));
        normal += weight * derivative * derivative.transpose();
        slope += weight * r * derivative;
    }
}

std::vector<double> ranks(std::span<const double> values) {
    std::vector<size_t> order(values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
    std::vector<double> out(values.size());
    for (size_t i = 0; i < order.size();) {
        size_t end = i;
        while (end < order.size() && values[order[end]] == values[order[i]]) end++;
        for (size_t j = i; j < end; j++) out[order[j]] = 0.5 * static_cast<double>(i + end - 1);
        i = end;
    }
    return out;
}

}  // namespace

double predicted_seconds(const MeasuredSchedule &schedule, const Coefficients &coefficients,
                         const OverlapRule &rule) {
    double seconds = 0;
    for (const StageTerms &stage : schedule.stages) {
        Terms terms = stage.raw;
        coefficients.correct({}, terms);
        seconds += overlapped(terms, stage.target, rule);
    }
    return seconds;
}

Coefficients fit_coefficients(std::span<const MeasuredSchedule> schedules,
                              const OverlapRule &rule) {
    if (schedules.empty()) return {};
    Vector x = Vector::Zero();
    double least = loss(schedules, rule, x);
    double damping = 1e-3;
    for (int step = 0; step < most_steps; step++) {
        Matrix normal;
        Vector slope;
        linearise(schedules, rule, x, normal, slope);
        double now = least;
        // A step that gains nothing is tried again, shorter.
        for (; damping < 1e9; damping *= 10) {
            Matrix damped = normal;
            damped.diagonal() *= 1 + damping;
            const Vector tried = x - damped.ldlt().solve(slope);
            now = tried.allFinite() ? loss(schedules, rule, tried)
                                    : std::numeric_limits<double>::infinity();
            if (now < least) {
                x = tried;
                damping /= 10;
                break;
            }
        }
        if (!(now < least * (1 - smallest_gain))) break;
        least = now;
    }
    return coefficients_of(x);
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size() || a.size() < 3) return 0;
    const std::vector<double> x = ranks(a), y = ranks(b);
    const double mean = 0.5 * static_cast<double>(a.size() - 1);
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < x.size(); i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    return xx <= 0 || yy <= 0 ? 0 : xy / std::sqrt(xx * yy);
}

}  // namespace cryolite
