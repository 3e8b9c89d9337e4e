// What users' schedules say to the graph: loops, places, and the Funcs that these enclose.
#include <functional>

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::stage;

constexpr auto guard = TailStrategy::GuardWithIf;

struct Chain {
    Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"}, yo{"yo"}, yi{"yi"}, t{"t"};
    Halide::Func first{"first"}, second{"second"}, third{"third"}, out{"out"};
    Chain() {
        first(x, y) = x + y;
        second(x, y) = first(x, y) + first(x + 1, y);
        third(x, y) = second(x, y) + second(x, y + 1);
        out(x, y) = third(x, y) * 2;
        estimate(out, {64, 48});
    }
    Halide::Func &tiled() { return out.tile(x, y, xo, yo, xi, yi, 32, 16, guard); }
};

std::string text(const Stage &stage) {
    std::string text;
    for (const UserLoop &l : stage.user_loops)
        text += (text.empty() ? "" : "; ") + stage.loops[static_cast<size_t>(l.dim)].name + " by " +
                std::to_string(l.span) + (l.name.empty() ? "" : " as " + l.name) +
                (l.kind == UserLoop::Kind::Parallel     ? " parallel"
                 : l.kind == UserLoop::Kind::Vectorized ? " vectorized"
                 : l.kind == UserLoop::Kind::Unrolled   ? " unrolled"
                                                        : "");
    return text;
}

TEST(UserLoops, AreToldInTheStagesOwnDimensions) {
    Chain c;
    c.tiled().vectorize(c.xi, 8, guard).parallel(c.yo);
    EXPECT_EQ(
        text(stage(build({c.out}), c.out)),
        "y by 16 as yo parallel; x by 32 as xo; y by 1 as yi; x by 8 as xi; x by 1 vectorized");
}

TEST(UserLoops, FusedOutermostAreTwoOfWhichTheLastIsNamed) {
    Chain c;
    c.tiled().fuse(c.xo, c.yo, c.t).parallel(c.t);
    EXPECT_EQ(text(stage(build({c.out}), c.out)),
              "y by 16 parallel; x by 32 as t parallel; y by 1 as yi; x by 1 as xi");
}

TEST(UserLoops, AreUnknownWhereNoPartsOfDimensionsAreWalked) {
    const std::function<void(Chain &)> schedules[] = {
        [](Chain &c) { c.out.fuse(c.x, c.y, c.t).split(c.t, c.xo, c.xi, 64, guard); },
        [](Chain &c) { c.out.split(c.x, c.xo, c.xi, 16, guard).reorder(c.xo, c.y, c.xi); },
        [](Chain &c) { c.out.split(c.x, c.xo, c.xi, 30, guard).split(c.xi, c.xi, c.t, 8, guard); },
        [](Chain &c) { c.out.parallel(c.y).specialize(c.out.output_buffer().width() > 9); },
        [](Chain &c) { c.first.store_root().compute_at(c.out, c.y); },
        [](Chain &c) { c.first.compute_at(c.out, c.y).memoize(); },
    };
    for (const auto &schedule : schedules) {
        Chain c;
        schedule(c);
        const BuiltGraph built = build({c.out});
        EXPECT_TRUE(func(built, c.out).locked);
        EXPECT_EQ(text(stage(built, c.out)), "");
    }
}

TEST(UserLoops, ANameOfTwoLoopsIsNoPlace) {
    Chain c;
    c.out(c.x, c.y) += 1;
    c.out.parallel(c.y);
    EXPECT_EQ(text(stage(build({c.out}), c.out)), "y by 1 parallel; x by 1");
}

TEST(UserPlaces, EncloseWhatLiesOnTheWay) {
    Chain c;
    c.tiled();
    c.first.compute_at(c.out, c.xo);
    const BuiltGraph built = build({c.out});
    ASSERT_TRUE(func(built, c.first).user_site);
    EXPECT_EQ(func(built, c.first).user_site->stage, stage(built, c.out).id);
    EXPECT_EQ(func(built, c.first).user_site->loop, 1);
    for (const Halide::Func &f : {c.second, c.third}) {
        const Func &between = func(built, f);
        EXPECT_TRUE(between.enclosed);
        EXPECT_FALSE(between.locked);
        EXPECT_TRUE(between.can_inline);
        ASSERT_EQ(between.enclosed_by.size(), 1u);
        EXPECT_EQ(between.enclosed_by[0].loop, 1);
    }
    EXPECT_FALSE(func(built, c.first).enclosed);
    EXPECT_FALSE(func(built, c.out).enclosed);
}

TEST(UserPlaces, InUnknownLoopsEncloseAsWell) {
    Chain c;
    c.first.store_root().compute_at(c.out, c.y);
    const BuiltGraph built = build({c.out});
    EXPECT_FALSE(func(built, c.first).user_site);
    EXPECT_TRUE(func(built, c.second).enclosed);
    EXPECT_TRUE(func(built, c.second).enclosed_by.empty());
}

TEST(UserPlaces, InLoopsOfAFuncThatIsItselfPlaced) {
    Chain c;
    c.tiled();
    c.third.compute_at(c.out, c.xo);
    c.first.compute_at(c.third, c.y);
    const BuiltGraph built = build({c.out});
    ASSERT_TRUE(func(built, c.first).user_site);
    EXPECT_EQ(func(built, c.first).user_site->stage, stage(built, c.third).id);
    EXPECT_TRUE(func(built, c.second).enclosed);
}

TEST(UserPlaces, OfAFuncReadByAnUpdateAreInTheUpdatesLoops) {
    Chain c;
    const RDom r(0, 4);
    Halide::Func sums("sums");
    sums(c.x, c.y) = 0;
    sums(c.x, c.y) += c.out(c.x + r, c.y);
    estimate(sums, {64, 48});
    c.out.compute_at(sums, c.y);
    const BuiltGraph built = build({sums});
    ASSERT_TRUE(func(built, c.out).user_site);
    EXPECT_EQ(func(built, c.out).user_site->stage, stage(built, sums, 1).id);
}

}  // namespace
}  // namespace cryolite
