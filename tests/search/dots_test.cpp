// Which part of a reduction loop the search puts beside the vectors: a dot product, or unrolled.
#include "search/space/dots.h"
#include "search/space/strided_sums.h"

#include <memory>

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "search/space/tilings.h"
#include "tests/search/pipelines.h"

namespace cryolite {
namespace {

using namespace Halide;

struct Sums {
    Var x{"x"}, y{"y"};
    RDom r;
    ImageParam a{UInt(8), 3, "a"}, b{Int(8), 3, "b"};
    Halide::Func sums{"sums"}, out{"out"};
    std::unique_ptr<BuiltGraph> built;

    template <typename Product>
    Sums(const RDom &domain, Product product) : r(domain) {
        sums(x, y) = 0;
        sums(x, y) += product(*this);
        out(x, y) = sums(x, y) / 16;
        out.set_estimates({{0, 256}, {0, 64}});
        built = std::make_unique<BuiltGraph>(testing::SmallPipeline{{out}}.build());
    }
    FuncId id() const { return built->graph.find(sums.name()); }
    LoopNest placed() const {
        const FuncId o = built->graph.find(out.name());
        const StageId s = built->graph.func(o).stages[0];
        return *replay(built->graph, Trace{action::ComputeRoot{o}, action::Tile{s, 1, {8}},
                                           action::ComputeAt{id(), {s, 1, 0}}});
    }
    std::optional<TilingTemplate::Part> dot(const Machine &machine) const {
        const LoopNest nest = placed();
        return dot_of(TilingSpace(nest, id(), machine));
    }
};

StageId built_update(const Sums &sums) { return sums.built->graph.func(sums.id()).stages[1]; }

Expr i32(const Expr &e) { return cast<int32_t>(e); }

TEST(Dots, TakeTheLoopAlongNeighbours) {
    const Machine avx512 = *machine_preset("x86-avx512");
    const Sums packed(RDom(0, 4, 0, 64), [](const Sums &s) {
        return i32(s.a(s.r.x, s.y, s.r.y)) * i32(s.b(s.r.x, s.x, s.r.y));
    });
    ASSERT_TRUE(packed.dot(avx512));
    EXPECT_EQ(packed.dot(avx512)->stage, 1);
    EXPECT_EQ(packed.dot(avx512)->loop, 0);
    EXPECT_EQ(packed.dot(avx512)->points, 4);
    EXPECT_EQ(packed.dot(*machine_preset("x86-avx2"))->points, 2);
    EXPECT_FALSE(packed.dot(*machine_preset("arm-neon"))) << "it has no such instruction";
    const Sums turned(RDom(0, 64, 0, 12), [](const Sums &s) {
        return i32(s.a(s.r.y, s.y, s.r.x)) * i32(s.b(s.r.y, s.x, s.r.x));
    });
    ASSERT_TRUE(turned.dot(avx512));
    EXPECT_EQ(turned.dot(avx512)->loop, 1);
    const Sums odd(RDom(0, 3, 0, 64), [](const Sums &s) {
        return i32(s.a(s.r.x, s.y, s.r.y)) * i32(s.b(s.r.x, s.x, s.r.y));
    });
    EXPECT_FALSE(odd.dot(avx512)) << "three are no whole instruction";
}

// Of a filter that keeps every fourth result, four taps have their vectors in the same loads.
TEST(StridedSums, TakeAsManyTapsAsPointsLieApart) {
    const auto part = [](const Sums &sums, const char *preset) {
        const Machine machine = *machine_preset(preset);
        const LoopNest nest = sums.placed();
        return strided_sum(TilingSpace(nest, sums.id(), machine));
    };
    const auto filter = [](int stride) {
        return [stride](const Sums &s) { return i32(s.a(stride * s.x + s.r.x, s.y, 0)) * 3; };
    };
    const Sums fourth(RDom(0, 64), filter(4));
    ASSERT_TRUE(part(fourth, "x86-avx512"));
    EXPECT_EQ(part(fourth, "x86-avx512")->points, 4);
    EXPECT_EQ(part(fourth, "x86-avx512")->loop, 0);
    EXPECT_FALSE(part(fourth, "x86-avx512")->is_dot);
    EXPECT_FALSE(part(fourth, "x86-avx2"));
    EXPECT_FALSE(part(Sums(RDom(0, 64), filter(1)), "x86-avx512"));
    EXPECT_FALSE(part(Sums(RDom(0, 64), filter(8)), "x86-avx512")) << "each is loaded by itself";
    EXPECT_FALSE(part(Sums(RDom(0, 63), filter(2)), "x86-avx512"));
    // Of words, two instructions for pairs share the loads of a lane's four; of bytes, one takes them all.
    const auto dot = [](const Sums &sums) {
        const Machine machine = *machine_preset("x86-avx512");
        const LoopNest placed = sums.placed();
        return strided_dot_of(TilingSpace(placed, sums.id(), machine));
    };
    const Sums words(RDom(0, 64), [](const Sums &s) {
        return i32(s.a(4 * s.x + s.r.x, s.y, 0)) * i32(cast<int16_t>(s.b(s.r.x, 0, 0)) * 3);
    });
    ASSERT_TRUE(dot(words));
    EXPECT_EQ(dot(words)->points, 4);
    EXPECT_TRUE(dot(words)->is_dot);
    EXPECT_FALSE(dot(Sums(RDom(0, 64), [](const Sums &s) {
        return i32(s.a(4 * s.x + s.r.x, s.y, 0)) * i32(s.b(s.r.x, 0, 0));
    }))) << "dot_of() has it";
    const LoopNest nest = fourth.placed();
    size_t with = 0;
    for (const std::vector<Action> &actions :
         tilings(nest, fourth.id(), *machine_preset("x86-avx512"), {48, false}, Random(1))) {
        LoopNest tiled = nest;
        bool fits = true;
        for (const Action &a : actions) fits = fits && try_apply(tiled, a);
        EXPECT_TRUE(fits);
        for (const LoopLevel &l : tiled.stage_nest(built_update(fourth)).loops)
            with += l.kind == LoopKind::Unrolled && l.name.dim == 0 && l.extent == 4;
    }
    EXPECT_GT(with, 8u);
}

// The most lanes of a dot product in the tilings of the sums.
int64_t most_lanes_of_dots(const Sums &sums, const Machine &machine, bool exhaustive) {
    const LoopNest nest = sums.placed();
    int64_t most = 0;
    for (const auto &actions :
         tilings(nest, sums.id(), machine, {.exhaustive = exhaustive}, Random(1))) {
        LoopNest tiled = nest;
        bool fits = true;
        for (const Action &a : actions) fits = fits && try_apply(tiled, a);
        EXPECT_TRUE(fits);
        const auto &loops = tiled.stage_nest(built_update(sums)).loops;
        const bool has_dot = std::ranges::any_of(loops, &LoopLevel::is_joined);
        for (const LoopLevel &l : loops)
            if (has_dot && l.kind == LoopKind::Vectorized) most = std::max(most, l.extent);
    }
    return most;
}

// A filter's taps are loaded at places that overlap, and their vectors interleaved: full registers of words, which hold
// twice as many as a sum's, take fewer shuffles.
TEST(Dots, FillRegistersOfTheFactorsTypeWhereNeighboursOverlap) {
    const Machine machine = *machine_preset("x86-avx2");
    const Sums filter(RDom(0, 64), [](const Sums &s) {
        return i32(s.a(s.x + s.r.x, s.y, 0)) * i32(s.b(s.r.x, 0, 0));
    });
    const Sums packed(RDom(0, 64), [](const Sums &s) {
        return i32(s.a(s.r.x, s.y, 0)) * i32(s.b(s.r.x, s.x, 0));
    });
    for (bool exhaustive : {false, true}) {
        EXPECT_EQ(most_lanes_of_dots(filter, machine, exhaustive), 16);
        EXPECT_EQ(most_lanes_of_dots(packed, machine, exhaustive), 8);
    }
}

TEST(Dots, AreInHalfOfTheTilingsThatAreDrawn) {
    const Sums sums(RDom(0, 64, 0, 3), [](const Sums &s) {
        return i32(s.a(s.r.x, s.y, s.r.y)) * i32(s.b(s.r.x, s.x, s.r.y));
    });
    const LoopNest nest = sums.placed();
    const Machine machine = *machine_preset("x86-avx512");
    size_t with = 0, legal = 0;
    const auto all = tilings(nest, sums.id(), machine, {48, false}, Random(1));
    for (const std::vector<Action> &actions : all) {
        LoopNest tiled = nest;
        bool has_dot = false, fits = true;
        for (const Action &a : actions) {
            has_dot |= std::holds_alternative<action::Join>(a);
            fits = fits && try_apply(tiled, a);
        }
        with += has_dot;
        legal += has_dot && fits;
    }
    EXPECT_GT(with, all.size() / 4);
    EXPECT_EQ(legal, with);
}

}  // namespace
}  // namespace cryolite
