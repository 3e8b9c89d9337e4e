// Hill climbing from several starts.
#include "search/refinement/climb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "search/beam/candidates.h"
#include "search/beam/pass.h"
#include "search/search.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using ::cryolite::testing::machine;

// A search that is about to refine what a pass found.
struct Refining {
    const BuiltGraph built;
    const Machine on = machine();
    SearchOptions options;
    Effort effort;
    const Log silent{};
    std::optional<SearchContext> search;

    Refining(const testing::SmallPipeline &p, int64_t threads, uint64_t work = 1'000'000)
        : built(p.build()), effort(cryolite::effort(built.graph, {})) {
        options.threads = threads;
        effort.refinement_work = work;
        search.emplace(built.graph, Hardware(on), options, effort, silent, CompileBudget{});
    }

    BeamState state(LoopNest nest) {
        return search->workers.first().evaluated_at_any_size(std::move(nest));
    }
    BeamState plain() { return state(plain_schedule(built.graph, on)); }
    // What a narrow pass ends with.
    std::vector<BeamState> ends() { return run_pass(*search, {0, false}, Plans({})).last; }
};

std::vector<testing::SmallPipeline> pipelines() {
    return {testing::box_filter(640, 480), testing::matrix_multiply(256),
            testing::pyramid(4, 1000)};
}

TEST(Climb, from_several_starts_ends_no_higher_than_the_best_of_them) {
    for (const testing::SmallPipeline &p : pipelines()) {
        Refining r(p, 1);
        std::vector<BeamState> starts = r.ends();
        ASSERT_GT(starts.size(), 4u);
        starts.erase(starts.begin() + 4, starts.end());
        starts.push_back(r.plain());
        double least = starts[0].seconds;
        for (const BeamState &s : starts) least = std::min(least, s.seconds);
        const BeamState found = best_climbed(*r.search, std::move(starts), Deadline());
        EXPECT_LE(found.seconds, least);
        EXPECT_EQ(validate(found.nest), "");
        EXPECT_EQ(found.seconds, r.state(found.nest).seconds);
    }
}

TEST(Climb, finds_the_same_on_any_number_of_threads_and_in_any_order_of_starts) {
    for (const testing::SmallPipeline &p : pipelines()) {
        std::vector<uint64_t> found;
        for (int64_t threads : {1, 3}) {
            for (bool turned : {false, true}) {
                Refining r(p, threads);
                std::vector<BeamState> starts = r.ends();
                starts.erase(starts.begin() + 3, starts.end());
                if (turned) std::ranges::reverse(starts);
                found.push_back(best_climbed(*r.search, std::move(starts), Deadline()).nest.hash());
            }
        }
        EXPECT_EQ(std::set<uint64_t>(found.begin(), found.end()).size(), 1u);
    }
}

// The first round of the best start is all that so little work lasts for.
TEST(Climb, starts_no_more_often_than_its_work_lasts_for) {
    for (const testing::SmallPipeline &p : pipelines()) {
        const auto work = [&](uint64_t allowed, int starts) {
            Refining r(p, 1, allowed);
            std::vector<BeamState> ends = r.ends();
            ends.erase(ends.begin() + starts, ends.end());
            const uint64_t before = r.search->workers.work();
            best_climbed(*r.search, std::move(ends), Deadline());
            return r.search->workers.work() - before;
        };
        const uint64_t little = work(1, 1);
        EXPECT_EQ(work(1, 4), little);
        const uint64_t much = work(1'000'000'000, 1);
        EXPECT_GT(much, little);
        EXPECT_GT(work(1'000'000'000, 4), much);
    }
}

TEST(CoarseStructure, is_of_places_and_vectors_alone) {
    const BuiltGraph built = testing::box_filter(640, 480).build();
    const StageId s = built.graph.func(FuncId(0)).stages[0];
    const auto structure = [&](std::vector<Action> actions) {
        LoopNest nest = plain_schedule(built.graph, machine()).without(FuncId(0));
        actions.insert(actions.begin(), action::ComputeRoot{FuncId(0)});
        for (const Action &a : actions) EXPECT_TRUE(try_apply(nest, a));
        return coarse_structure(nest);
    };
    const uint64_t along_x = structure({action::Vectorize{s, 0, 8}});
    EXPECT_EQ(along_x, structure({action::Tile{s, 1, {16}}, action::Vectorize{s, 0, 8}}));
    EXPECT_EQ(along_x, structure({action::Vectorize{s, 0, 8}, action::Parallel{s, 1}}));
    EXPECT_NE(along_x, structure({action::Vectorize{s, 1, 8}}));
    EXPECT_NE(along_x, structure({}));
}

}  // namespace
}  // namespace cryolite
