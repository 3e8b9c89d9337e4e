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

}  // namespace
}  // namespace cryolite
