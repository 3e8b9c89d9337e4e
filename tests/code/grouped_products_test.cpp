// Sums of products in groups of columns, as in a grouped convolution of bytes: each lane stands for several products,
// and all lanes of a vector share the factors of their group. That Halide sees it where the code says so, and that the
// results are right wherever the output begins.
#include <random>
#include <regex>
#include <sstream>

#include "code/kernel/channels.h"
#include "code/kernel/first_points.h"
#include "code/kernel/stage_code.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

struct Groups {
    Var c{"c"}, y{"y"};
    ImageParam rows{UInt(8), 2, "rows"}, weights{Int(8), 2, "weights"};
    RDom r{0, 32, "r"};
    Halide::Func sums{"sums"}, out{"out"};
    std::unique_ptr<BuiltGraph> built;
    StageId output, update;

    explicit Groups(int first = 0, int columns = 128) {
        sums(c, y) = 0;
        sums(c, y) += cast<int32_t>(rows(c / 32 * 32 + r, y)) * cast<int32_t>(weights(r, c));
        out(c, y) = sums(c, y) / 16;
        out.set_estimates({{first, columns}, {0, 24}});
        built = std::make_unique<BuiltGraph>(build({out}));
        output = func(*built, out).stages[0];
        update = func(*built, sums).stages[1];
    }

    // Sums of 32 columns in a tile of the output, or at root.
    LoopNest nest(bool is_joined = true, bool at_root = false) const {
        const FuncId o = func(*built, out).id, s = func(*built, sums).id;
        Trace trace{
            action::ComputeRoot{o}, action::Tile{output, 0, {32}}, action::Tile{output, 1, {4}},
            action::Vectorize{output, 0, 16},
            action::Reorder{
                output,
                {{output, 1, 0}, {output, 0, 0}, {output, 1, 1}, {output, 0, 1}, {output, 0, 2}}}};
        trace.push_back(at_root ? Action(action::ComputeRoot{s})
                                : Action(action::ComputeAt{s, {output, 0, 0}}));
        const Trace more{
            action::Tile{update, 0, {4}}, action::Vectorize{update, 1, 16},
            action::Reorder{
                update,
                {{update, 2, 0}, {update, 1, 0}, {update, 0, 0}, {update, 0, 1}, {update, 1, 1}}}};
        trace.insert(trace.end(), more.begin(), more.end());
        if (is_joined) trace.push_back(action::Join{{update, 0, 1}});
        return scheduled(built->graph, trace);
    }

    std::optional<WholePart> columns_of_case(const LoopNest &nest) const {
        for (const WholePart &p : specialized_case(nest, output))
            if (p.func_dim == 0) return p;
        return std::nullopt;
    }

    bool lanes_share_a_group(const LoopNest &nest, bool is_joined) const {
        StageExpander expander(built->graph);
        const StageCode code = stage_code(nest, update, expander);
        for (const LoadGroup &load : code.body->loads)
            if (built->graph.func(load.producer).name.starts_with("rows"))
                return lanes_share_index(nest, update, load, 0, 1, 16, is_joined);
        ADD_FAILURE();
        return false;
    }

    // Whether the output's first case loads four neighbours at once. Else it loads each lane by itself. Halide 19 writes
    // the type before the load.
    bool loads_neighbours(const LoopNest &nest) {
        EXPECT_TRUE(emit(*built, nest).ok());
        std::ostringstream text;
        for (const auto &f : out.compile_to_module({rows, weights}).functions()) text << f.body;
        std::string all = text.str();
        const size_t from = std::min(all.find("produce sums"), all.find("produce out"));
        all = all.substr(from, all.find("} else", from) - from);
        return std::regex_search(
            all, std::regex("shuffle\\((\\(\\w+\\))?rows\\[ramp\\([^\\]]*, 1, 4\\)"));
    }
};

TEST(GroupedProducts, AskForColumnsThatBeginAtNumbers) {
    const Groups groups;
    ASSERT_TRUE(groups.columns_of_case(groups.nest()));
    EXPECT_TRUE(groups.columns_of_case(groups.nest())->divides);
    EXPECT_EQ(groups.columns_of_case(groups.nest())->extent, 32);
    // Apart, a multiple will do; and at root, the sums do not begin with a part of the output.
    EXPECT_FALSE(groups.columns_of_case(groups.nest(false))->divides);
    EXPECT_EQ(groups.columns_of_case(groups.nest(false))->period, 16);
    EXPECT_FALSE(groups.columns_of_case(groups.nest(true, true))->divides);
    // Estimates that never take such a case.
    for (const Groups &other : {Groups(32), Groups(0, 120)})
        EXPECT_FALSE(other.columns_of_case(other.nest())->divides);
}

TEST(GroupedProducts, LanesShareAGroupWhereHalideSeesIt) {
    struct Case {
        int first, columns;
        bool at_root, is_shared;
    };
    for (const Case &c : std::vector<Case>{{0, 128, false, true},
                                           {0, 120, false, false},
                                           {32, 128, false, false},
                                           {0, 128, true, false}}) {
        Groups groups(c.first, c.columns);
        const LoopNest nest = groups.nest(true, c.at_root);
        EXPECT_EQ(groups.lanes_share_a_group(nest, true), c.is_shared) << c.first << c.columns;
        EXPECT_EQ(groups.loads_neighbours(nest), c.is_shared) << c.first << c.columns;
    }
    // A single product in each lane: a multiple suffices.
    const Groups groups(32);
    EXPECT_TRUE(groups.lanes_share_a_group(groups.nest(false), false));
}

TEST(GroupedProducts, AreRightAtEverySizeAndPlace) {
    Groups plain, groups;
    plain.sums.compute_root();
    ASSERT_TRUE(emit(*groups.built, groups.nest()).ok());
    for (const auto &[first, width] :
         {std::pair{0, 128}, {0, 64}, {0, 100}, {0, 31}, {32, 64}, {5, 70}}) {
        constexpr int height = 7;
        std::mt19937 random(1);
        Buffer<uint8_t> rows(256, height);
        Buffer<int8_t> weights(32, 256);
        rows.for_each_value([&](uint8_t &v) { v = static_cast<uint8_t>(random()); });
        weights.for_each_value([&](int8_t &v) { v = static_cast<int8_t>(random()); });
        Buffer<int32_t> expected(width, height), found(width, height);
        for (auto [groups_, to] : {std::pair{&plain, &expected}, {&groups, &found}}) {
            groups_->rows.set(rows);
            groups_->weights.set(weights);
            to->set_min(first, 0);
            groups_->out.realize(*to);
        }
        found.for_each_element([&](int i, int j) {
            ASSERT_EQ(found(i, j), expected(i, j))
                << first << " + " << width << ": " << i << ", " << j;
        });
    }
}

}  // namespace
}  // namespace cryolite
