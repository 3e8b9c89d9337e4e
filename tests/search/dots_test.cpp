// Which loop of a sum of products the search makes a dot product.
#include "search/dots.h"

#include <memory>

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "search/tilings.h"
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
    std::optional<TilingTemplate::Dot> dot(const Machine &machine) const {
        const LoopNest nest = placed();
        return dot_of(TilingSpace(nest, id(), machine));
    }
};

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
            has_dot |= std::holds_alternative<action::Dot>(a);
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
