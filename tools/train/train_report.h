// What training has brought: the loss by epoch, predicted against measured times, ranks before and after, and where the
// model is still wrong.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/network_parameters.h"
#include "train/samples.h"
#include "train/training.h"

namespace cryolite::tools {

// Predictions of a group, in the order of its samples.
struct JudgedGroup {
    const SampleGroup *group;
    bool held_out;
    std::vector<double> analytical, learned;  // seconds
};

// Means over groups of at least three schedules: what a search would lose (train/predict.h), and ranks.
struct RankSummary {
    int groups = 0;
    double spearman = 0, pick = 0,
           pick_of_5 = 0;  // picks: geometric means of times over the fastest
    double off =
        0;  // by what factor a time is off in the geometric mean, beside the group's common factor
};

class TrainReport {
public:
    // The groups must outlive this.
    TrainReport(const std::vector<SampleGroup> &learned_from,
                const std::vector<SampleGroup> &held_out, const NetworkParameters &parameters,
                std::vector<TrainingProgress> epochs);

    // For people: tables of fixed columns.
    std::string text() const;
    const std::vector<JudgedGroup> &groups() const { return groups_; }
    RankSummary summary(bool held_out, bool learned) const;
    // For the weights' manifest: of the groups that are held out. Empty without any.
    std::map<std::string, double> metrics() const;

private:
    std::string curve_text() const;
    std::string ranks_text() const;
    std::string pipelines_text() const;
    std::string misses_text() const;

    std::vector<JudgedGroup> groups_;
    const NetworkParameters &parameters_;
    const std::vector<TrainingProgress> epochs_;
};

}  // namespace cryolite::tools
