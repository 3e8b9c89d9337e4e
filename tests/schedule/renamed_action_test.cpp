// Actions of one Func made actions of another.
#include "schedule/renamed_action.h"

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "graph_fixtures.h"
#include "random_trace.h"

namespace cryolite::testing {
namespace {

// Two pairs of Funcs that do the same: first_sum reads first_input, and so on. Each sum has an update.
struct Pairs {
    GraphMaker make;
    std::vector<FuncId> sums, sources;
    StageGraph graph;

    Pairs() : graph(made()) {}

    FuncId other(FuncId f) const {
        for (const auto &pair : {sums, sources})
            for (size_t i = 0; i < 2; i++)
                if (pair[i] == f) return pair[1 - i];
        return f;
    }

private:
    StageGraph made() {
        for (const char *name : {"first", "second"})
            sums.push_back(make.func(name, {"x", "y"}, FuncRole::Output, Box{{0, 63}, {0, 63}}));
        for (const char *name : {"first_source", "second_source"})
            sources.push_back(make.func(name, {"x", "y"}));
        for (FuncId f : sums) {
            make.stage(f, {GraphMaker::pure("x", 0), GraphMaker::pure("y", 1)});
            make.stage(f, {GraphMaker::pure("x", 0), GraphMaker::pure("y", 1)});
        }
        for (FuncId f : sources)
            make.stage(f, {GraphMaker::pure("x", 0), GraphMaker::pure("y", 1)});
        return make.finish();
    }
};

TEST(RenamedAction, IsTheSameForAnotherFunc) {
    const Pairs p;
    const auto other = [&](FuncId f) { return std::optional(p.other(f)); };
    const FuncId a = p.sums[0], b = p.sums[1], from = p.sources[0], to = p.sources[1];
    const StageId update_of_a = p.graph.func(a).stages[1], update_of_b = p.graph.func(b).stages[1];
    const LoopName in_a{update_of_a, 1, 1}, in_b{update_of_b, 1, 1};
    const std::vector<std::pair<Action, Action>> pairs{
        {action::Inline{from}, action::Inline{to}},
        {action::ComputeRoot{from}, action::ComputeRoot{to}},
        {action::ComputeAt{from, in_a}, action::ComputeAt{to, in_b}},
        {action::ComputeWith{from, in_a}, action::ComputeWith{to, in_b}},
        {action::StoreAt{from, in_a}, action::StoreAt{to, in_b}},
        {action::StoreAt{from, std::nullopt}, action::StoreAt{to, std::nullopt}},
        {action::ReorderStorage{from, {1, 0}}, action::ReorderStorage{to, {1, 0}}},
        {action::Tile{update_of_a, 1, {8}}, action::Tile{update_of_b, 1, {8}}},
        {action::Reorder{update_of_a, {in_a}}, action::Reorder{update_of_b, {in_b}}},
        {action::Vectorize{update_of_a, 0, 48, 3}, action::Vectorize{update_of_b, 0, 48, 3}},
        {action::Unroll{in_a}, action::Unroll{in_b}},
        {action::Join{in_a}, action::Join{in_b}},
        {action::Parallel{update_of_a, 2}, action::Parallel{update_of_b, 2}},
        {action::MapToBlocks{update_of_a, {in_a}}, action::MapToBlocks{update_of_b, {in_b}}},
        {action::MapToThreads{update_of_a, {in_a}}, action::MapToThreads{update_of_b, {in_b}}},
        {action::TensorTile{p.graph.func(a).stages[0], update_of_a, {}},
         action::TensorTile{p.graph.func(b).stages[0], update_of_b, {}}},
    };
    for (size_t i = 0; i < pairs.size(); i++) {
        EXPECT_EQ(renamed(pairs[i].first, p.graph, other), pairs[i].second) << i;
        EXPECT_EQ(renamed(pairs[i].second, p.graph, other), pairs[i].first) << i;
    }
    EXPECT_EQ(std::variant_size_v<Action>, 15u) << "an action of a new kind has no case here";
}

TEST(RenamedAction, IsNothingWithoutACounterpart) {
    const Pairs p;
    const FuncId a = p.sums[0], from = p.sources[0];
    const auto only_sources = [&](FuncId f) -> std::optional<FuncId> {
        if (f == from) return p.sources[1];
        return std::nullopt;
    };
    const LoopName in_a{p.graph.func(a).stages[0], 0, 0};
    EXPECT_TRUE(renamed(action::ComputeRoot{from}, p.graph, only_sources));
    EXPECT_FALSE(renamed(action::ComputeAt{from, in_a}, p.graph, only_sources));
    EXPECT_FALSE(renamed(action::StoreAt{from, in_a}, p.graph, only_sources));
    EXPECT_FALSE(renamed(action::Reorder{in_a.stage, {in_a}}, p.graph, only_sources));
}

}  // namespace
}  // namespace cryolite::testing
