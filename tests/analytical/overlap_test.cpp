// Resources that work side by side: what the seconds are at the ends of the sharpness, and what stays exposed.
#include "analytical/overlap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace cryolite {
namespace {

Terms terms_of(std::initializer_list<std::pair<Term, double>> some) {
    Terms terms{};
    for (const auto &[term, seconds] : some) terms[index(term)] = seconds;
    return terms;
}

Terms random_terms(Random random) {
    Terms terms{};
    for (double &t : terms) t = random.chance(0.3) ? 0 : std::exp(23 * random.unit() - 20);
    return terms;
}

constexpr double much = 1e6;

TEST(Overlap, AddsUpWhereNothingOverlaps) {
    const Terms terms = terms_of({{Term::Compute, 1},
                                  {Term::L1Loads, 2},
                                  {Term::LoopOverhead, 4},
                                  {Term::MemoryLoads, 8},
                                  {Term::Launches, 16}});
    EXPECT_DOUBLE_EQ(overlapped(terms, TermTarget::Cpu, {1, 1, 16}), 31);
}

TEST(Overlap, HidesAllButTheSlowestWhereItIsPerfect) {
    const Terms terms = terms_of({{Term::Compute, 1},
                                  {Term::L1Loads, 2},
                                  {Term::LoopOverhead, 4},
                                  {Term::MemoryLoads, 5},
                                  {Term::Launches, 16}});
    // Loops come on top of what the core does, launches on top of all.
    EXPECT_NEAR(overlapped(terms, TermTarget::Cpu, {0, 0, much}), 2 + 4 + 16, 1e-4);
}

TEST(Overlap, HidesWhatACoreDoesWhileItWaits) {
    const auto seconds = [](double waiting) {
        const Terms terms = terms_of({{Term::Compute, 1},
                                      {Term::L1Loads, 2},
                                      {Term::LoopOverhead, 4},
                                      {Term::Dependence, waiting}});
        return overlapped(terms, TermTarget::Cpu, {0.5, 0, much});
    };
    EXPECT_NEAR(seconds(7), 7, 1e-4);
    EXPECT_NEAR(seconds(6), 2 + 0.5 * 1 + 4, 1e-4);
}

TEST(Overlap, LeavesAShareOfWhatIsHiddenExposed) {
    const Terms terms =
        terms_of({{Term::Compute, 1}, {Term::L1Loads, 10}, {Term::MemoryLoads, 100}});
    EXPECT_NEAR(overlapped(terms, TermTarget::Cpu, {0.1, 0.5, 64}), 100 + 0.5 * (10 + 0.1), 1e-9);
}

TEST(Overlap, TermsOfOneResourceAddUp) {
    const Terms terms = terms_of({{Term::MemoryLoads, 3}, {Term::MemoryStores, 4}});
    EXPECT_DOUBLE_EQ(overlapped(terms, TermTarget::Cpu, {0, 0, much}), 7);
}

TEST(Overlap, TakesNoTermThatTheTargetDoesNotHave) {
    const Terms terms = terms_of({{Term::LastLevelLoads, 3}, {Term::SharedLoads, 4}});
    EXPECT_DOUBLE_EQ(overlapped(terms, TermTarget::Cpu, {0.1, 0.5, 16}), 3);
    EXPECT_DOUBLE_EQ(overlapped(terms, TermTarget::Gpu, {0.1, 0.5, 16}), 4);
}

TEST(Overlap, SharesAddUpAndAreTermsTimesDerivatives) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        const Terms terms = random_terms(Random(seed));
        for (TermTarget target : {TermTarget::Cpu, TermTarget::Gpu})
            for (const OverlapRule &rule :
                 {OverlapRule{1, 1, 1}, OverlapRule{0.1, 0.5, 16}, OverlapRule{0, 0, 2}}) {
                const Overlap o = explained_overlap(terms, target, rule);
                EXPECT_EQ(o.seconds, overlapped(terms, target, rule));
                EXPECT_NEAR(sum(o.exposed), o.seconds, 1e-12 * o.seconds);
                for (size_t k = 0; k < num_terms; k++) {
                    if (!resource_of(static_cast<Term>(k), target)) {
                        EXPECT_EQ(o.exposed[k], 0);
                        continue;
                    }
                    Terms more = terms, less = terms;
                    const double step = 1e-6 * terms[k];
                    more[k] += step, less[k] -= step;
                    EXPECT_NEAR(
                        (overlapped(more, target, rule) - overlapped(less, target, rule)) / 2e-6,
                        o.exposed[k], 1e-5 * terms[k] + 1e-9 * o.seconds)
                        << term_table()[k].name << ", seed " << seed;
                }
            }
    }
}

TEST(Overlap, NeverShrinksWhereATermGrows) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        const Terms terms = random_terms(Random(seed));
        const double before = overlapped(terms, TermTarget::Cpu, {0.1, 0.5, 16});
        for (size_t k = 0; k < num_terms; k++) {
            Terms more = terms;
            more[k] = 2 * more[k] + 1e-9;
            EXPECT_GE(overlapped(more, TermTarget::Cpu, {0.1, 0.5, 16}), before * (1 - 1e-12));
        }
    }
}

TEST(Overlap, OfNothingIsNothing) {
    EXPECT_EQ(overlapped({}, TermTarget::Cpu, {0.1, 0.5, 16}), 0);
    EXPECT_EQ(sum(explained_overlap({}, TermTarget::Gpu, {0.1, 0.5, 16}).exposed), 0);
}

}  // namespace
}  // namespace cryolite
