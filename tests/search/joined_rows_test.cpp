// Short rows that are joined in one vector: which widths the search tries, and that it finds them for blocks.
#include <gtest/gtest.h>

#include <set>

#include "code/legality/apply.h"
#include "schedule/func_nest.h"
#include "search/space/tilings.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;

// The widths of the vectors that join rows of so many points, of all templates.
std::set<int64_t> joined_widths(int points, const std::string &preset) {
    Var u("u"), x("x"), y("y");
    ImageParam in(Float(32), 3, "in");
    RDom r(0, points, "r");
    Halide::Func rows("rows"), out("out");
    rows(u, x, y) = in(u, x, y) * in(u, x, y + 1);
    out(x, y) = 0.0f;
    out(x, y) += rows(r, x, y);
    out.set_estimates({{0, 256}, {0, 64}});
    const BuiltGraph built = testing::SmallPipeline{{out}}.build();
    const FuncId o = built.graph.find(out.name()), f = built.graph.find(rows.name());
    const StageId s = built.graph.func(o).stages[1];
    const LoopNest placed = *replay(
        built.graph,
        Trace{action::ComputeRoot{o}, action::Tile{s, 2, {4}}, action::ComputeAt{f, {s, 2, 0}}});
    const Machine machine = *machine_preset(preset);
    std::set<int64_t> widths;
    for (const auto &actions : tilings(placed, f, Hardware(machine), {0, true}, Random(1))) {
        LoopNest nest = placed;
        for (const Action &a : actions) {
            auto next = cryolite::apply(nest, a);
            EXPECT_TRUE(next.ok()) << name(next.error());
            if (!next.ok()) return {};
            nest = std::move(*next);
        }
        const StageNest &rows = nest.at(f).stages[0];
        if (joined_points(rows) == 1) continue;
        EXPECT_EQ(joined_points(rows), points);
        widths.insert(rows.loops.back().extent);
    }
    return widths;
}

TEST(JoinedRows, FillTheMachinesVectors) {
    EXPECT_EQ(joined_widths(4, "x86-avx2"), (std::set<int64_t>{2, 4, 8}));
    EXPECT_EQ(joined_widths(3, "x86-avx2"), (std::set<int64_t>{8}));
    EXPECT_EQ(joined_widths(8, "x86-avx512"), (std::set<int64_t>{2, 4, 8}));
    EXPECT_TRUE(joined_widths(64, "x86-avx2").empty()) << "long rows have vectors of their own";
}

}  // namespace
}  // namespace cryolite
