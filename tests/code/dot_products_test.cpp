// Dot products: where the space has them, and that they compute the same.
#include <random>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "schedule/func_nest.h"
#include "schedule/nest_tree.h"
#include "schedule/trace_text.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;
using test::build;
using test::estimate;
using test::func;

// Rows of bytes times a matrix of small numbers, packed by fours.
struct Layer {
    Var x{"x"}, y{"y"};
    ImageParam rows{UInt(8), 2, "rows"}, weights{Int(8), 3, "weights"};
    RDom r{0, 4, 0, 8, "r"};
    Halide::Func sums{"sums"}, out{"out"};
    std::unique_ptr<BuiltGraph> built;
    StageId update;

    explicit Layer(bool has_predicate = false) {
        if (has_predicate) r.where(r.y < 7);
        sums(x, y) = x;
        sums(x, y) += cast<int32_t>(rows(r.x + 4 * r.y, y)) * cast<int32_t>(weights(r.x, x, r.y));
        out(x, y) = sums(x, y) / 16;
        estimate(out, {64, 24});
        estimate(rows, {32, 24});
        estimate(weights, {4, 64, 8});
        built = std::make_unique<BuiltGraph>(build({out}));
        update = built->graph.func(func(*built, sums).id).stages[1];
    }

    // The sums inside of tiles of the output, the update's loops as `more` says.
    Trace trace(const Trace &more) const {
        const StageId o = built->graph.func(func(*built, out).id).stages[0];
        Trace all{action::ComputeRoot{func(*built, out).id},
                  action::Tile{o, 0, {32}},
                  action::Tile{o, 1, {4}},
                  action::Vectorize{o, 0, 16},
                  action::Reorder{o, {{o, 1, 0}, {o, 0, 0}, {o, 1, 1}, {o, 0, 1}, {o, 0, 2}}},
                  action::ComputeAt{func(*built, sums).id, {o, 0, 0}}};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    LoopName loop(int dim, int level = 0) const {
        return {update, static_cast<int16_t>(dim), static_cast<int16_t>(level)};
    }
    // Loops: 0 and 1 are the reduction's, 2 is x, 3 is y.
    Trace dot() const {
        return {action::Vectorize{update, 2, 16},
                action::Reorder{update, {loop(3), loop(2), loop(1), loop(0), loop(2, 1)}},
                action::Join{loop(0)}};
    }
    Result<LoopNest, ReplayFailure> with(const Trace &more) const {
        auto nest = replay(built->graph, trace(more));
        if (nest.ok())
            for (const cryolite::Func &f : built->graph.funcs())
                if (!f.is_input() && !nest->decided(f.id))
                    *nest = *cryolite::apply(*nest, action::Inline{f.id});
        return nest;
    }
};

TEST(DotProducts, StandBesideTheVector) {
    const Layer layer;
    ASSERT_EQ(layer.built->graph.stage(layer.update).loops[2].name, "x");
    const auto nest = layer.with(layer.dot());
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    EXPECT_EQ(validate(*nest), "");
    EXPECT_EQ(joined_points(nest->stage_nest(layer.update)), 4);
    EXPECT_NE(to_tree_text(*nest).find("dot r$x.0 in 4"), std::string::npos) << to_tree_text(*nest);
    const Trace canonical = trace_of(*nest);
    EXPECT_EQ(replay(layer.built->graph, canonical)->hash(), nest->hash());
    const auto read = parse_trace(layer.built->graph, to_text(layer.built->graph, canonical));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, canonical);
    Trace unrolled = layer.dot();
    unrolled.back() = action::Unroll{layer.loop(0)};
    EXPECT_NE(layer.with(unrolled)->hash(), nest->hash());
}

TEST(DotProducts, AreRefusedElsewhere) {
    const Layer layer;
    const auto reason = [](const Layer &l, const Trace &more) {
        const auto nest = l.with(more);
        return nest.ok() ? std::string("none") : std::string(name(nest.error().reason));
    };
    EXPECT_EQ(reason(layer, {action::Join{layer.loop(0)}}), "not_vectorizable") << "no vector";
    Trace apart = layer.dot();
    apart[1] = action::Reorder{
        layer.update,
        {layer.loop(3), layer.loop(2), layer.loop(0), layer.loop(1), layer.loop(2, 1)}};
    EXPECT_EQ(reason(layer, apart), "not_vectorizable") << "a loop between";
    Trace pure = layer.dot();
    pure.back() = action::Join{layer.loop(3)};
    EXPECT_EQ(reason(layer, pure), "not_constant") << "no reduction";
    Trace parallel = layer.dot();
    parallel.push_back(action::Parallel{layer.update, 1});
    EXPECT_EQ(reason(layer, parallel), "not_parallelizable") << "sums by atomic operations";
    std::swap(parallel[2], parallel[3]);
    EXPECT_EQ(reason(layer, parallel), "not_vectorizable");
    const Layer predicated(true);
    EXPECT_NE(reason(predicated, predicated.dot()), "none");
}

TEST(DotProducts, ComputeTheSameAtEverySize) {
    Layer plain;
    plain.sums.compute_root();
    for (bool unrolled : {false, true}) {
        Layer layer;
        Trace more = layer.dot();
        if (unrolled) {
            more.insert(more.begin(), action::Tile{layer.update, 2, {32}});
            more.insert(more.begin(), action::Tile{layer.update, 3, {4}});
            more[3] =
                action::Reorder{layer.update,
                                {layer.loop(3), layer.loop(2), layer.loop(1), layer.loop(3, 1),
                                 layer.loop(2, 1), layer.loop(0), layer.loop(2, 2)}};
            more.push_back(action::Unroll{layer.loop(3, 1)});
            more.push_back(action::Unroll{layer.loop(2, 1)});
        }
        const auto nest = layer.with(more);
        ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
        ASSERT_TRUE(emit(*layer.built, *nest).ok());
        for (const auto &[w, h] : {std::pair{64, 24}, {50, 7}, {1, 1}, {33, 5}}) {
            std::mt19937 random(1);
            Buffer<uint8_t> rows(32, h);
            Buffer<int8_t> weights(4, w, 8);
            rows.for_each_value([&](uint8_t &v) { v = static_cast<uint8_t>(random()); });
            weights.for_each_value([&](int8_t &v) { v = static_cast<int8_t>(random()); });
            for (Layer *l : {&plain, &layer}) {
                l->rows.set(rows);
                l->weights.set(weights);
            }
            const Buffer<int32_t> expected = plain.out.realize({w, h}),
                                  found = layer.out.realize({w, h});
            EXPECT_EQ(std::memcmp(expected.data(), found.data(), expected.size_in_bytes()), 0)
                << w << " x " << h;
        }
    }
}

}  // namespace
}  // namespace cryolite
