// How long stored sides can get. A bound that is too small ends a user's program; one that is missing
// costs time.
#include "code/regions/storage_bounds.h"

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::stage;

struct StorageBounds : testing::Test {
    Var x{"x"}, y{"y"};
    Halide::Func in{"in"}, inner{"inner"}, out{"out"};
    RDom k{0, 9, "k"};

    void SetUp() override {
        in(x, y) = x + y;
        inner(x, y) = in(x, y) + 1;
    }

    // Tiles of 16 x 4 points of `out`, `inner` inside of them.
    SideBounds in_tiles(const Trace &before = {}, const Trace &after = {}) {
        estimate(out, {640, 480});
        built = std::make_unique<BuiltGraph>(build({out}));
        const StageId s = stage(*built, out).id;
        Trace trace{action::ComputeRoot{func(*built, out).id}, action::Tile{s, 0, {16}},
                    action::Tile{s, 1, {4}},
                    action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}}};
        trace.insert(trace.end(), before.begin(), before.end());
        trace.push_back(action::ComputeAt{func(*built, inner).id, {s, 0, 0}});
        trace.insert(trace.end(), after.begin(), after.end());
        const auto nest = replay(built->graph, trace);
        if (!nest.ok()) throw std::runtime_error(name(nest.error().reason));
        return rounded_storage_bounds(*nest, func(*built, inner).id);
    }
    std::unique_ptr<BuiltGraph> built;
};

TEST_F(StorageBounds, ATileWithItsHalo) {
    out(x, y) = inner(x - 1, y) + inner(x + 1, y + 3);
    EXPECT_EQ(in_tiles(), (SideBounds{18, 7}));
}

// Both Funcs of a chain in tiles of 16 points, aligned for woven vectors: each begins up to two points earlier and ends
// up to two later, and so does what it reads. Halide checks the bounds when the program runs.
TEST_F(StorageBounds, WovenVectorsAlignWhatIsStored) {
    Halide::Func between("between");
    between(x, y) = inner(x - 1, y) + inner(x + 1, y);
    out(x, y) = between(x, y) * 2;
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const StageId o = stage(*built, out).id, b = stage(*built, between).id;
    const Trace trace{action::ComputeRoot{func(*built, out).id},
                      action::Tile{o, 0, {16}},
                      action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 0, 1}}},
                      action::ComputeAt{func(*built, between).id, {o, 0, 0}},
                      action::Vectorize{b, 0, 6, 3},
                      action::ComputeAt{func(*built, inner).id, {o, 0, 0}},
                      action::Vectorize{stage(*built, inner).id, 0, 6, 3},
                      action::Inline{func(*built, in).id}};
    const auto nest = replay(built->graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    EXPECT_GE(rounded_storage_bounds(*nest, func(*built, between).id)[0], 18);
    EXPECT_GE(rounded_storage_bounds(*nest, func(*built, inner).id)[0], 18 + 6);
    ASSERT_TRUE(emit(*built, *nest).ok());
    for (int width : {1, 15, 16, 17, 50, 101})
        for (int from : {-1, 0, 1, 2}) {
            Buffer<int> result(width, 3);
            result.set_min(from, 0);
            out.realize(result);
            result.for_each_element(
                [&](int a, int c) { ASSERT_EQ(result(a, c), 4 * (a + c + 1)); });
        }
}

// Readers that are computed at the site, too, have boxes of known length.
struct StorageBoundsThroughReaders : StorageBounds {
    Halide::Func between{"between"};

    // `between` and `inner` in tiles of 16 x 4 points of `out`.
    LoopNest nest_in_tiles(std::optional<int> width = std::nullopt, bool inlined = false) {
        estimate(out, {640, 480});
        built = std::make_unique<BuiltGraph>(build({out}));
        const StageId s = stage(*built, out).id;
        const FuncId b = func(*built, between).id;
        const LoopName tile{s, 0, 0};
        Trace trace{action::ComputeRoot{func(*built, out).id}, action::Tile{s, 0, {16}},
                    action::Tile{s, 1, {4}},
                    action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}}};
        if (inlined)
            trace.push_back(action::Inline{b});
        else
            trace.push_back(action::ComputeAt{b, tile});
        if (width) trace.push_back(action::Vectorize{stage(*built, between).id, 0, *width});
        trace.push_back(action::ComputeAt{func(*built, inner).id, tile});
        const auto nest = replay(built->graph, trace);
        if (!nest.ok()) throw std::runtime_error(name(nest.error().reason));
        return *nest;
    }
    SideBounds bounds(const LoopNest &nest) {
        return rounded_storage_bounds(nest, func(*built, inner).id);
    }
};

TEST_F(StorageBoundsThroughReaders, TheirHalosAddUp) {
    between(x, y) = inner(x - 1, y) + inner(x + 2, y);
    out(x, y) = between(x, y - 1) + between(x, y + 1);
    EXPECT_EQ(bounds(nest_in_tiles()), (SideBounds{19, 6}));
    EXPECT_EQ(bounds(nest_in_tiles(std::nullopt, true)), (SideBounds{19, 6}));
}

