// What takes no time to run should take none to compile.
#include "search/refinement/economy.h"

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "schedule/func_nest.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

class Economy : public ::testing::Test {
protected:
    explicit Economy(const testing::SmallPipeline &p = testing::pyramid(10, 8000))
        : built_(p.build()), machine_(testing::machine()) {
        options_.beam_size = 4;
        options_.num_passes = 1;
        options_.threads = 2;
        options_.time_limit_seconds = 1000;
    }

    BeamState economised(const LoopNest &complete, double limit_seconds = 1e9) {
        const Log silent;
        SearchContext context(built_.graph, machine_, options_, effort(built_.graph, options_),
                              silent, CompileBudget{});
        const BeamState before = context.workers.first().evaluated_at_any_size(complete);
        seconds_before_ = before.seconds;
        compile_seconds_before_ = before.compile_seconds;
        return cryolite::economised(context, before, limit_seconds, Deadline());
    }

    // Every Func at root in unrolled vectors, as if each were worth it.
    LoopNest unrolled_everywhere() const {
        LoopNest nest(built_.graph);
        for (size_t i = 0; i < built_.graph.num_scheduled(); i++) {
            const Func &func = built_.graph.func(FuncId(i));
            try_apply(nest, action::ComputeRoot{func.id});
            for (StageId s : func.stages) {
                try_apply(nest, action::Tile{s, 0, {64, 8}});
                try_apply(nest, action::Vectorize{s, 0, 8});
                try_apply(nest, action::Unroll{{s, 0, 1}});
            }
        }
        return finish_plainly(nest, machine_);
    }

    BuiltGraph built_;
    Machine machine_;
    SearchOptions options_;
    double seconds_before_ = 0, compile_seconds_before_ = 0;
};

TEST_F(Economy, simplifies_what_takes_no_time) {
    const BeamState after = economised(unrolled_everywhere());
    EXPECT_LT(after.compile_seconds, 0.7 * compile_seconds_before_);
    EXPECT_LE(after.seconds, 1.005 * seconds_before_);
    EXPECT_TRUE(after.nest.complete());
}

// Plain loops at root have tasks. In another Func's loops they would be started again and again.
TEST_F(Economy, makes_no_tasks_within_tasks) {
    const SearchResult found = search(built_.graph, machine_, options_);
    int placed_inside = 0;
    for (size_t i = 0; i < built_.graph.num_scheduled(); i++) {
        const FuncNest &nest = found.nest.at(FuncId(i));
        if (nest.placement != Placement::At) continue;
        placed_inside++;
        for (const StageNest &s : nest.stages)
            for (const LoopLevel &l : s.loops) EXPECT_NE(l.kind, LoopKind::Parallel);
    }
    EXPECT_GT(placed_inside, 0);
}

TEST_F(Economy, gives_up_nothing_beyond_its_limit) {
    const LoopNest nest = unrolled_everywhere();
    economised(nest);
    EXPECT_LE(economised(nest, seconds_before_).seconds, seconds_before_);
}

TEST_F(Economy, is_the_same_on_any_number_of_threads) {
    const LoopNest nest = unrolled_everywhere();
    const BeamState on_two = economised(nest);
    options_.threads = 1;
    EXPECT_EQ(economised(nest).nest.hash(), on_two.nest.hash());
}

class EconomyOfOneStencil : public Economy {
protected:
    EconomyOfOneStencil() : Economy(testing::box_filter(4000, 3000)) {}
};

// All that there is takes time.
TEST_F(EconomyOfOneStencil, keeps_what_runs_faster) {
    const SearchResult found = search(built_.graph, machine_, options_);
    EXPECT_EQ(economised(found.nest).nest.hash(), found.nest.hash());
}

}  // namespace
}  // namespace cryolite
