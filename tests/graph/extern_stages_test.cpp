// Extern stages: where they and their inputs stand, and what has to be known of these.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

TEST(ExternStages, ExternStagesAndTheirInputsStayAtRoot) {
    Var x, y;
    Halide::Func before("before"), stage_("stage"), out("out");
    before(x, y) = x + y;
    stage_.define_extern("some_stage", {before}, Int(32), {x, y});
    out(x, y) = stage_(x, y) + 1;
    estimate(out, {16, 8});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, stage_).is_extern);
    EXPECT_TRUE(func(built, stage_).root_only);
    EXPECT_FALSE(func(built, stage_).can_inline);
    EXPECT_TRUE(func(built, before).root_only);
    EXPECT_FALSE(func(built, before).can_inline);
    EXPECT_EQ(func(built, before).root_region, (Box{{0, 15}, {0, 7}}));
    EXPECT_EQ(func(built, stage_).may_overcompute, (std::vector<bool>{false, false}));
}

TEST(ExternStages, AnExternStageOfFewerDimensionsNeedsItsInputsEstimate) {
    Var x, y;
    Halide::Func before("before"), stage_("stage"), out("out");
    before(x, y) = x + y;
    stage_.define_extern("some_stage", {before}, Int(32), {x});
    out(x) = stage_(x) + 1;
    estimate(out, {16});
    const Result<BuiltGraph> missing = test::try_build({out});
    ASSERT_FALSE(missing.ok());
    EXPECT_NE(missing.error().message.find(" dimension 1 (" + y.name() + ")"), std::string::npos)
        << missing.error().message;
    estimate(before, {16, 30});
    EXPECT_EQ(func(build({out}), before).root_region, (Box{{0, 15}, {0, 29}}));
}

}  // namespace
}  // namespace cryolite
