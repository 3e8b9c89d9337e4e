// Unrolled loops whose copies know their channel: what is counted, and that Halide computes the right thing.
#include "code/kernel/channels.h"

#include "code/kernel/stage_code.h"
#include "code/stage/unrolled_code.h"
#include "emit/emit.h"
#include "tests/featurize/scheduled.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;
using test::scheduled;

struct ChannelCode : testing::Test {
    Var x{"x"}, y{"y"}, c{"c"};
    ImageParam in{Float(32), 2, "in"};
    Halide::Func grey{"grey"}, colour{"colour"}, out{"out"};

    void define() {
        grey(x, y) = in(x, y) * 0.5f;
        colour(x, y, c) = mux(c, {grey(x, y), sqrt(grey(x, y)), in(x + 1, y) - grey(x, y)});
        out(x, y, c) = colour(x, y, c) * 2.0f;
        estimate(out, {640, 480, 3});
    }
    static void add(Trace &to, const Trace &more) { to.insert(to.end(), more.begin(), more.end()); }
    static Trace with_channels_unrolled(StageId s) {
        return {
            action::Tile{s, 2, {3}}, action::Tile{s, 1, {16}}, action::Vectorize{s, 0, 8},
            action::Reorder{s, {{s, 1, 0}, {s, 2, 0}, {s, 1, 1}, {s, 0, 0}, {s, 2, 1}, {s, 0, 1}}},
            action::Unroll{{s, 2, 1}}};
    }
    static const UnrolledLoop &only_unrolled(const StageCode &code) {
        EXPECT_EQ(code.inner.unrolled.size(), 1u);
        return code.inner.unrolled[0];
    }
};

TEST_F(ChannelCode, CopiesOfAnOutputKnowTheirChannelAndKeepOneWay) {
    define();
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id}};
    add(trace, with_channels_unrolled(o));
    add(trace, {action::Inline{func(built, colour).id}, action::Inline{func(built, grey).id}});
    const LoopNest nest = scheduled(built.graph, trace);
    EXPECT_TRUE(walks_known_channels(nest, o, 2));
    StageExpander expander(built.graph);
    const StageCode code = stage_code(nest, o, expander);
    EXPECT_TRUE(only_unrolled(code).is_known);
    double roots = 0;
    for (const Computation &what : code.body->computations)
        for (const OperationCount &n : what.operations)
            if (n.kind == OpKind::SquareRoot)
                roots += n.count * repeats_per_body(what, code.inner) *
                         kept_of_copies(*code.stage, what, code.inner);
    EXPECT_NEAR(roots, 1, 1e-6);
    const std::vector<WholePart> parts = specialized_case(nest, o);
    ASSERT_EQ(parts.size(), 3u);
    for (const WholePart &p : parts) EXPECT_EQ(p.is_exact, p.func_dim == 2) << p.func_dim;
}

TEST_F(ChannelCode, CopiesInATileOfAnOutputKnowThem) {
    define();
    const BuiltGraph built = build({out});
    const Func &reader = func(built, out);
    const StageId o = reader.stages[0], s = func(built, colour).stages[0];
    const auto colour_at = [&](LoopName site, bool in_order_of_channels) {
        Trace trace{action::ComputeRoot{reader.id}, action::Tile{o, 1, {16}}};
        if (in_order_of_channels)
            trace.push_back(action::Reorder{o, {{o, 2, 0}, {o, 1, 0}, {o, 1, 1}, {o, 0, 0}}});
        else
            trace.push_back(action::Reorder{o, {{o, 1, 0}, {o, 2, 0}, {o, 1, 1}, {o, 0, 0}}});
        add(trace, {action::ComputeAt{func(built, colour).id, site}, action::Tile{s, 2, {3}},
                    action::Reorder{s, {{s, 2, 0}, {s, 1, 0}, {s, 0, 0}, {s, 2, 1}}},
                    action::Unroll{{s, 2, 1}}, action::Inline{func(built, grey).id}});
        const auto nest = replay(built.graph, trace);
        return nest.ok() && walks_known_channels(*nest, s, 2);
    };
    EXPECT_TRUE(colour_at({o, 1, 0}, false));
    // One iteration of the reader's loop over channels needs one of them.
    EXPECT_FALSE(colour_at({o, 1, 0}, true));
}

