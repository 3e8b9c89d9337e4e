// Batches for a tuner: new, legal and different schedules, and the same ones on any number of threads.
#include "search/next_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "code/legality/validate.h"
#include "machine/presets.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::machine;

BatchOptions options(size_t count) {
    BatchOptions o;
    o.count = count;
    o.search.seed = 5;
    o.search.time_limit_seconds = 1e6;
    return o;
}

std::vector<uint64_t> hashes(const std::vector<BatchEntry> &batch) {
    std::vector<uint64_t> out;
    for (const BatchEntry &e : batch) out.push_back(e.nest.hash());
    return out;
}

TEST(NextBatch, is_of_legal_complete_schedules_that_differ_and_are_not_known) {
    const BuiltGraph built = testing::box_filter(641, 479).build();
    const Machine m = machine();
    BatchOptions o = options(24);
    const auto first = next_batch(built.graph, m, o);
    ASSERT_EQ(first.size(), 24u);
    EXPECT_EQ(first[0].origin, Origin::Beam);
    EXPECT_GE(std::ranges::count(first, Origin::Structure, &BatchEntry::origin), 2);
    for (size_t i = 2; i < first.size(); i++)
        EXPECT_GE(first[i].predicted_seconds, first[i - 1].predicted_seconds);
    EXPECT_LE(first.back().predicted_seconds, 3 * first[0].predicted_seconds);
    EXPECT_EQ(first[0].nest.hash(), search(built.graph, m, o.search).nest.hash());
    for (const BatchEntry &e : first) o.known.insert(e.nest.hash());
    o.fastest = {first[0].nest, first[3].nest};
    o.search.seed = 6;
    const auto second = next_batch(built.graph, m, o);
    std::set<uint64_t> seen(o.known.begin(), o.known.end());
    for (const BatchEntry &e : second) {
        EXPECT_TRUE(e.nest.complete());
        EXPECT_EQ(validate(e.nest), "");
        EXPECT_TRUE(seen.insert(e.nest.hash()).second);
        EXPECT_GT(e.predicted_seconds, 0);
    }
    EXPECT_GE(std::ranges::count(second, Origin::Changed, &BatchEntry::origin), 10);
    EXPECT_GE(std::ranges::count(second, Origin::Greedy, &BatchEntry::origin), 8);
}

TEST(NextBatch, draws_a_share_whatever_the_model_says) {
    const BuiltGraph built = testing::box_filter(641, 479).build();
    const Machine m = machine();
    BatchOptions o = options(24);
    o.any_share = 0.5;
    const auto batch = next_batch(built.graph, m, o);
    EXPECT_GE(std::ranges::count(batch, Origin::Any, &BatchEntry::origin), 6);
    EXPECT_GE(std::ranges::count(batch, Origin::Greedy, &BatchEntry::origin), 6);
    for (const BatchEntry &e : batch) EXPECT_EQ(validate(e.nest), "");
}

TEST(NextBatch, does_not_depend_on_the_number_of_threads) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    BatchOptions o = options(16);
    o.fastest = {plain_schedule(built.graph, machine())};
    o.search.threads = 1;
    const auto one = hashes(next_batch(built.graph, machine(), o));
    o.search.threads = 3;
    EXPECT_EQ(hashes(next_batch(built.graph, machine(), o)), one);
    o.search.seed++;
    EXPECT_NE(hashes(next_batch(built.graph, machine(), o)), one);
}

TEST(NextBatch, ends_when_a_pipeline_has_no_more_and_at_its_deadline) {
    const BuiltGraph built = testing::shifted_chain(1, 1).build();
    EXPECT_LT(next_batch(built.graph, machine(), options(50)).size(), 50u);
    BatchOptions late = options(50);
    late.search.deadline = Deadline::after(-1);
    EXPECT_TRUE(next_batch(built.graph, machine(), late).empty());
}

// Makes tasks so dear that no schedule should have any.
struct DearTasks : NoCorrection {
    void correct(std::span<const double>, Terms &terms) const override {
        terms[index(Term::Tasks)] *= 1e6;
    }
};

TEST(NextBatch, follows_the_correction) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    BatchOptions o = options(1);
    const LoopNest before = next_batch(built.graph, machine(), o)[0].nest;
    o.search.correction = std::make_shared<DearTasks>();
    const LoopNest after = next_batch(built.graph, machine(), o)[0].nest;
    const auto tasks = [&](const LoopNest &nest) {
        double sum = 0;
        for (const StageTime &t : CostModel(built.graph, machine()).explain(nest).stages)
            sum += t.raw[index(Term::Tasks)];
        return sum;
    };
    EXPECT_GT(tasks(before), 0);
    EXPECT_LT(tasks(after), tasks(before));
}

}  // namespace
}  // namespace cryolite
