// Funcs that the user has scheduled are left alone, with those at whose loops they live; and no
// schedule at all makes the builder fail.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::stage;

struct ThreeFuncs {
    Var x{"x"}, y{"y"}, xo{"xo"}, xi{"xi"};
    RDom r{0, 8, "r"};
    Halide::Func a{"a"}, b{"b"}, out{"out"};
    ThreeFuncs() {
        a(x, y) = x + y;
        b(x, y) = a(x, y) * 2;
        b(x, y) += a(x, y + r);
        out(x, y) = b(x, y) + a(x, y);
        estimate(out, {16, 8});
    }
    bool is_locked(const Halide::Func &f) {
        const BuiltGraph built = build({out});
        const Func &g = func(built, f);
        if (g.locked) {
            EXPECT_FALSE(g.locked_because.empty());
            EXPECT_TRUE(g.root_only);
            EXPECT_FALSE(g.can_inline);
            EXPECT_EQ(g.may_overcompute, (std::vector<bool>{false, false}));
        }
        return g.locked;
    }
};

TEST(Locks, NothingIsLockedByDefault) {
    ThreeFuncs p;
    EXPECT_FALSE(p.is_locked(p.a));
    EXPECT_FALSE(p.is_locked(p.b));
    EXPECT_FALSE(p.is_locked(p.out));
}

TEST(Locks, AnOutputAtRootIsNoDecision) {
    ThreeFuncs p;
    p.out.compute_root();
    EXPECT_FALSE(p.is_locked(p.out));
}

TEST(Locks, BoundsAndAlignmentAreFacts) {
    ThreeFuncs p;
    p.out.bound(p.x, 0, 16).align_bounds(p.y, 4);
    EXPECT_FALSE(p.is_locked(p.out));
}

TEST(Locks, AComputeLevelLocksItAndWhereItLives) {
    ThreeFuncs p;
    p.a.compute_at(p.b, p.y);
    EXPECT_TRUE(p.is_locked(p.a));
    EXPECT_TRUE(p.is_locked(p.b));
    EXPECT_FALSE(p.is_locked(p.out));
}

TEST(Locks, AStoreLevelLocksWhereItIsStored) {
    ThreeFuncs p;
    p.b.store_root().compute_at(p.out, p.y);
    EXPECT_TRUE(p.is_locked(p.b));
    EXPECT_TRUE(p.is_locked(p.out));
    EXPECT_FALSE(p.is_locked(p.a));
}

TEST(Locks, ComputeRootByTheUserIsADecision) {
    ThreeFuncs p;
    p.a.compute_root();
    EXPECT_TRUE(p.is_locked(p.a));
    EXPECT_FALSE(p.is_locked(p.b));
}

TEST(Locks, EveryKindOfLoopScheduleLocks) {
    const std::vector<void (*)(ThreeFuncs &)> schedules = {
        [](ThreeFuncs &p) { p.b.split(p.x, p.xo, p.xi, 4); },
        [](ThreeFuncs &p) { p.b.vectorize(p.x, 4); },
        [](ThreeFuncs &p) { p.b.parallel(p.y); },
        [](ThreeFuncs &p) { p.b.reorder(p.y, p.x); },
        [](ThreeFuncs &p) { p.b.update().reorder(p.x, p.r); },
        [](ThreeFuncs &p) { p.b.update().unroll(p.r); },
        [](ThreeFuncs &p) { p.b.update().atomic(); },
        [](ThreeFuncs &p) { p.b.specialize(Param<bool>("wide")); },
        [](ThreeFuncs &p) { p.b.reorder_storage(p.y, p.x); },
        [](ThreeFuncs &p) { p.b.align_storage(p.x, 8); },
        [](ThreeFuncs &p) { p.b.compute_root().memoize(); },
        [](ThreeFuncs &p) { p.b.compute_root().async(); },
        [](ThreeFuncs &p) { p.b.store_in(MemoryType::Stack); },
        [](ThreeFuncs &p) { p.b.compute_root().hoist_storage_root(); },
        [](ThreeFuncs &p) { p.b.partition(p.x, Partition::Never); },
    };
    for (size_t i = 0; i < schedules.size(); i++) {
        ThreeFuncs p;
        schedules[i](p);
        EXPECT_TRUE(p.is_locked(p.b)) << i;
        EXPECT_FALSE(p.is_locked(p.a)) << i;
    }
}

