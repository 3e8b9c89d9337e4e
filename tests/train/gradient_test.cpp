#include "train/gradient.h"

#include <gtest/gtest.h>

#include "model/network.h"
#include "tests/train/made_samples.h"
#include "train/loss.h"
#include "train/predict.h"

namespace cryolite {
namespace {

Eigen::VectorXd log_factors_of(const NetworkParameters &parameters) {
    Eigen::VectorXd out(static_cast<Eigen::Index>(num_terms));
    for (size_t k = 0; k < num_terms; k++)
        out[static_cast<Eigen::Index>(k)] = std::log(parameters.machines[0].factors[k]);
    return out;
}

Eigen::VectorXd log_seconds(const MemberWeights &weights, const PreparedGroup &group,
                            const InputMask &mask, const Eigen::VectorXd &factors) {
    return predicted_times(group, corrected_stages(weights, group, mask).n, factors).log_seconds;
}

TEST(Gradient, predicts_what_inference_predicts) {
    for (const float high : {-1.0f, 1000.0f}) {
        const NetworkParameters parameters = made_network(4, 1, high);
        const SampleGroup group = made_group("p", 100, NoCorrection());
        const PreparedGroup ready = prepared(group, parameters);
        const Eigen::VectorXd said = log_seconds(weights_of(parameters.members[0]), ready,
                                                 InputMask::all(ready), log_factors_of(parameters));
        const auto inference = predicted_seconds(group, Network(parameters, group.machine));
        for (size_t i = 0; i < inference.size(); i++)
            EXPECT_NEAR(std::exp(said[static_cast<Eigen::Index>(i)]) / inference[i], 1, 1e-5);
    }
}

TEST(Gradient, is_the_analytical_model_before_any_training) {
    const SampleGroup group = made_group("p", 50, NoCorrection());
    NetworkParameters parameters = untrained_network(1, 1);
    const PreparedGroup ready = prepared(group, parameters);
    const Eigen::VectorXd said =
        log_seconds(weights_of(parameters.members[0]), ready, InputMask::all(ready),
                    Eigen::VectorXd::Zero(static_cast<Eigen::Index>(num_terms)));
    const auto analytical = predicted_seconds(group, NoCorrection());
    for (size_t i = 0; i < analytical.size(); i++)
        EXPECT_NEAR(std::exp(said[static_cast<Eigen::Index>(i)]) / analytical[i], 1, 1e-12);
}

TEST(Gradient, is_kept_in_a_member_to_the_bit) {
    const NetworkParameters parameters = made_network(4, 1);
    NetworkMember copy = untrained_network(9, 1).members[0];
    write_to(copy, weights_of(parameters.members[0]));
    for (size_t l = 0; l < layer_names.size(); l++) {
        EXPECT_EQ(copy.layers()[l]->weight, parameters.members[0].layers()[l]->weight);
        EXPECT_EQ(copy.layers()[l]->bias, parameters.members[0].layers()[l]->bias);
    }
}

// By differences of a loss, of some numbers of each layer, with inputs dropped.
TEST(Gradient, is_the_slope_of_the_loss) {
    const NetworkParameters parameters = made_network(5, 1, 1000);
    const SampleGroup group = made_group("p", 40, Network(made_network(6, 1), ""));
    const PreparedGroup ready = prepared(group, parameters);
    const Eigen::VectorXd factors = log_factors_of(parameters);
    MemberWeights weights = weights_of(parameters.members[0]);
    InputMask mask = InputMask::all(ready);
    for (Eigen::Index i = 0; i < mask.schedule.size(); i += 3) mask.schedule[i] = 0;
    const auto value = [&] {
        const Eigen::VectorXd r = log_seconds(weights, ready, mask, factors) - ready.log_seconds;
        return r.squaredNorm();
    };
    const CorrectedStages stages = corrected_stages(weights, ready, mask);
    const PredictedTimes times = predicted_times(ready, stages.n, factors);
    Eigen::MatrixXd by_n = times.shares * ready.trust.asDiagonal();
    for (Eigen::Index i = 0; i < ready.num_samples(); i++) {
        const Eigen::Index begin = ready.first[static_cast<size_t>(i)];
        by_n.middleCols(begin, ready.first[static_cast<size_t>(i) + 1] - begin) *=
            2 * (times.log_seconds[i] - ready.log_seconds[i]);
    }
    MemberWeights slope = weights;
    slope.set_zero();
    add_gradient(weights, ready, mask, stages, by_n, slope);
    const auto expect_slope = [&](double &number, double said) {
        constexpr double little = 1e-5;
        const double was = number;
        number = was + little;
        const double above = value();
        number = was - little;
        const double below = value();
        number = was;
        EXPECT_NEAR(said, (above - below) / (2 * little), 1e-3 * std::abs(said) + 2e-4);
    };
    for (size_t l = 0; l < layer_names.size(); l++) {
        for (Eigen::Index i = 0; i < weights.weight[l].size(); i += weights.weight[l].size() / 12)
            expect_slope(weights.weight[l].data()[i], slope.weight[l].data()[i]);
        expect_slope(weights.bias[l][1], slope.bias[l][1]);
    }
}

TEST(Loss, has_the_slope_of_its_value) {
    const SampleGroup group = made_group("p", 12, NoCorrection());
    const PreparedGroup ready = prepared(group, untrained_network(1, 1));
    Random random(3);
    Eigen::VectorXd said = ready.log_seconds;
    for (double &s : said) s += random.unit() - 0.5;
    // The two parts without a mean.
    const LossParts parts{0.7, 0.9}, none{0, 0};
    const auto value = [&] {
        return loss_of(said, ready, parts).value - loss_of(said, ready, none).value;
    };
    const Eigen::VectorXd slope =
        loss_of(said, ready, parts).by_log_seconds - loss_of(said, ready, none).by_log_seconds;
    for (Eigen::Index i = 0; i < said.size(); i++) {
        const double was = said[i];
        said[i] = was + 1e-6;
        const double above = value();
        said[i] = was - 1e-6;
        const double below = value();
        said[i] = was;
        EXPECT_NEAR(slope[i], (above - below) / 2e-6, 1e-6);
    }
}

TEST(Loss, is_least_for_the_measured_times_and_counts_order) {
    const SampleGroup group = made_group("p", 12, NoCorrection());
    const PreparedGroup ready = prepared(group, untrained_network(1, 1));
    const double right = loss_of(ready.log_seconds, ready, {1, 1}).value;
    EXPECT_GT(loss_of(-ready.log_seconds, ready, {1, 1}).value, right);
    // A factor that all share costs the absolute part alone.
    const Eigen::VectorXd shifted = ready.log_seconds.array() + 1;
    EXPECT_NEAR(loss_of(shifted, ready, {0, 1}).value, right, 1e-12);
    EXPECT_GT(loss_of(shifted, ready, {1, 1}).value, right + 0.1);
}

}  // namespace
}  // namespace cryolite
