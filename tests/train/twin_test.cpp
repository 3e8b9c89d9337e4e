// What training computes, against LibTorch.
#include <gtest/gtest.h>

#include "model/network.h"
#include "tests/train/made_samples.h"
#include "tests/train/twin.h"
#include "train/gradient.h"
#include "train/predict.h"

namespace cryolite {
namespace {

std::vector<TwinMember> twins_of(const NetworkParameters &parameters) {
    std::vector<TwinMember> twins;
    for (const NetworkMember &member : parameters.members) twins.emplace_back(member);
    return twins;
}

TEST(Twin, predicts_what_inference_predicts) {
    for (const float high : {-1.0f, 1000.0f}) {
        const NetworkParameters parameters = made_network(4, 3, high);
        const SampleGroup group = made_group("p", 100, NoCorrection());
        const torch::Tensor twin = predicted_by_twin(group, parameters, twins_of(parameters)).exp();
        const auto inference = predicted_seconds(group, Network(parameters, group.machine));
        for (size_t i = 0; i < inference.size(); i++)
            EXPECT_NEAR(twin[static_cast<int64_t>(i)].item<double>() / inference[i], 1, 1e-5);
    }
}

TEST(Twin, derives_what_training_derives) {
    const NetworkParameters parameters = made_network(5, 1, 1000);
    const SampleGroup group = made_group("p", 40, NoCorrection());
    TwinMember twin(parameters.members[0]);
    for (auto *list : {&twin.weight, &twin.bias})
        for (torch::Tensor &t : *list) t.set_requires_grad(true);
    predicted_by_twin(group, parameters, {twin}).sum().backward();

    const PreparedGroup ready = prepared(group, parameters);
    const MemberWeights weights = weights_of(parameters.members[0]);
    const InputMask all = InputMask::all(ready);
    const CorrectedStages stages = corrected_stages(weights, ready, all);
    Eigen::VectorXd factors(static_cast<Eigen::Index>(num_terms));
    for (size_t k = 0; k < num_terms; k++)
        factors[static_cast<Eigen::Index>(k)] = std::log(parameters.machines[0].factors[k]);
    const PredictedTimes times = predicted_times(ready, stages.n, factors);
    MemberWeights slope = weights;
    slope.set_zero();
    add_gradient(weights, ready, all, stages, times.shares * ready.trust.asDiagonal(), slope);
    for (size_t l = 0; l < layer_names.size(); l++) {
        const double scale = std::max(1e-6, slope.weight[l].cwiseAbs().maxCoeff());
        for (Eigen::Index o = 0; o < slope.weight[l].rows(); o++) {
            EXPECT_NEAR(twin.bias[l].grad()[o].item<double>(), slope.bias[l][o], 1e-4 * scale);
            for (Eigen::Index i = 0; i < slope.weight[l].cols(); i += 7)
                EXPECT_NEAR(twin.weight[l].grad()[o][i].item<double>(), slope.weight[l](o, i),
                            1e-4 * scale)
                    << layer_names[l];
        }
    }
}

}  // namespace
}  // namespace cryolite