TEST_F(StorageBoundsThroughReaders, BoxesOfSeveralReadersAreJoined) {
    between(x, y) = inner(x + 3, y);
    out(x, y) = between(x, y) + inner(x - 2, y);
    EXPECT_EQ(bounds(nest_in_tiles()), (SideBounds{21, 4}));
    out = Halide::Func("out");
    out(x, y) = between(2 * x, y) + inner(x, y);  // they drift apart
    EXPECT_EQ(bounds(nest_in_tiles()), (SideBounds{0, 4}));
}

// Redrawing a reader's loops leaves what it reads in place: the bound is asked for anew.
TEST_F(StorageBoundsThroughReaders, AReaderThatRoundsUpAsksForMore) {
    between(x, y) = inner(x - 1, y) + inner(x + 1, y);
    out(x, y) = between(x, y) + between(x + 1, y);
    EXPECT_EQ(bounds(nest_in_tiles()), (SideBounds{19, 4}));
    const LoopNest nest = nest_in_tiles(16);
    EXPECT_EQ(bounds(nest), (SideBounds{34, 4}));
    const auto again =
        apply(nest.without(func(*built, between).id),
              action::ComputeAt{func(*built, between).id, {stage(*built, out).id, 0, 0}});
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(bounds(*again), (SideBounds{19, 4}));
    EXPECT_EQ(nest.at(func(*built, inner).id).storage_bound.size(), 2u);
}

TEST_F(StorageBoundsThroughReaders, NothingIsKnownBehindAPredicateOrAClamp) {
    RDom r(0, 8, "r");
    r.where(r.x > x);
    between(x, y) = 0;
    between(x, y) += inner(x + r.x, y);
    out(x, y) = between(x, y);
    EXPECT_EQ(bounds(nest_in_tiles())[0], 0);
    between = Halide::Func("between");
    between(x, y) = inner(x, y);
    out = Halide::Func("out");
    out(x, y) = between(clamp(x, 0, 600), y);
    EXPECT_EQ(bounds(nest_in_tiles())[0], 0);
}

// A reader computed deeper inside needs the Func at many places.
TEST_F(StorageBoundsThroughReaders, ReadersDeeperInsideAreNotFollowed) {
    between(x, y) = inner(x, y);
    out(x, y) = between(x, y);
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const StageId s = stage(*built, out).id;
    const auto nest =
        replay(built->graph, Trace{action::ComputeRoot{func(*built, out).id},
                                   action::Tile{s, 0, {16}}, action::Tile{s, 1, {4}},
                                   action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                                   action::ComputeAt{func(*built, between).id, {s, 1, 1}},
                                   action::ComputeAt{func(*built, inner).id, {s, 0, 0}}});
    ASSERT_TRUE(nest.ok());
    EXPECT_EQ(bounds(*nest), (SideBounds{0, 0}));
}

TEST_F(StorageBounds, StridesAndReductionsOfConstantLength) {
    out(x, y) = 0;
    out(x, y) += inner(2 * x + k, y);
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const Stage &update = stage(*built, out, 1);
    const StageId s = update.id;
    Trace trace{action::ComputeRoot{func(*built, out).id}};
    const int16_t dx = update.loops[0].func_dim == 0 ? 0 : 1;
    trace.push_back(action::Tile{s, dx, {16}});
    std::vector<LoopName> order;
    for (size_t l = update.loops.size(); l-- > 0;) order.push_back({s, static_cast<int16_t>(l), 0});
    std::stable_partition(order.begin(), order.end(), [&](LoopName l) {
        return !update.loops[static_cast<size_t>(l.dim)].is_reduction;
    });
    order.push_back({s, dx, 1});
    trace.push_back(action::Reorder{s, order});
    trace.push_back(action::ComputeAt{func(*built, inner).id, {s, dx, 0}});
    const auto nest = replay(built->graph, trace);
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    // 2 * 15 + 8 apart, and one.
    EXPECT_EQ(nest->at(func(*built, inner).id).storage_bound, (SideBounds{39, 1}));
}

TEST_F(StorageBounds, WholeDimensionsHaveNone) {
    out(x, y) = inner(x, y);
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const StageId s = stage(*built, out).id;
    const auto nest =
        replay(built->graph, Trace{action::ComputeRoot{func(*built, out).id},
                                   action::ComputeAt{func(*built, inner).id, {s, 1, 0}}});
    ASSERT_TRUE(nest.ok());
    EXPECT_EQ(nest->at(func(*built, inner).id).storage_bound, (SideBounds{0, 1}));
}

TEST_F(StorageBounds, WhatRoundsUpIsStoredWhole) {
    out(x, y) = inner(x - 1, y) + inner(x + 1, y);
    ASSERT_EQ(in_tiles(), (SideBounds{18, 4}));
    const StageId s = stage(*built, inner).id;
    EXPECT_EQ(in_tiles({}, {action::Vectorize{s, 0, 16}}), (SideBounds{32, 4}));
    EXPECT_EQ(in_tiles({}, {action::Tile{s, 1, {3}}}), (SideBounds{18, 6}));
}

