// validate() finds what apply() would never make.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "refusals.h"
#include "schedule/func_nest.h"

namespace cryolite::testing {
namespace {

template <typename Break>
std::string broken(Break damage) {
    const Blur b;
    const LoopNest nest =
        *replay(b.graph, Trace{b.root, action::Tile{b.s, 1, {32}}, action::Vectorize{b.s, 0, 16},
                               action::Parallel{b.s, 1}, action::ComputeAt{b.blur_x, {b.s, 1, 1}},
                               action::StoreAt{b.blur_x, b.y}});
    EXPECT_EQ(validate(nest), "");
    FuncNest out = nest.at(b.out), blur_x = nest.at(b.blur_x);
    damage(out, blur_x, b);
    out.hash = hash_of(out);
    blur_x.hash = hash_of(blur_x);
    return validate(nest.with(std::make_shared<const FuncNest>(out))
                        .with(std::make_shared<const FuncNest>(blur_x)));
}

TEST(Validate, CatchesBrokenNests) {
    EXPECT_EQ(broken([](FuncNest &, FuncNest &, const Blur &) {}), "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages[0].loops[0].extent = 14; }),
        "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages[0].loops[0].span = 31; }),
        "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages[0].loops.pop_back(); }),
        "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  std::swap(out.stages[0].loops[2], out.stages[0].loops[3]);
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.stages[0].loops[2].kind = LoopKind::Vectorized;
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.stages[0].loops[2].kind = LoopKind::Unrolled;
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.stages[0].loops[1].kind = LoopKind::Parallel;
              }),
              "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) { out.stages.clear(); }), "");
    EXPECT_NE(
        broken([](FuncNest &out, FuncNest &, const Blur &) { out.placement = Placement::Inline; }),
        "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &b) {
                  f.compute_at = LoopName{b.bx, 0, 0};
              }),
              "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &b) {
                  f.store_at = LoopName{b.s, 0, 0};
              }),
              "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.store_at = std::nullopt; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.compute_region[0].max--; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.store_region[1].min++; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.slide_dim = -1; }), "");
    EXPECT_NE(broken([](FuncNest &out, FuncNest &, const Blur &) {
                  out.storage_order = {1, 0};
              }),
              "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.storage_order = {1, 0}; }), "");
    EXPECT_NE(broken([](FuncNest &, FuncNest &f, const Blur &) { f.stages[0].range[0].max--; }),
              "");
}

TEST(Validate, CatchesAnOrderOfStorageThatIsNone) {
    const Blur b;
    const LoopNest nest = *replay(b.graph, Trace{b.root, action::ComputeAt{b.blur_x, b.y},
                                                 action::ReorderStorage{b.blur_x, {1, 0}}});
    EXPECT_EQ(validate(nest), "");
    for (const std::vector<int> &order : std::vector<std::vector<int>>{{0, 1}, {1}, {1, 1}}) {
        FuncNest blur_x = nest.at(b.blur_x);
        blur_x.storage_order = order;
        blur_x.hash = hash_of(blur_x);
        EXPECT_NE(validate(nest.with(std::make_shared<const FuncNest>(blur_x))), "");
    }
}

TEST(Validate, CatchesAStaleHashAndAnUndecidedReader) {
    const Blur b;
    const LoopNest nest = *replay(b.graph, Trace{b.root, action::ComputeRoot{b.blur_x}});
    FuncNest stale = nest.at(b.out);
    stale.hash++;
    EXPECT_EQ(validate(nest.with(std::make_shared<const FuncNest>(stale))),
              "out: its hash is stale");
    EXPECT_EQ(validate(LoopNest(b.graph).with(nest.share(b.blur_x))),
              "blur_x: its reader out is undecided");
}

}  // namespace
}  // namespace cryolite::testing
