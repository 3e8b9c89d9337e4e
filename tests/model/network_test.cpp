#include "model/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/model/made_network.h"

namespace cryolite {
namespace {

// As the head of network_parameters.h says it, in plain loops and doubles.
Terms corrected_plainly(const NetworkParameters &p, const FeatureRow &row, const Terms &terms) {
    const NetworkInputs inputs = network_inputs();
    std::vector<double> x;
    for (size_t i = 0; i < inputs.num_features(); i++)
        x.push_back(transformed(info(inputs.feature(i)).transform, row[index(inputs.feature(i))]));
    const double sum_of_shares = sum(terms) - terms[index(Term::PageFaults)];
    for (size_t k = 0; k < num_terms; k++)
        x.push_back(k == index(Term::PageFaults)
                        ? 0
                        : std::log1p(term_share_scale * terms[k] / sum_of_shares));
    for (size_t i = 0; i < x.size(); i++)
        x[i] = (x[i] - static_cast<double>(p.centre[i])) * static_cast<double>(p.scale[i]);
    const auto layer = [](const DenseLayer &l, const double *in, bool relu) {
        std::vector<double> out;
        for (size_t o = 0; o < l.outputs; o++) {
            double y = l.bias[o];
            for (size_t i = 0; i < l.inputs; i++)
                y += static_cast<double>(l.weight[o * l.inputs + i]) * in[i];
            out.push_back(relu ? std::max(y, 0.0) : y);
        }
        return out;
    };
    std::vector<double> n(num_terms);
    for (const NetworkMember &m : p.members) {
        std::vector<double> both = layer(m.algorithm, x.data(), true);
        for (double s : layer(m.schedule, x.data() + inputs.num_algorithm(), true))
            both.push_back(s);
        const auto last = layer(m.last, layer(m.joined, both.data(), true).data(), false);
        for (size_t k = 0; k < num_terms; k++)
            n[k] += correction_bound * std::tanh(last[k] / correction_bound) /
                    static_cast<double>(p.members.size());
    }
    Terms out = terms;
    for (size_t k = 0; k < num_terms; k++) out[k] *= p.machines[0].factors[k] * std::exp(n[k]);
    return out;
}

TEST(Network, untrained_leaves_every_bit) {
    const Network network(untrained_network(1, 4), "x86-avx512");
    NetworkParameters scaled = made_network(1, 4);
    scaled.machines.clear();
    for (NetworkMember &m : scaled.members) {
        std::ranges::fill(m.last.weight, 0.0f);
        std::ranges::fill(m.last.bias, 0.0f);
    }
    const Network with_inputs(scaled, "x86-avx512");
    Random random(2);
    for (int i = 0; i < 200; i++) {
        const FeatureRow row = made_row(random);
        const Terms terms = made_terms(random);
        for (const Network *n : {&network, &with_inputs}) {
            Terms corrected = terms;
            n->correct(row, corrected);
            EXPECT_EQ(corrected, terms);
        }
    }
}

TEST(Network, computes_what_its_formula_says) {
    const NetworkParameters p = made_network(5, 3);
    const Network network(p, "x86-avx512");
    Random random(6);
    double largest = 0;
    for (int i = 0; i < 200; i++) {
        const FeatureRow row = made_row(random);
        const Terms terms = made_terms(random);
        Terms corrected = terms;
        network.correct(row, corrected);
        const Terms expected = corrected_plainly(p, row, terms);
        for (size_t k = 0; k < num_terms; k++) {
            EXPECT_NEAR(corrected[k], expected[k], 2e-5 * expected[k]);
            if (terms[k] > 0)
                largest = std::max(largest, std::abs(std::log(corrected[k] / terms[k])));
        }
    }
    EXPECT_GT(largest, 0.5);  // something was corrected
}

TEST(Network, takes_the_factors_of_its_machine_alone) {
    NetworkParameters p = untrained_network(1, 1);
    p.machines.push_back({"slow", {}});
    p.machines[0].factors.fill(2);
    Terms terms{};
    terms[0] = 3;
    Terms slow = terms, other = terms;
    Network(p, "slow").correct(FeatureRow{}, slow);
    Network(p, "other").correct(FeatureRow{}, other);
    EXPECT_EQ(slow[0], 6);
    EXPECT_EQ(other[0], 3);
}

TEST(Network, corrections_are_bounded_and_finite_for_any_row) {
    NetworkParameters p = made_network(9, 2);
    for (NetworkMember &m : p.members)
        for (DenseLayer *layer : m.layers())
            for (float &w : layer->weight) w = w > 0 ? largest_weight : -largest_weight;
    std::ranges::fill(p.scale, largest_weight);
    ASSERT_EQ(problem_of(p), "");
    const Network network(p, "none");
    Random random(10);
    for (double large : {0.0, 1.0, 1e30, 1e300, 1.7e308}) {
        FeatureRow row{};
        for (double &v : row) v = random.chance(0.5) ? large : 0;
        for (double seconds : {0.0, 1e-300, 1.0}) {
            Terms terms;
            terms.fill(seconds);
            network.correct(row, terms);
            for (double t : terms) {
                EXPECT_GE(t, seconds * std::exp(-correction_bound) * (1 - 1e-6));
                EXPECT_LE(t, seconds * std::exp(correction_bound) * (1 + 1e-6));
            }
        }
    }
}

TEST(Network, trusts_less_beyond_what_it_has_seen) {
    const NetworkParameters p = made_network(11, 2, 100);
    const Network network(p, "none");
    const NetworkInputs inputs = network_inputs();
    const auto logarithmic = std::ranges::find_if(
        inputs.schedule, [](Feature f) { return info(f).transform == FeatureTransform::Log1p; });
    FeatureRow row{};
    EXPECT_EQ(network.trust(row), 1);
    row[index(*logarithmic)] = 100;
    EXPECT_EQ(network.trust(row), 1);
    row[index(*logarithmic)] = 101 * std::exp(1) - 1;  // one power of e beyond
    EXPECT_NEAR(network.trust(row), 0.5, 1e-6);
    row[index(*logarithmic)] = 1e300;
    EXPECT_GT(network.trust(row), 0);
    EXPECT_LT(network.trust(row), 0.02);

    // The logarithm of the correction shrinks by the trust.
    NetworkParameters without = p;
    without.low.clear();
    without.high.clear();
    Terms damped{}, whole{};
    damped[0] = whole[0] = 1;
    network.correct(row, damped);
    Network(without, "none").correct(row, whole);
    EXPECT_NEAR(std::log(damped[0]), network.trust(row) * std::log(whole[0]), 1e-5);
}

TEST(Network, is_the_same_for_the_same_seed) {
    EXPECT_EQ(hash_of(untrained_network(1, 3)), hash_of(untrained_network(1, 3)));
    EXPECT_NE(hash_of(untrained_network(1, 3)), hash_of(untrained_network(2, 3)));
}

TEST(Network, prices_doubt_by_risk) {
    const NetworkParameters parameters = made_network(7, 3, 0);  // every row is beyond the ranges
    const Network mean(parameters, ""), careful(parameters, "", 1), one(made_network(7, 1), "", 1);
    ASSERT_EQ(mean.members().size(), 3u);
    EXPECT_TRUE(one.members().empty());
    Random random(5);
    const FeatureRow row = made_row(random);
    const Terms raw = made_terms(random);
    const auto logs = [&](const Correction &correction) {
        Terms terms = raw;
        correction.correct(row, terms);
        for (size_t k = 0; k < num_terms; k++)
            terms[k] = raw[k] > 0 ? std::log(terms[k] / raw[k]) : 0;
        return terms;
    };
    const Terms at_mean = logs(mean), with_risk = logs(careful);
    const double trust = mean.trust(row);
    for (size_t k = 0; k < num_terms; k++) {
        double sum = 0, squares = 0;
        for (const auto &member : mean.members()) {
            const double n = logs(*member)[k] / trust;
            sum += n;
            squares += n * n;
        }
        EXPECT_NEAR(at_mean[k], trust * sum / 3, 1e-4);
        // Trust does not shrink the doubt. Rounding makes small deviations inexact.
        EXPECT_NEAR(with_risk[k] - at_mean[k],
                    std::sqrt(std::max(0.0, squares / 3 - sum * sum / 9)), 2e-3);
    }
}

}  // namespace
}  // namespace cryolite