TEST(Locks, ASplitFuncKeepsItsDefaultLoopsInTheGraph) {
    ThreeFuncs p;
    p.b.compute_root().tile(p.x, p.y, p.xo, p.y, p.xi, Var("yi"), 4, 4).vectorize(p.xi);
    const BuiltGraph built = build({p.out});
    ASSERT_EQ(stage(built, p.b).loops.size(), 2u);
    EXPECT_EQ(stage(built, p.b).loops[0].name, "x");
    EXPECT_EQ(func(built, p.b).root_region, (Box{{0, 15}, {0, 7}}));
}

TEST(Locks, ReorderedStorageIsReported) {
    ThreeFuncs p;
    p.b.reorder_storage(p.y, p.x);
    EXPECT_EQ(func(build({p.out}), p.b).storage_order, (std::vector<int>{1, 0}));
}

TEST(Locks, FusedStagesAreLockedBoth) {
    Var x("x"), y("y");
    Halide::Func a("a"), b("b"), out("out");
    a(x, y) = x + y;
    b(x, y) = x - y;
    out(x, y) = a(x, y) + b(x, y);
    a.compute_root();
    b.compute_root().compute_with(a, y);
    estimate(out, {8, 8});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, a).locked);
    EXPECT_TRUE(func(built, b).locked);
    EXPECT_FALSE(func(built, out).locked);
}

TEST(Locks, AnRfactoredReductionIsTwoFuncs) {
    Var u("u");
    ImageParam input(Int(32), 1, "input");
    Halide::Func sum("sum"), out("out");
    Var x("x");
    RDom r(0, 64, "r");
    RVar ro("ro"), ri("ri");
    sum() += input(r);
    sum.update().split(r, ro, ri, 8);
    Halide::Func partial = sum.update().rfactor(ro, u);
    out(x) = sum() + x;
    estimate(out, {8});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, partial).id.valid());
    EXPECT_LT(func(built, sum).id, func(built, partial).id);
    EXPECT_EQ(func(built, "input").root_region, (Box{{0, 63}}));
}

TEST(Locks, ALoopLevelThatWasNeverSetIsNoCrash) {
    ThreeFuncs p;
    LoopLevel later;
    p.a.compute_at(later);
    const Result<BuiltGraph> built = test::try_build({p.out});
    EXPECT_TRUE(!built.ok() || func(*built, p.a).locked);
    later.set(LoopLevel(p.out, p.y));  // still open to the user
    EXPECT_TRUE(p.is_locked(p.a));
    EXPECT_TRUE(p.is_locked(p.out));
}

TEST(Locks, ACloneIsAFuncOfItsOwn) {
    ThreeFuncs p;
    Halide::Func clone = p.a.clone_in(p.b);
    const BuiltGraph built = build({p.out});
    EXPECT_TRUE(built.graph.find(clone.name()).valid());
    EXPECT_FALSE(func(built, clone).is_trivial);
}

TEST(Locks, FuncsThatAreComputedTogetherLockEachOther) {
    ThreeFuncs p;
    Halide::Func other{"other"};
    other(p.x, p.y) = p.b(p.x, p.y);
    estimate(other, {16, 8});
    other.compute_with(p.out, p.y);
    const BuiltGraph built = build({p.out, other});
    EXPECT_TRUE(func(built, other).locked);
    EXPECT_TRUE(func(built, p.out).locked);
    EXPECT_TRUE(stage(built, p.out).user_loops.empty());
}

TEST(Locks, WhatIsSaidToBeUnscheduledStaysSo) {
    ThreeFuncs p;
    p.b.update().unscheduled();
    EXPECT_TRUE(p.is_locked(p.b));
    EXPECT_FALSE(p.is_locked(p.a));
}

}  // namespace
}  // namespace cryolite
