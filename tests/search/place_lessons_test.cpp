// What one state teaches another of a Func's loops.
#include "search/beam/place_lessons.h"

#include <gtest/gtest.h>

#include <set>

#include "search/beam/expand.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using testing::machine;

PlacementActions at_loop(int16_t level) {
    return {action::ComputeAt{FuncId(1), {StageId(0), 0, level}}};
}

std::vector<Action> tile(int64_t size) { return {action::Tile{StageId(1), 0, {size}}}; }

TEST(PlaceLessons, keep_the_best_eighth_of_each_place) {
    PlaceLessons lessons;
    EXPECT_FALSE(lessons.knows(at_loop(0)));
    std::vector<TriedLoops> tried;
    for (int64_t i = 1; i <= 24; i++) tried.push_back({tile(i), 100 - static_cast<double>(i)});
    lessons.learn(at_loop(0), tried);
    ASSERT_TRUE(lessons.knows(at_loop(0)));
    EXPECT_FALSE(lessons.knows(at_loop(1)));
    EXPECT_EQ(lessons.best(at_loop(0)),
              (std::vector<std::vector<Action>>{tile(24), tile(23), tile(22)}));
    lessons.learn(at_loop(0), {{tile(1), 0}});  // the first lesson holds
    EXPECT_EQ(lessons.best(at_loop(0)).size(), 3u);
    lessons.learn(at_loop(1), {{tile(2), 5}, {tile(4), 4}});
    EXPECT_EQ(lessons.best(at_loop(1)), (std::vector<std::vector<Action>>{tile(4)}));
    lessons.learn(at_loop(2), {});  // nothing fitted there
    EXPECT_TRUE(lessons.best(at_loop(2)).empty());
}

// A state that is taught has fewer children, and among them those with the loops that were best in the other.
TEST(Expander, tries_what_it_is_taught_and_little_else) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    const Machine m = machine();
    const SearchOptions options;
    Expander expander(built.graph, m, options);
    const TilingDraw of_output{FuncId(0), 0, 24}, of_next{FuncId(1), 0, 24};
    std::vector<BeamState> beam;
    expander.expand({LoopNest(built.graph), 0}, of_output, {}, beam);
    beam = select(std::move(beam), 2, FuncId(1), 1, &expander.statistics().states_duplicate);
    ASSERT_EQ(beam.size(), 2u);
    const Places first = expander.places(beam[0], FuncId(1), {}),
                 second = expander.places(beam[1], FuncId(1), {});
    size_t compared = 0;
    for (const Places::Place &place : first.places) {
        const auto same = std::ranges::find(second.places, place.where, &Places::Place::where);
        std::vector<BeamState> all, taught, untaught;
        PlaceLessons lessons;
        lessons.learn(place.where, expander.expand(first, place, of_next, nullptr, {}, all));
        if (same == second.places.end() || all.size() < 8) continue;
        compared++;
        expander.expand(second, *same, of_next, nullptr, {}, untaught);
        const auto tried =
            expander.expand(second, *same, of_next, &lessons.best(place.where), {}, taught);
        EXPECT_LT(taught.size(), untaught.size());
        for (const std::vector<Action> &how : lessons.best(place.where))
            EXPECT_TRUE(
                std::ranges::any_of(tried, [&](const TriedLoops &t) { return t.how == how; }));
    }
    EXPECT_GT(compared, 0u);
}

}  // namespace
}  // namespace cryolite
