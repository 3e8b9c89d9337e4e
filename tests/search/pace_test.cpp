// How much is searched: by the length of the pipeline, and so that the work lasts to its last Func.
#include "search/pace.h"

#include <gtest/gtest.h>

#include "machine/presets.h"
#include "search/effort.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

TEST(Effort, goes_with_the_length_of_the_pipeline_and_is_bounded_in_states) {
    const BuiltGraph few = testing::box_filter(640, 480).build(),
                     many = testing::shifted_chain(120, 333).build();
    const Effort little = effort(few.graph, {}), much = effort(many.graph, {});
    EXPECT_GT(little.beam_size, much.beam_size);
    EXPECT_GT(little.tilings, much.tilings);
    EXPECT_EQ(little.work, much.work);
    SearchOptions asked;
    asked.beam_size = 7;
    asked.num_passes = 3;
    asked.tilings_per_placement = 5;
    const Effort given = effort(few.graph, asked);
    EXPECT_EQ(given.beam_size, 7);
    EXPECT_EQ(given.passes, 3);
    EXPECT_EQ(given.tilings, 5);
    EXPECT_EQ(given.starts, little.starts);
    asked.num_passes = 1;
    EXPECT_EQ(effort(few.graph, asked).starts, 1);
}

TEST(Pace, narrows_a_step_only_where_the_work_would_not_last) {
    // Ten steps of 100 each: 900 left after the first are enough for 9 more.
    Pace enough(10, 4, 1000);
    EXPECT_EQ(enough.width(100, 10, 9), 10);
    // 500 left for 10 steps, at 10 an item: 5 items each.
    Pace half(10, 4, 600);
    EXPECT_EQ(half.width(100, 10, 10), 5);
    // Nothing is left: the narrowest that still chooses.
    EXPECT_EQ(half.width(10'000, 5, 3), 4);
    Pace narrow(2, 4, 1);
    EXPECT_EQ(narrow.width(50, 1, 8), 2);
    Pace without(64, 4, Pace::unlimited);
    EXPECT_EQ(without.width(1'000'000, 64, 100), 64);
    // What takes nothing says nothing.
    EXPECT_EQ(half.width(0, 5, 3), 10);
}

// Found by a race: of 40 Funcs the last 20 had been left at root, each with a pass over memory.
TEST(Search, reaches_the_end_of_a_long_pipeline_on_little_work) {
    const BuiltGraph built = testing::shifted_chain(40, 4000).build();
    Effort few = effort(built.graph, {});
    few.passes = 1;
    few.work = 160'000;
    few.refine = false;
    const SearchResult r = search(built.graph, *machine_preset("x86-avx2"), {}, few, {});
    EXPECT_LT(r.statistics.funcs_priced, few.work + few.work / 4);
    EXPECT_FALSE(r.statistics.hit_time_limit);
    for (size_t f = 1; f < built.graph.num_scheduled(); f++)
        EXPECT_NE(r.nest.at(FuncId(f)).placement, Placement::Root) << f;
}

}  // namespace
}  // namespace cryolite
