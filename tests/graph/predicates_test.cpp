// Reduction domains with predicates: what they load, how they narrow regions, and where what they read
// may be computed.
#include <functional>

#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::edge;
using test::estimate;
using test::func;
using test::stage;

TEST(Predicates, APredicateIsNotedAndItsLoadsAreEdges) {
    Var x;
    ImageParam input(Int(32), 1, "input"), mask(UInt(8), 1, "mask");
    Halide::Func f("f"), out("out");
    RDom r(0, 100, "r");
    r.where(mask(r) > 0);
    r.where(r < 50);
    f(x) = 0;
    f(x) += input(r + x);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    const Stage &update = stage(built, f, 1);
    EXPECT_TRUE(update.has_predicate);
    EXPECT_EQ(edge(built, update, test::reader(mask)).accesses.size(), 1u);
    // The predicate narrows r to [0, 49], as in Halide's bounds inference.
    EXPECT_EQ(func(built, "input").root_region, (Box{{0, 58}}));
}

TEST(Predicates, ComparisonsOfSumsArePlain) {
    Var x;
    ImageParam mask(UInt(8), 1, "mask");
    Param<int> p("p");
    const auto is_plain = [&](const std::function<Expr(RDom)> &where) {
        Halide::Func f("f"), out("out");
        RDom r(0, 100, "r");
        r.where(where(r));
        f(x) = 0;
        f(x) += r;
        out(x) = f(x);
        estimate(out, {10});
        estimate(mask, {100});
        p.set_estimate(3);
        return stage(build({out}), f, 1).predicate_is_plain;
    };
    EXPECT_TRUE(is_plain([&](RDom r) { return r <= x; }));
    EXPECT_TRUE(is_plain([&](RDom r) { return r + x < 7 && r - p > 2; }));
    EXPECT_FALSE(is_plain([&](RDom r) { return (r + x) % 2 == 0; }));
    EXPECT_FALSE(is_plain([&](RDom r) { return r < x || r > 50; }));
    EXPECT_FALSE(is_plain([&](RDom r) { return r <= x && mask(r) > 3; }));
}

// What a predicated update reads stays at root, where Halide narrows its region by the predicate.
TEST(Predicates, WhatAPredicatedUpdateReadsStaysAtRoot) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func read("read"), guarded("guarded"), f("f"), out("out");
    RDom r(0, 100, "r");
    r.where(r <= x);
    read(x) = input(x) + 1;
    guarded(x) = BoundaryConditions::repeat_edge(input)(x) + 2;
    f(x) = 0;
    f(x) += read(r) + guarded(r);
    out(x) = f(x) + read(x);
    estimate(out, {10});
    estimate(input, {100});
    const BuiltGraph built = build({out});
    EXPECT_TRUE(func(built, read).root_only);
    EXPECT_FALSE(func(built, read).can_inline);
    // Reading more than is needed does no harm here.
    EXPECT_FALSE(func(built, guarded).root_only);
    EXPECT_TRUE(func(built, guarded).can_inline);
    EXPECT_FALSE(func(built, f).root_only);
}

TEST(Predicates, WhatAnUpdateWithoutPredicateReadsMayBeAnywhere) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func read("read"), f("f"), out("out");
    RDom r(0, 100, "r");
    read(x) = input(x) + 1;
    f(x) = 0;
    f(x) += read(r);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_FALSE(func(built, read).root_only);
    EXPECT_TRUE(func(built, read).can_inline);
}

TEST(Predicates, ATriangularReductionIsBoundedByItsPredicate) {
    Var x;
    ImageParam input(Int(32), 1, "input");
    Halide::Func f("f"), out("out");
    RDom r(0, 100, 0, 100, "r");
    r.where(r.x <= r.y);
    f(x) = 0;
    f(x) += input(r.y - r.x);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    EXPECT_EQ(stage(built, f, 1).loops.size(), 3u);
    EXPECT_EQ(func(built, "input").root_region[0].max, 99);
}

}  // namespace
}  // namespace cryolite
