// Which Funcs later passes leave as they are, and that they come back as they were.
#include "search/refinement/freezing.h"

#include <gtest/gtest.h>

#include "machine/presets.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

struct Searched {
    BuiltGraph built;
    Machine machine;
    SearchResult found;

    explicit Searched(const testing::SmallPipeline &p)
        : built(p.build()), machine(*machine_preset("x86-avx2")), found(search()) {}

    Freezing frozen(double share) const {
        CostModel model(built.graph, machine);
        return Freezing(found.nest, model.explain(found.nest), share);
    }

private:
    SearchResult search() const {
        SearchOptions options;
        options.beam_size = 4;
        options.num_passes = 1;
        options.threads = 1;
        return cryolite::search(built.graph, machine, options);
    }
};

TEST(Freezing, holds_nothing_by_itself) {
    const Searched s(testing::pyramid(4, 1000));
    const LoopNest empty(s.built.graph);
    for (size_t i = 0; i < s.built.graph.num_scheduled(); i++) {
        EXPECT_FALSE(Freezing().holds(FuncId(i)));
        EXPECT_FALSE(Freezing().decided(empty, FuncId(i)));
    }
    EXPECT_EQ(s.frozen(0).count(), 0u);
}

TEST(Freezing, holds_what_a_share_of_the_time_bounds) {
    const Searched s(testing::pyramid(8, 4000));
    const StageGraph &graph = s.built.graph;
    CostModel model(graph, s.machine);
    const ScheduleTime time = model.explain(s.found.nest);
    size_t before = 0;
    for (double share : {0.01, 0.05, 0.2}) {
        const Freezing frozen = s.frozen(share);
        EXPECT_GE(frozen.count(), before);
        before = frozen.count();
        double seconds = 0;
        for (const StageTime &t : time.stages)
            if (frozen.holds(graph.func_of(t.stage).id)) seconds += t.seconds();
        EXPECT_LE(seconds, share * time.seconds * (1 + 1e-9));
        // The full size is never worth so little.
        EXPECT_FALSE(frozen.holds(FuncId(size_t{0})));
    }
    EXPECT_GT(before, graph.num_scheduled() / 3) << "the coarse levels cost next to nothing";
}

TEST(Freezing, leaves_a_chain_of_equal_stages_free) {
    for (const testing::SmallPipeline &p :
         {testing::box_filter(2000, 2000), testing::shifted_chain(12, 2000)})
        EXPECT_EQ(Searched(p).frozen(0.05).count(), 0u);
}

// With all frozen, and decided in their order, the state is the one that they were taken from.
TEST(Freezing, decides_as_before) {
    for (const testing::SmallPipeline &p :
         {testing::pyramid(5, 1000), testing::box_filter(640, 480),
          testing::matrix_multiply(256)}) {
        const Searched s(p);
        const Freezing all = s.frozen(1.01);
        EXPECT_EQ(all.count(), s.built.graph.num_scheduled());
        LoopNest nest(s.built.graph);
        for (size_t i = 0; i < s.built.graph.num_scheduled(); i++) {
            std::optional<LoopNest> next = all.decided(nest, FuncId(i));
            ASSERT_TRUE(next);
            nest = std::move(*next);
        }
        EXPECT_EQ(nest.hash(), s.found.nest.hash());
    }
}

// What is computed in a Func's loops has no place where those are drawn anew.
TEST(Freezing, holds_no_guest_without_its_host) {
    size_t frozen_guests = 0, free_guests = 0;
    for (const testing::SmallPipeline &p :
         {testing::pyramid(6, 2000), testing::pyramid(8, 4000), testing::pyramid(5, 1000),
          testing::pyramid(9, 1000), testing::pyramid(7, 3000), testing::pyramid(10, 4000)}) {
        const Searched s(p);
        const StageGraph &graph = s.built.graph;
        for (double share : {0.02, 0.05, 0.1, 0.3, 0.6, 0.9}) {
            const Freezing frozen = s.frozen(share);
            for (size_t i = 0; i < graph.num_scheduled(); i++) {
                const FuncNest &placed = s.found.nest.at(FuncId(i));
                if (!placed.compute_at) continue;
                (frozen.holds(FuncId(i)) ? frozen_guests : free_guests)++;
                if (!frozen.holds(FuncId(i))) continue;
                EXPECT_TRUE(frozen.holds(graph.func_of(placed.compute_at->stage).id));
            }
        }
    }
    EXPECT_GT(frozen_guests, 0u);
    EXPECT_GT(free_guests, 0u);
}

TEST(Freezing, holds_all_but_what_is_free) {
    const Searched s(testing::pyramid(4, 1000));
    const StageGraph &graph = s.built.graph;
    const LoopNest plain = plain_schedule(graph, s.machine);
    const std::vector<FuncId> free{FuncId(1), FuncId(graph.num_scheduled() - 1)};
    const Freezing frozen(plain, free);
    EXPECT_EQ(frozen.count(), graph.num_scheduled() - free.size());
    for (FuncId f : free) EXPECT_FALSE(frozen.holds(f));
    SearchOptions options;
    options.beam_size = 4;
    const SearchResult found = redecided(plain, free, s.machine, options);
    EXPECT_TRUE(found.nest.complete());
    EXPECT_LE(found.time.seconds, CostModel(graph, s.machine).explain(plain).seconds);
    for (size_t f = 0; f < graph.num_scheduled(); f++)
        if (frozen.holds(FuncId(f))) {
            EXPECT_EQ(found.nest.at(FuncId(f)).hash, plain.at(FuncId(f)).hash);
        }
}

}  // namespace
}  // namespace cryolite
