// Of which updates some steps that follow each other are unrolled.
#include <set>

#include "code/legality/apply.h"
#include "search/space/tilings.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::RDom;
using Halide::Var;
using testing::SmallPipeline;

// How many steps the tilings of the update unroll along its loop over the rows' points. define: the update.
std::set<int64_t> unrolled_steps(
    const std::function<void(Halide::Func, const Halide::ImageParam &, const RDom &)> &define) {
    const Var x("x"), y("y");
    const Halide::ImageParam input = testing::image(Halide::UInt(8), 256, 128);
    const RDom r(1, 255, 0, 128, "r");
    Halide::Func updated("updated"), out("out");
    updated(x, y) = 0;
    define(updated, input, r);
    out(x, y) = updated(x, y) * 2;
    out.set_estimates({{0, 256}, {0, 256}});
    const BuiltGraph built = SmallPipeline{{out}}.build();
    const FuncId id = built.graph.find(updated.name());
    const LoopNest nest =
        *replay(built.graph,
                Trace{action::ComputeRoot{built.graph.find(out.name())}, action::ComputeRoot{id}});
    const StageId update = built.graph.func(id).stages[1];
    std::set<int64_t> steps;
    for (const auto &actions : tilings(nest, id, testing::machine(), {.count = 48}, Random(1)))
        for (const Action &a : actions)
            if (const auto *tile = std::get_if<action::Tile>(&a);
                tile && tile->stage == update && tile->dim == 0 &&
                std::ranges::find(actions, Action(action::Unroll{{update, 0, 1}})) != actions.end())
                steps.insert(tile->spans[0]);
    return steps;
}

TEST(UnrolledSteps, AreThoseOfHistograms) {
    const auto histogram = [](Halide::Func f, const Halide::ImageParam &in, const RDom &r) {
        f(cast<int>(in(r.x, r.y)), cast<int>(in(r.x - 1, r.y))) += 1;
    };
    EXPECT_EQ(unrolled_steps(histogram), (std::set<int64_t>{4, 8}));
}

TEST(UnrolledSteps, AreThoseOfScans) {
    const auto scan = [](Halide::Func f, const Halide::ImageParam &in, const RDom &r) {
        f(r.x, r.y) = f(r.x - 1, r.y) + in(r.x, r.y);
    };
    EXPECT_EQ(unrolled_steps(scan), (std::set<int64_t>{4, 8}));
}

TEST(UnrolledSteps, AreNotThoseOfSumsAndCopies) {
    const Var x("x"), y("y");
    const auto sum = [&](Halide::Func f, const Halide::ImageParam &in, const RDom &r) {
        f(x, y) += cast<int>(in(r.x, r.y)) * x;
    };
    EXPECT_EQ(unrolled_steps(sum), std::set<int64_t>{});
    const auto moved = [&](Halide::Func f, const Halide::ImageParam &in, const RDom &r) {
        f(x, r.y) += cast<int>(in(r.x, r.y));
    };
    EXPECT_EQ(unrolled_steps(moved), std::set<int64_t>{});
}

}  // namespace
}  // namespace cryolite