TEST_F(ChannelCode, CopiesAtRootDoNotKnowThem) {
    define();
    const BuiltGraph built = build({out});
    const StageId s = func(built, colour).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id},
                action::ComputeRoot{func(built, colour).id}};
    add(trace, with_channels_unrolled(s));
    trace.push_back(action::Inline{func(built, grey).id});
    const LoopNest nest = scheduled(built.graph, trace);
    EXPECT_FALSE(walks_known_channels(nest, s, 2));
    StageExpander expander(built.graph);
    EXPECT_FALSE(only_unrolled(stage_code(nest, s, expander)).is_known);
}

// The estimates are a promise about speed alone.
TEST_F(ChannelCode, OtherChannelsAreRight) {
    Halide::Func plain("plain"), plain_colour("plain_colour");
    Buffer<float> image(700, 500);
    image.for_each_element(
        [&](int i, int j) { image(i, j) = static_cast<float>((i * 7 + j * 3) % 64); });
    in.set(image);
    define();
    plain_colour(x, y, c) =
        mux(c, {in(x, y) * 0.5f, sqrt(in(x, y) * 0.5f), in(x + 1, y) - in(x, y) * 0.5f});
    plain(x, y, c) = plain_colour(x, y, c) * 2.0f;
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id}};
    add(trace, with_channels_unrolled(o));
    add(trace, {action::Inline{func(built, colour).id}, action::Inline{func(built, grey).id}});
    const LoopNest nest = scheduled(built.graph, trace);
    ASSERT_TRUE(emit(built, nest).ok());
    for (const auto &[first, channels] : {std::pair{0, 3}, {0, 2}, {0, 4}, {1, 3}, {2, 1}, {-1, 4}})
        for (const int width : {3, 64, 101}) {
            Buffer<float> found(width, 50, channels), expected(width, 50, channels);
            for (Buffer<float> *b : {&found, &expected}) b->set_min(0, 0, first);
            out.realize(found);
            plain.realize(expected);
            found.for_each_element([&](int i, int j, int k) {
                ASSERT_EQ(found(i, j, k), expected(i, j, k))
                    << "channel " << k << " of " << channels << " from " << first;
            });
        }
}

// Copies of loops are loops of their own, which share nothing.
TEST_F(ChannelCode, LoopsThatAreCopiedShareNothing) {
    define();
    const BuiltGraph built = build({out});
    const StageId o = func(built, out).stages[0];
    Trace trace{action::ComputeRoot{func(built, out).id}, action::Tile{o, 1, {4}},
                action::Reorder{o, {{o, 2, 0}, {o, 1, 0}, {o, 1, 1}, {o, 0, 0}}},
                action::Unroll{{o, 1, 1}}};
    const InnerLoops around =
        inner_loops(built.graph.stage(o), scheduled(built.graph, trace).stage_nest(o));
    EXPECT_TRUE(around.unrolled.empty());
    ASSERT_EQ(around.copied.size(), 1u);
    EXPECT_EQ(around.copied[0].factor, 4);
    EXPECT_EQ(around.code_copies(), 4);
    EXPECT_EQ(around.unroll_product, 1);
    trace[2] = action::Reorder{o, {{o, 2, 0}, {o, 1, 0}, {o, 0, 0}, {o, 1, 1}}};
    const InnerLoops inside =
        inner_loops(built.graph.stage(o), scheduled(built.graph, trace).stage_nest(o));
    EXPECT_TRUE(inside.copied.empty());
    EXPECT_EQ(inside.unroll_product, 4);
}

}  // namespace
}  // namespace cryolite