TEST_F(StorageBounds, NothingIsKnownOfClampsRoundingAndParameters) {
    Param<int> shift("shift");
    shift.set_estimate(2);
    for (Expr index : {clamp(x, 0, 600), x / 2, (x / 2) * 2, x % 32, x + shift, x * x,
                       x + select((x / 32) % 2 == 1, -32, 32)}) {
        out = Halide::Func("out");
        out(x, y) = inner(index, y);
        EXPECT_EQ(in_tiles()[0], 0) << index;
    }
    // Windows that drift apart.
    out = Halide::Func("out");
    out(x, y) = inner(x, y) + inner(2 * x, y);
    EXPECT_EQ(in_tiles(), (SideBounds{0, 4}));
}

// Halide takes all of the dimensions of a fused loop for needed.
TEST_F(StorageBounds, NothingIsKnownOfFusedLoops) {
    out(x, y) = inner(x, y) + inner(x, y + 1);
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const StageId s = stage(*built, out).id;
    const auto at = [&](int parallel) {
        Trace trace{action::ComputeRoot{func(*built, out).id}, action::Tile{s, 0, {16}},
                    action::Reorder{s, {{s, 0, 0}, {s, 1, 0}, {s, 0, 1}}},
                    action::Parallel{s, parallel},
                    action::ComputeAt{func(*built, inner).id, {s, 1, 0}}};
        const auto nest = replay(built->graph, trace);
        if (!nest.ok()) throw std::runtime_error(name(nest.error().reason));
        return nest->at(func(*built, inner).id).storage_bound;
    };
    EXPECT_EQ(at(1), (SideBounds{16, 2}));
    EXPECT_EQ(at(2), (SideBounds{0, 0}));
}

// A loop inside of them says how much of the dimension there is, whatever they walk.
TEST_F(StorageBounds, LoopsInsideOfFusedLoopsBoundTheirPart) {
    out(x, y) = inner(x, y) + inner(x, y + 1);
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const StageId s = stage(*built, out).id;
    const Trace trace{action::ComputeRoot{func(*built, out).id},
                      action::Tile{s, 0, {64, 16}},
                      action::Tile{s, 1, {8}},
                      action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 0, 1}, {s, 1, 1}, {s, 0, 2}}},
                      action::Parallel{s, 2},
                      action::ComputeAt{func(*built, inner).id, {s, 0, 1}}};
    const auto nest = replay(built->graph, trace);
    ASSERT_TRUE(nest.ok());
    EXPECT_EQ(nest->at(func(*built, inner).id).storage_bound, (SideBounds{16, 0}));
}

// Halide asks for the rows from there to the one at hand: a bound of one row ended the program.
TEST_F(StorageBounds, WhatIsReadInOneRowAloneHasNoBoundOfRows) {
    const auto bounds_where = [&](const Expr &condition) {
        out = Halide::Func("out");
        out(x, y) = select(condition, inner(x, y) + inner(x + 1, y), 3);
        return in_tiles();
    };
    EXPECT_EQ(bounds_where(y == 1), (SideBounds{17, 0}));
    EXPECT_EQ(bounds_where(x > 8 || y % 2 != 0), (SideBounds{17, 0}));
    EXPECT_EQ(bounds_where(y <= 1), (SideBounds{17, 4}));
    EXPECT_EQ(bounds_where(x == 1), (SideBounds{0, 4}));
    // Not the read inside of it, but the Func that is inlined.
    out = Halide::Func("out");
    Halide::Func between("between");
    between(x, y) = inner(x, y) * 2;
    out(x, y) = select(y == 1, between(x, y), 3);
    estimate(out, {640, 480});
    built = std::make_unique<BuiltGraph>(build({out}));
    const StageId s = stage(*built, out).id;
    const auto nest =
        replay(built->graph, Trace{action::ComputeRoot{func(*built, out).id},
                                   action::Inline{func(*built, between).id},
                                   action::ComputeAt{func(*built, inner).id, {s, 1, 0}}});
    ASSERT_TRUE(nest.ok());
    EXPECT_EQ(nest->at(func(*built, inner).id).storage_bound, (SideBounds{0, 0}));
}

TEST_F(StorageBounds, AnUpdateThatReachesBeyondItsPointHasNone) {
    Halide::Func running("running");
    running(x, y) = in(x, y);
    running(k, y) = running(k - 1, y) + 1;
    inner = running;
    out(x, y) = inner(x, y);
    EXPECT_EQ(in_tiles(), (SideBounds{0, 4}));
}

// From the tile to the point 0, wherever the tile is: a bound of the tile alone ended the program.
TEST_F(StorageBounds, AnUpdateOfOnePlaceHasNone) {
    Halide::Func marked("marked");
    marked(x, y) = in(x, y);
    marked(x, 0) += x;
    inner = marked;
    out(x, y) = inner(x, y);
    EXPECT_EQ(in_tiles(), (SideBounds{16, 0}));
}

}  // namespace
}  // namespace cryolite
