// Batches of random schedules: legal, all different, the same for the same seed, and no noise but
// schedules that the search might have chosen.
#include "search/draw.h"

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

std::vector<uint64_t> hashes(const std::vector<Drawn> &drawn) {
    std::vector<uint64_t> out;
    for (const Drawn &d : drawn) out.push_back(d.nest.hash());
    return out;
}

TEST(DrawSchedules, gives_complete_legal_schedules_that_all_differ) {
    const BuiltGraph built = cryolite::testing::box_filter(641, 479).build();
    const std::vector<Drawn> drawn = draw_schedules(built.graph, machine(), 30, 1);
    EXPECT_EQ(drawn.size(), 30u);
    std::set<uint64_t> seen;
    for (const Drawn &d : drawn) {
        EXPECT_TRUE(d.nest.complete());
        EXPECT_EQ(validate(d.nest), "");
        EXPECT_TRUE(seen.insert(d.nest.hash()).second);
    }
}

TEST(DrawSchedules, begins_with_what_the_search_chooses) {
    const BuiltGraph built = cryolite::testing::matrix_multiply(128).build();
    SearchOptions options;
    options.time_limit_seconds = 1e6;
    EXPECT_EQ(draw_schedules(built.graph, machine(), 2, 0)[0].nest.hash(),
              search(built.graph, machine(), options).nest.hash());
}

TEST(DrawSchedules, is_the_same_for_the_same_seed_and_begins_alike_for_other_counts) {
    const BuiltGraph built = cryolite::testing::box_filter(640, 480).build();
    const std::vector<uint64_t> many = hashes(draw_schedules(built.graph, machine(), 12, 7));
    EXPECT_EQ(hashes(draw_schedules(built.graph, machine(), 12, 7)), many);
    EXPECT_NE(hashes(draw_schedules(built.graph, machine(), 12, 8)), many);
    std::vector<uint64_t> few = hashes(draw_schedules(built.graph, machine(), 5, 7));
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

// Memos only save time.
TEST(DisturbedSearch, ends_alike_with_what_others_have_remembered) {
    const BuiltGraph built = cryolite::testing::box_filter(640, 480).build();
    const Machine m = machine();
    SearchOptions options;
    options.time_limit_seconds = 1e6;
    const Effort full = effort(built.graph, options);
    const double noises[] = {1.5};
    const int64_t beams[] = {1, 8};
    CostModel model(built.graph, m);
    size_t alone = 0, together = 0;
    for (uint64_t i = 0; i < 6; i++) {
        const Random random = Random(3).fork("draw", i);
        const auto drawn = [&](CostModel *shared) {
            SearchOptions o = options;
            o.model = shared;
            return disturbed_search(built.graph, m, o, full, {noises, beams}, random).nest.hash();
        };
        CostModel own(built.graph, m);
        const uint64_t expected = drawn(&own);
        alone += own.kernels_evaluated();
        EXPECT_EQ(drawn(nullptr), expected);
        EXPECT_EQ(drawn(&model), expected);
        together += model.kernels_evaluated();
    }
    EXPECT_LT(together, alone);
}

TEST(DrawSchedules, spreads_over_placements_and_stays_within_reason) {
    const BuiltGraph built = cryolite::testing::box_filter(640, 480).build();
    const Machine m = machine();
    CostModel model(built.graph, m);
    std::set<Placement> placements;
    std::vector<double> seconds;
    for (const Drawn &d : draw_schedules(built.graph, m, 40, 3)) {
        placements.insert(d.nest.at(FuncId(1)).placement);
        seconds.push_back(model.evaluate(d.nest).seconds);
    }
    EXPECT_GE(placements.size(), 2u);
    const double pick = seconds[0];
    std::ranges::sort(seconds);
    EXPECT_LT(seconds[20], 4 * pick);     // the median
    EXPECT_GT(seconds[36], 1.05 * pick);  // and not all the same
    // A search chose it over the plain schedule, with either cost wrong by 6 at most.
    EXPECT_LE(seconds[39], 36 * model.evaluate(plain_schedule(built.graph, m)).seconds);
}

// Of matrices that are larger than the caches, so that schedules differ by what they move.
TEST(DrawSchedules, takes_any_legal_schedule_when_asked) {
    const BuiltGraph built = cryolite::testing::matrix_multiply(1024).build();
    const Machine m = machine();
    CostModel model(built.graph, m);
    const auto high_cost = [&](DrawFrom from) {
        std::vector<double> seconds;
        for (const Drawn &d : draw_schedules(built.graph, m, 40, 3, from)) {
            EXPECT_EQ(validate(d.nest), "");
            seconds.push_back(model.evaluate(d.nest).seconds);
        }
        std::ranges::sort(seconds);
        return seconds[seconds.size() * 9 / 10];
    };
    EXPECT_GT(high_cost(DrawFrom::Any), 1.5 * high_cost(DrawFrom::Likely));
}

TEST(DrawSchedules, ends_when_a_pipeline_has_no_more) {
    const BuiltGraph built = cryolite::testing::shifted_chain(1, 1).build();
    const std::vector<Drawn> drawn = draw_schedules(built.graph, machine(), 50, 0);
    EXPECT_GE(drawn.size(), 1u);
    EXPECT_LT(drawn.size(), 50u);
}

}  // namespace
}  // namespace cryolite
