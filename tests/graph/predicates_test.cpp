// Reduction domains with predicates: what they load, how they narrow regions, and where what they read
// may be computed.
#include <algorithm>
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

// Causal attention: the greatest score up to t, and weights of all r. Nothing is lost where the scores are computed
// inside: the weights need all of them.
TEST(Predicates, WhatAnotherReaderNeedsAllOfMayBeAnywhere) {
    Var x, t("t");
    enum class Weights { OfAll, OfFewer, OfOthers, UnderThePredicate };
    const auto spares = [&](Weights weights) {
        ImageParam input(Float(32), 2, "input");
        Halide::Func scores("scores"), greatest("greatest"), weight("weight"), out("out");
        RDom r(0, 100, "r"), all(0, weights == Weights::OfFewer ? 99 : 100, "all");
        r.where(r <= t);
        scores(x, t) = input(x, t) * 2.0f;
        greatest(t) = 0.0f;
        greatest(t) = max(greatest(t), scores(r, t));
        const Expr row = weights == Weights::OfOthers ? t + 1 : Expr(t);
        weight(x, t) = scores(x, row) - greatest(t);
        if (weights == Weights::UnderThePredicate) all.where(all <= t);
        out(t) = 0.0f;
        out(t) += weight(all, t);
        estimate(out, {64});
        const BuiltGraph built = build({out});
        EXPECT_EQ(func(built, scores).can_inline, !func(built, scores).root_only);
        return func(built, scores).root_only;
    };
    EXPECT_FALSE(spares(Weights::OfAll));
    EXPECT_TRUE(spares(Weights::OfFewer));
    EXPECT_TRUE(spares(Weights::OfOthers));
    EXPECT_TRUE(spares(Weights::UnderThePredicate));
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

// r.x == opcode(r.y) says nothing of r.x that holds for all r.y, so that nothing is lost where what the
// update reads is computed inside or inlined.
TEST(Predicates, WhatALoadedValueExcludesNarrowsNoLoop) {
    Var x;
    const auto narrows = [&](const std::function<Expr(RDom, Expr, Expr)> &where) {
        ImageParam input(Int(32), 2, "input"), word(Int(32), 1, "word"), byte(UInt(8), 1, "byte");
        Halide::Func read("read"), f("f"), out("out");
        RDom r(0, 12, 0, 20, "r");
        r.where(where(r, word(r.y), cast<int>(byte(r.y))));
        read(x) = input(x, 0) + 1;
        f(x) = 0;
        f(x) += read(x + r.x) + r.y;
        out(x) = f(x);
        estimate(out, {10});
        const BuiltGraph built = build({out});
        EXPECT_EQ(func(built, read).root_only, stage(built, f, 1).predicate_narrows);
        return stage(built, f, 1).predicate_narrows;
    };
    EXPECT_FALSE(narrows([](RDom r, Expr word, Expr) { return r.x == word; }));
    EXPECT_FALSE(narrows([](RDom r, Expr word, Expr byte) { return r.x == byte || word > 3; }));
    EXPECT_FALSE(narrows([](RDom r, Expr, Expr byte) { return r.x == byte; }));
    EXPECT_FALSE(narrows([](RDom, Expr word, Expr) { return word > 3; }));
    // A byte is no less than 0, and this one no more than 5.
    EXPECT_TRUE(narrows([](RDom r, Expr word, Expr) { return r.x == clamp(word, 0, 5); }));
    EXPECT_TRUE(narrows([](RDom r, Expr, Expr byte) { return r.x > byte; }));
    EXPECT_TRUE(narrows([](RDom r, Expr word, Expr) { return r.x == word && r.y < 7; }));
}

TEST(Predicates, TheShareOfIterationsThatPassIsCountedOrGuessed) {
    Var x;
    Param<int> p("p");
    const auto share = [&](const std::function<Expr(RDom, ImageParam)> &where) {
        ImageParam loaded(Int(32), 1, "loaded");
        Halide::Func f("f"), out("out");
        RDom r(0, 10, 0, 10, "r");
        r.where(where(r, loaded));
        f(x) = 0;
        f(x) += r.x;
        out(x) = f(x);
        estimate(out, {40});
        estimate(loaded, {100});
        p.set_estimate(3);
        return stage(build({out}), f, 1).passing_share;
    };
    EXPECT_DOUBLE_EQ(share([](RDom r, ImageParam) { return r.x % 3 == 0; }), 0.4);
    EXPECT_NEAR(share([](RDom r, ImageParam) { return r.x <= r.y; }), 0.55, 0.03);
    EXPECT_NEAR(share([&](RDom r, ImageParam) { return r.x < p; }), 0.3, 0.03);
    EXPECT_NEAR(share([](RDom r, ImageParam) { return r.x < 5 && r.x > 3; }), 0.1, 0.02);
    EXPECT_NEAR(share([](RDom r, ImageParam loaded) { return r.x == loaded(r.y); }), 0.1, 0.01);
    EXPECT_NEAR(share([](RDom r, ImageParam loaded) { return r.x != loaded(r.y); }), 0.9, 0.01);
    EXPECT_NEAR(share([](RDom r, ImageParam loaded) { return r.x / 2 == loaded(r.y); }), 0.2, 0.01);
    EXPECT_NEAR(share([](RDom r, ImageParam loaded) { return loaded(r.y) > 7 && r.x == 0; }), 0.05,
                0.01);
    // No iteration at the estimates: someone wrote it to be run.
    EXPECT_GT(share([](RDom r, ImageParam) { return r.x > 10; }), 0);
}

// A byte is taken for spread evenly over its range. A word hardly ever is, and a sum of bytes never.
TEST(Predicates, TheTypeOfALoadedValueSaysHowOftenAComparisonHolds) {
    Var x;
    struct Shares {
        double passing, loaded;
    };
    const auto shares = [&](const std::function<Expr(RDom, Expr, Expr)> &where) {
        ImageParam bytes(UInt(8), 1, "bytes"), words(Int(32), 1, "words");
        Halide::Func f("f"), out("out");
        RDom r(0, 64, 0, 64, "r");
        r.where(where(r, bytes(r.y), words(r.y)));
        f(x) = 0;
        f(x) += r.x;
        out(x) = f(x);
        estimate(out, {40});
        const BuiltGraph built = build({out});
        const Stage &update = stage(built, f, 1);
        return Shares{update.passing_share, update.loaded_share};
    };
    const auto share = [&](const auto &where) { return shares(where).passing; };
    EXPECT_NEAR(share([](RDom, Expr byte, Expr) { return byte > 230; }), 25 / 256.0, 0.001);
    EXPECT_NEAR(share([](RDom, Expr byte, Expr) { return byte <= 230; }), 231 / 256.0, 0.001);
    EXPECT_NEAR(share([](RDom, Expr byte, Expr) { return cast<int>(byte) * 2 < 128; }), 0.25, 0.01);
    EXPECT_NEAR(share([](RDom, Expr byte, Expr) { return cast<float>(byte) >= 127.5f; }), 0.5,
                0.01);
    EXPECT_NEAR(share([](RDom r, Expr byte, Expr) { return r.x < cast<int>(byte) / 4; }), 0.5,
                0.02);
    EXPECT_NEAR(share([](RDom, Expr, Expr word) { return word > 230; }), 0.5, 0.001);
    EXPECT_NEAR(share([](RDom, Expr, Expr word) { return word % 10 > 7; }), 0.2, 0.001);
    EXPECT_NEAR(share([](RDom, Expr byte, Expr word) { return cast<int>(byte) > 230 && word > 2; }),
                25 / 512.0, 0.001);
    // Of the iterations that the other conditions let pass.
    const Shares both = shares([](RDom r, Expr byte, Expr) { return r.x < 16 && byte > 230; });
    EXPECT_NEAR(both.passing, 25 / 1024.0, 0.002);
    EXPECT_NEAR(both.loaded, 25 / 256.0, 0.001);
    EXPECT_EQ(shares([](RDom r, Expr, Expr) { return r.x < 16; }).loaded, 1);
}

TEST(Predicates, LoadsOfThePredicateAreDoneInAllIterations) {
    Var x;
    ImageParam mask(UInt(8), 1, "mask"), input(Int(32), 1, "input");
    Halide::Func f("f"), out("out");
    RDom r(0, 100, "r");
    r.where(mask(r) > 7);
    f(x) = 0;
    f(x) += input(r) + mask(r + 1);
    out(x) = f(x);
    estimate(out, {10});
    const BuiltGraph built = build({out});
    const Stage &update = stage(built, f, 1);
    const auto of_predicate = [&](const ImageParam &of) {
        std::vector<bool> all;
        for (const Access &a : edge(built, update, test::reader(of)).accesses)
            all.push_back(a.of_predicate);
        std::sort(all.begin(), all.end());
        return all;
    };
    EXPECT_EQ(of_predicate(mask), (std::vector<bool>{false, true}));
    EXPECT_EQ(of_predicate(input), (std::vector<bool>{false}));
}

}  // namespace
}  // namespace cryolite
