#include "train/fine_tune.h"

#include <gtest/gtest.h>

#include "model/coefficients.h"
#include "model/network.h"
#include "tests/train/made_samples.h"
#include "train/predict.h"

namespace cryolite {
namespace {

// The arithmetic of this machine takes four times as long as the analytical model believes.
Coefficients slow_arithmetic() {
    std::array<double, num_terms> factors;
    factors.fill(1);
    factors[index(Term::Compute)] = 4;
    return Coefficients(factors);
}

double rank_of(const NetworkParameters &parameters, const SampleGroup &group) {
    return metrics_of(group, predicted_seconds(group, Network(parameters, group.machine))).spearman;
}

TEST(FineTune, learns_what_is_so_of_this_machine) {
    const SampleGroup group = made_group("p", 120, slow_arithmetic());
    const FineTuned tuned = fine_tuned(untrained_network(1, 2), group, 0);
    EXPECT_EQ(problem_of(tuned.parameters), "");
    EXPECT_NE(tuned.kept, FineTuned::Kept::AsItWas);
    EXPECT_GT(tuned.rank_after, tuned.rank_before);
    const SampleGroup unseen = made_group("q", 60, slow_arithmetic());
    EXPECT_GT(rank_of(tuned.parameters, unseen), rank_of(untrained_network(1, 2), unseen));
    EXPECT_EQ(hash_of(fine_tuned(untrained_network(1, 2), group, 0).parameters),
              hash_of(tuned.parameters));
}

TEST(FineTune, is_never_for_the_worse_on_what_it_is_judged_by) {
    // Times that nothing explains.
    for (uint64_t seed = 0; seed < 6; seed++) {
        SampleGroup group = made_group("p", 60, NoCorrection());
        Random random(seed);
        for (TrainingSample &s : group.samples) s.seconds = 1e-3 * (1 + random.unit());
        for (size_t i = 0; i < group.samples.size(); i++) group.samples[i].hash = std::to_string(i);
        const NetworkParameters prior = made_network(seed, 1);
        const FineTuned tuned = fine_tuned(prior, group, seed);
        EXPECT_GE(tuned.rank_after, tuned.rank_before);
        if (tuned.kept == FineTuned::Kept::AsItWas) {
            EXPECT_EQ(hash_of(tuned.parameters), hash_of(prior));
        }
    }
}

TEST(FineTune, leaves_the_network_as_it_is_where_too_little_was_measured) {
    const SampleGroup group = made_group("p", fewest_to_fine_tune - 1, slow_arithmetic());
    const NetworkParameters prior = made_network(1, 2);
    EXPECT_EQ(hash_of(fine_tuned(prior, group, 0).parameters), hash_of(prior));
    EXPECT_EQ(hash_of(fine_tuned(prior, {"p", "", "m", {}, {}}, 0).parameters), hash_of(prior));
}

}  // namespace
}  // namespace cryolite
