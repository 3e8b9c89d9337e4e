// The coefficients that explain measured schedules best.
//
// Minimised over the logarithms x_k of the factors, x_k = g + d_k:
//     sum_i w_i * huber(log predicted_i(x) - log measured_i)  +  (g / s_g)^2  +  sum_k (d_k / s_d)^2
// g is a factor that all terms share: the model may be wrong about a machine's speed as a whole. It is held loosely.
// The d_k are held near 0, so that a term that the measurements do not tell from others stays as it is. Huber's loss
// bounds what a few schedules count that the model does not understand. The derivative of log predicted by x_k is the
// exposed share of the term (overlap.h), so the minimum is found by Gauss and Newton's method, damped (Levenberg,
// Marquardt).
#pragma once

#include <span>
#include <vector>

#include "analytical/stage_time.h"
#include "model/coefficients.h"

namespace cryolite {

struct MeasuredSchedule {
    std::vector<StageTerms> stages;  // as explained: page faults on fresh pages only
    double seconds = 0;              // positive
    double weight = 1;
};

// Seconds of the whole schedule with the coefficients.
double predicted_seconds(const MeasuredSchedule &schedule, const Coefficients &coefficients,
                         const OverlapRule &rule);

// All 1 without schedules.
Coefficients fit_coefficients(std::span<const MeasuredSchedule> schedules, const OverlapRule &rule);

// Spearman's rank correlation; 0 of fewer than 3 values. Ties share their mean rank.
double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace cryolite
