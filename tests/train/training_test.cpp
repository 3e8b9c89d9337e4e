#include "train/training.h"

#include <gtest/gtest.h>

#include "model/coefficients.h"
#include "model/network.h"
#include "tests/train/made_samples.h"
#include "train/predict.h"

namespace cryolite {
namespace {

// Memory's traffic takes three times as long as the analytical model believes.
class SlowMemory : public NoCorrection {
public:
    void correct(std::span<const double>, Terms &terms) const override {
        for (Term t : {Term::MemoryLoads, Term::MemoryStores}) terms[index(t)] *= 3;
    }
};

std::vector<SampleGroup> made_groups(const Correction &truth) {
    std::vector<SampleGroup> groups;
    for (int i = 0; i < 12; i++) groups.push_back(made_group("p" + std::to_string(i), 12, truth));
    return groups;
}

TrainingOptions short_training() {
    TrainingOptions options;
    options.members = 2;
    options.epochs = 8;
    return options;
}

double mean_error(const SampleGroup &group, const Correction &correction) {
    const std::vector<double> predicted = predicted_seconds(group, correction);
    double sum = 0;
    for (size_t i = 0; i < predicted.size(); i++)
        sum += std::abs(std::log(predicted[i] / group.samples[i].seconds));
    return sum / static_cast<double>(predicted.size());
}

TEST(Training, learns_what_holds_for_all_pipelines) {
    const std::vector<SampleGroup> groups = made_groups(SlowMemory());
    const SampleGroup unseen = made_group("unseen", 60, SlowMemory());
    TrainingOptions options = short_training();
    options.epochs = 25;
    options.learning_rate = 3e-2;
    options.absolute_part = 1;
    options.own_penalty = 100;  // no pipeline differs from the others
    options.patience = options.epochs;
    options.without_algorithm = false;
    options.dropped_inputs = 0.1;
    options.without_network = true;
    const NetworkParameters factors = train_network(groups, options, nullptr);
    const double before = mean_error(unseen, NoCorrection());
    EXPECT_LT(mean_error(unseen, Network(factors, unseen.machine)), 0.5 * before);
    // Nothing is known of another machine.
    EXPECT_EQ(mean_error(unseen, Network(factors, "another")), before);

    options.without_network = false;
    options.learning_rate = 2e-3;
    const NetworkParameters network = train_network(groups, options, nullptr);
    EXPECT_EQ(problem_of(network), "");
    EXPECT_LT(mean_error(unseen, Network(network, "another")), before);
}

TEST(Training, is_the_same_for_the_same_seed) {
    const auto groups = made_groups(SlowMemory());
    const TrainingOptions options = short_training();
    const uint64_t hash = hash_of(train_network(groups, options, nullptr));
    EXPECT_EQ(hash_of(train_network(groups, options, nullptr)), hash);
    TrainingOptions other = options;
    other.seed = 1;
    EXPECT_NE(hash_of(train_network(groups, other, nullptr)), hash);
}

TEST(Training, leaves_out_what_it_is_told_to) {
    TrainingOptions options = short_training();
    options.epochs = 1;
    options.without_terms = true;
    const NetworkParameters trained = train_network(made_groups(SlowMemory()), options, nullptr);
    const NetworkInputs inputs = network_inputs();
    for (size_t i = 0; i < inputs.size(); i++) {
        const bool is_left_out = i < inputs.num_algorithm() || i >= inputs.num_features();
        EXPECT_TRUE(!is_left_out || trained.scale[i] == 0) << i;
    }
}

TEST(Training, is_continued_near_what_was_learned_before) {
    const auto groups = made_groups(SlowMemory());
    const NetworkParameters prior = made_network(4, 2, 1e9f);
    std::vector<bool> left_out(groups.size());
    left_out.back() = true;
    TrainingOptions options = short_training();
    options.absolute_part = 1;
    const SampleGroup &judged = groups.back();
    const NetworkParameters further = trained_further(prior, groups, left_out, options, nullptr);
    EXPECT_EQ(problem_of(further), "");
    EXPECT_EQ(further.centre, prior.centre);
    EXPECT_LT(mean_error(judged, Network(further, judged.machine)),
              mean_error(judged, Network(prior, judged.machine)));
    // Nothing is learned in no time, but a machine that is new has its factors.
    options.epochs = 0;
    std::vector<SampleGroup> elsewhere = groups;
    for (SampleGroup &group : elsewhere) group.machine = "another";
    const NetworkParameters same = trained_further(prior, elsewhere, left_out, options, nullptr);
    EXPECT_EQ(same.machines.size(), prior.machines.size() + 1);
    EXPECT_EQ(same.members[0].last.weight, prior.members[0].last.weight);
}

}  // namespace
}  // namespace cryolite
