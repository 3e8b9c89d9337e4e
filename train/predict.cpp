#include "train/predict.h"

#include <algorithm>
#include <numeric>

#include "model/fit.h"

namespace cryolite {

std::vector<double> predicted_seconds(const SampleGroup &group, const Correction &correction) {
    std::vector<double> out;
    for (const TrainingSample &sample : group.samples) {
        double seconds = 0;
        for (const SampleStage &stage : sample.stages) {
            Terms terms = stage.raw;
            correction.correct(stage.row, terms);
            seconds += overlapped(terms, TermTarget::Cpu, group.overlap);
        }
        out.push_back(seconds);
    }
    return out;
}

GroupMetrics metrics_of(const SampleGroup &group, const std::vector<double> &predicted) {
    GroupMetrics out;
    if (group.samples.empty()) return out;
    std::vector<double> measured;
    for (const TrainingSample &sample : group.samples) measured.push_back(sample.seconds);
    std::vector<size_t> order(measured.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return predicted[i]; });
    const double fastest = *std::ranges::min_element(measured);
    out.spearman = rank_correlation(predicted, measured);
    out.regret = out.regret_of_5 = measured[order[0]] / fastest;
    for (size_t i = 1; i < std::min<size_t>(5, order.size()); i++)
        out.regret_of_5 = std::min(out.regret_of_5, measured[order[i]] / fastest);
    return out;
}

}  // namespace cryolite
