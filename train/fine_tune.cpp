#include "train/fine_tune.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/random.h"
#include "model/fit.h"
#include "model/network.h"
#include "train/predict.h"
#include "train/prepared.h"
#include "train/training.h"

namespace cryolite {
namespace {

constexpr double judged_share = 0.25;
constexpr size_t most_samples =
    1000;  // the fastest: how they differ is what a search needs to know
constexpr size_t samples_together = 16;  // ranked and learned from at once
// What a slow schedule counts in the fit of the factors, against the fastest.
constexpr double least_weight = 0.05;
// Stages of all epochs, which bounds the time: about half a second of one core a member.
constexpr size_t most_stages = 300'000;
constexpr size_t fewest_epochs = 4, most_epochs = 30;

TrainingOptions options_for(size_t stages, uint64_t seed) {
    TrainingOptions o;
    o.seed = seed;
    o.epochs = static_cast<int>(
        std::clamp(most_stages / std::max<size_t>(1, stages), fewest_epochs, most_epochs));
    o.patience = 5;
    o.learning_rate = 1e-3;
    o.dropped_inputs = 0;
    o.correction_penalty = 0.1;
    o.groups_per_step = 2;
    return o;
}

bool is_judged_by(const TrainingSample &sample, uint64_t seed) {
    const Random random = Random(seed).fork("judged");
    return random.fork(sample.hash).unit() < judged_share;
}

double rank_of(const NetworkParameters &parameters, const SampleGroup &judged) {
    return metrics_of(judged, predicted_seconds(judged, Network(parameters, judged.machine)))
        .spearman;
}

// With factors of the machine, on top of those that it has.
NetworkParameters with_factors(NetworkParameters parameters, const SampleGroup &learned) {
    const Network network(parameters, learned.machine);
    double fastest = learned.samples.front().seconds;
    for (const TrainingSample &s : learned.samples) fastest = std::min(fastest, s.seconds);
    std::vector<MeasuredSchedule> schedules;
    for (const TrainingSample &s : learned.samples) {
        MeasuredSchedule &schedule = schedules.emplace_back();
        schedule.seconds = s.seconds;
        schedule.weight = std::max(least_weight, fastest / s.seconds);
        for (const SampleStage &stage : s.stages) {
            StageTerms &terms = schedule.stages.emplace_back();
            terms.raw = stage.raw;
            network.correct(stage.row, terms.raw);
        }
    }
    const Coefficients fitted = fit_coefficients(schedules, learned.overlap);
    auto machine =
        std::ranges::find(parameters.machines, learned.machine, &MachineFactors::machine);
    if (machine == parameters.machines.end()) {
        machine = parameters.machines.insert(machine, {learned.machine, {}});
        machine->factors.fill(1);
    }
    for (size_t k = 0; k < num_terms; k++)
        machine->factors[k] = std::clamp(machine->factors[k] * fitted.factors()[k],
                                         1 / largest_factor, largest_factor);
    return parameters;
}

// As groups of a few schedules, which are ranked together, and the judged ones last.
NetworkParameters further(const NetworkParameters &parameters, const SampleGroup &learned,
                          const SampleGroup &judged, uint64_t seed) {
    std::vector<SampleGroup> groups;
    const size_t parts = std::max<size_t>(1, learned.samples.size() / samples_together);
    for (size_t p = 0; p < parts; p++) {
        groups.push_back({learned.pipeline, learned.archive, learned.machine, learned.overlap, {}});
        // Of all speeds: the samples may come in the order of their times.
        for (size_t i = p; i < learned.samples.size(); i += parts)
            groups.back().samples.push_back(learned.samples[i]);
    }
    size_t stages = 0;
    for (const TrainingSample &s : learned.samples) stages += s.stages.size();
    groups.push_back(judged);
    std::vector<bool> left_out(groups.size());
    left_out.back() = true;
    return trained_further(parameters, groups, left_out, options_for(stages, seed), nullptr);
}

}  // namespace

FineTuned fine_tuned(const NetworkParameters &prior, const SampleGroup &group, uint64_t seed) {
    FineTuned out{prior};
    std::vector<const TrainingSample *> fastest;
    for (const TrainingSample &s : group.samples) fastest.push_back(&s);
    std::ranges::stable_sort(fastest, {}, &TrainingSample::seconds);
    if (fastest.size() > most_samples) fastest.resize(most_samples);
    SampleGroup learned{group.pipeline, group.archive, group.machine, group.overlap, {}};
    SampleGroup judged = learned;
    for (const TrainingSample *s : fastest)
        (is_judged_by(*s, seed) ? judged : learned).samples.push_back(*s);
    if (fastest.size() < fewest_to_fine_tune || judged.samples.size() < 3 ||
        learned.samples.empty())
        return out;
    out.rank_before = out.rank_after = rank_of(prior, judged);
    const auto take_if_no_worse = [&](const NetworkParameters &candidate, FineTuned::Kept kept) {
        const double rank = rank_of(candidate, judged);
        if (rank < out.rank_after) return;
        out.rank_after = rank;
        out.parameters = candidate;
        out.kept = kept;
    };
    NetworkParameters seen = prior;
    widen_ranges(group, seen);
    take_if_no_worse(with_factors(std::move(seen), learned), FineTuned::Kept::Factors);
    NetworkParameters start = out.parameters;
    widen_ranges(group, start);
    take_if_no_worse(further(start, learned, judged, seed), FineTuned::Kept::TrainedFurther);
    return out;
}

}  // namespace cryolite
