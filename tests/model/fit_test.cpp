// Factors that are known are found again; what the measurements do not tell stays 1.
#include "model/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace cryolite {
namespace {

const OverlapRule rule{0.2, 0.3, 8};

// Schedules of three stages, in which compute, L1, L2 and memory take turns to be the slowest.
std::vector<MeasuredSchedule> schedules(size_t count, const Coefficients &truth, double noise) {
    std::vector<MeasuredSchedule> all;
    Random random(3);
    for (size_t i = 0; i < count; i++) {
        MeasuredSchedule s;
        for (int stage = 0; stage < 3; stage++) {
            StageTerms terms;
            for (Term t : {Term::Compute, Term::L1Loads, Term::L2Loads, Term::MemoryLoads})
                terms.raw[index(t)] = 1e-3 * std::pow(random.unit(), 3);
            s.stages.push_back(terms);
        }
        s.seconds = predicted_seconds(s, truth, rule) * std::exp(noise * (2 * random.unit() - 1));
        all.push_back(s);
    }
    return all;
}

Coefficients some_factors() {
    std::array<double, num_terms> factors;
    factors.fill(1);
    factors[index(Term::Compute)] = 2;
    factors[index(Term::L2Loads)] = 0.5;
    factors[index(Term::MemoryLoads)] = 1.5;
    return Coefficients(factors);
}

TEST(FitCoefficients, finds_factors_that_are_known) {
    const Coefficients truth = some_factors();
    const Coefficients found = fit_coefficients(schedules(400, truth, 0.1), rule);
    for (Term t : {Term::Compute, Term::L1Loads, Term::L2Loads, Term::MemoryLoads})
        EXPECT_NEAR(found.factors()[index(t)] / truth.factors()[index(t)], 1, 0.15) << info(t).name;
}

TEST(FitCoefficients, is_not_led_astray_by_a_few_schedules) {
    const Coefficients truth = some_factors();
    auto all = schedules(400, truth, 0.1);
    for (size_t i = 0; i < 20; i++) all[i].seconds *= 100;
    const Coefficients found = fit_coefficients(all, rule);
    EXPECT_NEAR(found.factors()[index(Term::Compute)], 2, 0.5);
}

TEST(FitCoefficients, leaves_alone_what_was_not_measured) {
    EXPECT_EQ(fit_coefficients({}, rule).factors(), Coefficients().factors());
    // Everything is twice as slow: a factor that all terms share, those without a sample, too.
    std::array<double, num_terms> twice;
    twice.fill(2);
    const Coefficients found = fit_coefficients(schedules(400, Coefficients(twice), 0), rule);
    EXPECT_NEAR(found.factors()[index(Term::Tasks)], 2, 0.2);
    EXPECT_NEAR(found.factors()[index(Term::Compute)], 2, 0.2);
}

TEST(FitCoefficients, of_one_sample_is_cautious_and_finite) {
    auto one = schedules(1, Coefficients(), 0);
    one[0].seconds *= 1e6;
    const Coefficients found = fit_coefficients(one, rule);
    for (double f : found.factors()) {
        EXPECT_TRUE(std::isfinite(f));
        EXPECT_GT(f, 0);
        EXPECT_LT(f, 1e6);
    }
}

TEST(RankCorrelation, is_spearmans) {
    const std::vector<double> a{1, 2, 3, 4}, up{10, 20, 30, 1000}, down{4, 3, 2, 1}, flat(4, 1.0),
        tied{1, 1, 3, 4};
    EXPECT_DOUBLE_EQ(rank_correlation(a, up), 1);
    EXPECT_DOUBLE_EQ(rank_correlation(a, down), -1);
    EXPECT_DOUBLE_EQ(rank_correlation(a, flat), 0);
    EXPECT_NEAR(rank_correlation(a, tied), 0.9487, 1e-4);
    EXPECT_DOUBLE_EQ(rank_correlation(std::vector<double>{1, 2}, std::vector<double>{1, 2}), 0);
}

}  // namespace
}  // namespace cryolite
