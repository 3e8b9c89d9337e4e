// Loops over channels, by which stages choose what to compute.
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::stage;

struct Channels : testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam in{Float(32), 2, "in"};
    Halide::Func colour{"colour"}, out{"out"};

    Expr way(int i) const { return in(x + i, y) * 2.0f; }
    Expr one_of_three() const { return mux(c, {way(0), way(1), sqrt(way(2))}); }
    static int64_t channels(const Stage &s, size_t loop) { return s.loops[loop].channels; }

    static float kept_of(const Stage &s, OpKind kind, size_t loop) {
        for (const OperationGroup &g : s.operation_groups)
            for (const OperationCount &o : g.operations)
                if (o.kind == kind) return g.kept_share.empty() ? 1 : g.kept_share[loop];
        return -1;
    }
};

TEST_F(Channels, AreTheLoopThatAMuxAsks) {
    out(x, y, c) = one_of_three();
    estimate(out, {640, 480, 3});
    const Stage s = stage(build({out}), out);
    EXPECT_EQ(channels(s, 0), 0);
    EXPECT_EQ(channels(s, 2), 3);
    EXPECT_FLOAT_EQ(kept_of(s, OpKind::SquareRoot, 2), 1.0f / 3);
}

// As the nine directions of a lattice.
TEST_F(Channels, MayBeNine) {
    std::vector<Expr> ways;
    for (int i = 0; i < 9; i++) ways.push_back(way(i));
    out(x, y, c) = mux(c, ways);
    estimate(out, {640, 480, 9});
    EXPECT_EQ(channels(stage(build({out}), out), 2), 9);
}

TEST_F(Channels, AreNoLoopThatNothingAsks) {
    out(x, y, c) = way(0) * cast<float>(c);
    estimate(out, {640, 480, 3});
    EXPECT_EQ(channels(stage(build({out}), out), 2), 0);
}

TEST_F(Channels, AreFewAndBeginAtZero) {
    out(x, y, c) = one_of_three();
    estimate(out, {640, 480, 40});
    EXPECT_EQ(channels(stage(build({out}), out), 2), 0);
    Halide::Func later("later");
    later(x, y, c) = one_of_three();
    later.set_estimates({{0, 640}, {0, 480}, {1, 3}});
    EXPECT_EQ(channels(stage(build({later}), later), 2), 0);
}

// The reader walks them all; or it asks for each by its number.
TEST_F(Channels, ReachTheFuncThatIsReadByThem) {
    colour(x, y, c) = one_of_three();
    out(x, y, c) = colour(x, y, c) + colour(x + 1, y, c);
    estimate(out, {640, 480, 3});
    const BuiltGraph by_loop = build({out});
    EXPECT_EQ(channels(stage(by_loop, colour), 2), 3);
    // It may be inlined, so its reader chooses, too.
    EXPECT_EQ(channels(stage(by_loop, out), 2), 3);

    Halide::Func by_name("by_name");
    by_name(x, y) = colour(x, y, 0) + colour(x, y, 1) + colour(x, y, 2);
    estimate(by_name, {640, 480});
    EXPECT_EQ(channels(stage(build({by_name}), colour), 2), 3);
}

TEST_F(Channels, AreUnknownWhereSizesDecide) {
    Param<int> which{"which"};
    which.set_estimate(1);
    colour(x, y, c) = one_of_three();
    out(x, y) = colour(x, y, which) + colour(x, y, 0);
    estimate(out, {640, 480});
    EXPECT_EQ(channels(stage(build({out}), colour), 2), 0);
}

TEST_F(Channels, OfUpdatesCountAsThoseOfTheirFunc) {
    colour(x, y, c) = 0.0f;
    RDom r(0, 16, "r");
    colour(x, y, c) += one_of_three() * cast<float>(r);
    out(x, y, c) = colour(x, y, c) / colour(x, y, 2);
    estimate(out, {640, 480, 2});
    const Stage update = stage(build({out}), colour, 1);
    for (const StageLoop &loop : update.loops)
        EXPECT_EQ(loop.channels, loop.name == "c" ? 3 : 0) << loop.name;
}

}  // namespace
}  // namespace cryolite
