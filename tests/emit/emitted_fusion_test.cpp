// Fused parallel loops: Halide must go on knowing the range of every dimension.
#include "code/legality/apply.h"
#include "emit/emit.h"
#include "schedule/loop_nest.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

// A Func at half the size of the output, whose channels an image is read by, unclamped.
struct HalfSize {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam in{UInt(8), 3, "in"};
    Halide::Func half{"half"}, out{"out"};

    HalfSize() {
        const auto inside = [&](const Expr &e, int d) {
            return clamp(e, in.dim(d).min(), in.dim(d).max());
        };
        half(x, y, c) = cast<float>(in(inside(2 * x, 0), inside(2 * y, 1), c)) + 1;
        out(x, y) =
            half(x / 2, (y - 13) / 2, 0) + half((x - 13) / 2, y / 2 + 9, 1) + half(x / 2, y / 2, 2);
        test::estimate(out, {1296, 784});
        test::estimate(in, {1296, 784, 3});
    }

    // How far the channels go that the pipeline needs of an image of the estimate's size.
    std::pair<int, int> channels() {
        in.reset();
        out.infer_input_bounds({1296, 784});
        return {in.get().dim(2).min(), in.get().dim(2).max()};
    }
};

// Channels outside of rows that are tiled, unrolled in part and guarded: Halide took them for
// -125 .. 125 where rows were fused into channels.
TEST(EmittedFusion, KeepsTheRangeOfAWholeDimension) {
    HalfSize p;
    const BuiltGraph built = test::build({p.out});
    const StageId s = test::stage(built, p.half).id;
    const auto loop = [&](int dim, int level) {
        return LoopName{s, static_cast<int16_t>(dim), static_cast<int16_t>(level)};
    };
    const LoopNest nest = *replay(
        built.graph,
        Trace{action::ComputeRoot{test::func(built, p.out).id},
              action::ComputeRoot{test::func(built, p.half).id}, action::Tile{s, 1, {16, 2}},
              action::Reorder{s, {loop(2, 0), loop(1, 0), loop(1, 1), loop(0, 0), loop(1, 2)}},
              action::Unroll{loop(1, 2)}, action::Parallel{s, 2}});
    LoopNest all = nest;
    for (const Func &f : built.graph.funcs())
        if (!f.is_input() && !all.decided(f.id)) all = *apply(all, action::Inline{f.id});
    ASSERT_TRUE(emit(built, all).ok());
    EXPECT_EQ(p.channels(), (std::pair{0, 2}));
}

// A sum in a tile inside of two fused parallel loops, and a stencil around it.
struct SumInTiles {
    Var x{"x"}, y{"y"};
    RDom k{0, 24, "k"};
    ImageParam left{Int(32), 2, "left"}, right{Int(32), 2, "right"};
    Halide::Func sum{"sum"}, out{"out"};

    SumInTiles() {
        sum(x, y) = 0;
        sum(x, y) += left(k, y) * right(x, k);
        out(x, y) = sum(x, y) + sum(x + 1, y) * 3;
        test::estimate(out, {640, 480});
        test::estimate(left, {24, 480});
        test::estimate(right, {641, 24});
    }

    // In tiles of 16 columns and, if those are tiled inside of the fused loops, too, 4 rows.
    BuiltGraph schedule(bool rows_are_tiled_inside, SideBounds &bounds) {
        BuiltGraph built = test::build({out});
        const StageId s = test::stage(built, out).id;
        const FuncId f = test::func(built, sum).id;
        const auto x_loop = [&](int16_t level) { return LoopName{s, 0, level}; };
        const auto y_loop = [&](int16_t level) { return LoopName{s, 1, level}; };
        const std::vector<int64_t> row_spans =
            rows_are_tiled_inside ? std::vector<int64_t>{32, 4} : std::vector<int64_t>{32};
        std::vector<LoopName> order{y_loop(0), x_loop(0), x_loop(1), y_loop(1)};
        if (rows_are_tiled_inside) order.push_back(y_loop(2));
        order.push_back(x_loop(2));
        const LoopName site = rows_are_tiled_inside ? y_loop(1) : x_loop(1);
        const LoopNest nest =
            *replay(built.graph, Trace{action::ComputeRoot{test::func(built, out).id},
                                       action::Tile{s, 0, {64, 16}}, action::Tile{s, 1, row_spans},
                                       action::Reorder{s, order}, action::Parallel{s, 2},
                                       action::ComputeAt{f, site}});
        LoopNest all = nest;
        for (const Func &g : built.graph.funcs())
            if (!g.is_input() && !all.decided(g.id)) all = *apply(all, action::Inline{g.id});
        bounds = all.at(f).storage_bound;
        EXPECT_TRUE(emit(built, all).ok());
        return built;
    }
};

// A bound that is too small would end the program.
TEST(EmittedFusion, BoundsTilesInsideOfFusedLoops) {
    for (const bool rows_are_tiled_inside : {true, false}) {
        SumInTiles plain, tiled;
        SideBounds bounds;
        const BuiltGraph built = tiled.schedule(rows_are_tiled_inside, bounds);
        EXPECT_EQ(bounds, (rows_are_tiled_inside ? SideBounds{17, 4} : SideBounds{17, 0}));
        for (const auto &[width, height] : {std::pair{640, 480},
                                            {64, 32},
                                            {65, 33},
                                            {200, 7},
                                            {5, 100},
                                            {1, 1},
                                            {63, 31},
                                            {129, 95}})
            for (const int min : {0, -7}) {
                Buffer<int> left(24, height), right(width + 1, 24);
                left.set_min(0, min);
                right.set_min(min, 0);
                left.for_each_element([&](int i, int j) { left(i, j) = (i * 31 + j * 17) % 97; });
                right.for_each_element([&](int i, int j) { right(i, j) = (i * 13 - j * 7) % 89; });
                Buffer<int> found(width, height), expected(width, height);
                for (Buffer<int> *b : {&found, &expected}) b->set_min(min, min);
                for (SumInTiles *p : {&plain, &tiled}) {
                    p->left.set(left);
                    p->right.set(right);
                }
                plain.out.realize(expected);
                tiled.out.realize(found);
                found.for_each_element([&](int i, int j) {
                    ASSERT_EQ(found(i, j), expected(i, j)) << width << " x " << height;
                });
            }
    }
}

}  // namespace
}  // namespace cryolite
