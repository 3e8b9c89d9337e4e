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

TEST(Twin, predicts_what_inference_predicts) {
    for (const float high : {-1.0f, 1000.0f}) {
        const NetworkParameters parameters = made_network(4, 3, high);
        const SampleGroup group = made_group("p", 100, NoCorrection());
        const std::vector<double> twin = predicted_by_twin(group, parameters);
        const auto inference = predicted_seconds(group, Network(parameters, group.machine));
        ASSERT_EQ(twin.size(), inference.size());
        for (size_t i = 0; i < twin.size(); i++) EXPECT_NEAR(twin[i] / inference[i], 1, 1e-5);
    }
}

TEST(Twin, is_the_analytical_model_before_any_training) {
    const SampleGroup group = made_group("p", 50, NoCorrection());
    const std::vector<double> twin = predicted_by_twin(group, untrained_network(1, 2));
    const auto analytical = predicted_seconds(group, NoCorrection());
    for (size_t i = 0; i < twin.size(); i++) EXPECT_NEAR(twin[i] / analytical[i], 1, 1e-12);
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

}  // namespace
}  // namespace cryolite
