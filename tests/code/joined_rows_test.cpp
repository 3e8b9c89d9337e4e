// Short rows that are joined in one vector: where the space has them, and that they compute the same.
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

// Sums of the columns of blocks of 8 x 4 bytes, as partial results of the blocks' sums.
struct Blocks {
    Var x{"x"}, y{"y"}, u{"u"};
    ImageParam in{UInt(8), 2, "in"};
    RDom r{0, 8, "r"}, v{0, 4, "v"};
    Halide::Func columns{"columns"}, sums{"sums"}, out{"out"};
    std::unique_ptr<BuiltGraph> built;
    StageId first, update;

    Blocks() {
        columns(u, x, y) = cast<uint16_t>(0);
        columns(u, x, y) += cast<uint16_t>(in(8 * x + u, 4 * y + v));
        sums(x, y) = cast<uint16_t>(0);
        sums(x, y) += columns(r, x, y);
        out(x, y) = cast<uint8_t>(sums(x, y) / 32);
        estimate(out, {64, 24});
        estimate(in, {512, 96});
        built = std::make_unique<BuiltGraph>(build({out}));
        first = built->graph.func(func(*built, columns).id).stages[0];
        update = built->graph.func(func(*built, columns).id).stages[1];
    }

    // The columns' sums inside of strips of the output, in vectors that join the rows of `rows` blocks.
    Trace trace(int rows) const {
        const FuncId o = func(*built, out).id, s = func(*built, sums).id;
        const StageId of_out = built->graph.func(o).stages[0];
        Trace all{action::ComputeRoot{o}, action::Tile{of_out, 0, {16}},
                  action::ComputeAt{s, {of_out, 0, 0}},
                  action::ComputeAt{func(*built, columns).id, {of_out, 0, 0}}};
        for (StageId stage : {first, update}) {
            const auto u = dim(stage, "u"), x = dim(stage, "x"), y = dim(stage, "y");
            std::vector<LoopName> order{{stage, y, 0}, {stage, x, 0}};
            if (stage == update) order.push_back({stage, dim(stage, "v$x"), 0});
            order.insert(order.end(), {{stage, u, 0}, {stage, u, 1}, {stage, x, 1}});
            all.insert(all.end(), {action::Tile{stage, u, {8}}, action::Vectorize{stage, x, rows},
                                   action::Reorder{stage, order}, action::Join{{stage, u, 1}}});
        }
        return all;
    }
    int16_t dim(StageId stage, const std::string &name) const {
        const auto &loops = built->graph.stage(stage).loops;
        const auto is_named = [&](const StageLoop &l) { return l.name.rfind(name, 0) == 0; };
        return static_cast<int16_t>(std::ranges::find_if(loops, is_named) - loops.begin());
    }
    Result<LoopNest, ReplayFailure> with(const Trace &trace) const {
        auto nest = replay(built->graph, trace);
        if (nest.ok())
            for (const cryolite::Func &f : built->graph.funcs())
                if (!f.is_input() && !nest->decided(f.id))
                    *nest = *cryolite::apply(*nest, action::Inline{f.id});
        return nest;
    }
    std::string reason(const Trace &trace) const {
        const auto nest = with(trace);
        return nest.ok() ? std::string("none") : std::string(name(nest.error().reason));
    }
};

TEST(JoinedRows, StandBesideTheVector) {
    const Blocks blocks;
    const auto nest = blocks.with(blocks.trace(4));
    ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
    EXPECT_EQ(validate(*nest), "");
    EXPECT_EQ(joined_points(nest->stage_nest(blocks.update)), 8);
    EXPECT_NE(to_tree_text(*nest).find("joined u.1 in 8"), std::string::npos)
        << to_tree_text(*nest);
    const Trace canonical = trace_of(*nest);
    EXPECT_EQ(replay(blocks.built->graph, canonical)->hash(), nest->hash());
    const std::string text = to_text(blocks.built->graph, canonical);
    EXPECT_NE(text.find("join " + blocks.columns.name() + ".s1 u.1"), std::string::npos) << text;
    const auto read = parse_trace(blocks.built->graph, text);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, canonical);
    Trace unrolled = blocks.trace(4);
    unrolled.back() = action::Unroll{{blocks.update, blocks.dim(blocks.update, "u"), 1}};
    EXPECT_NE(blocks.with(unrolled)->hash(), nest->hash());
}

TEST(JoinedRows, AreRefusedElsewhere) {
    const Blocks blocks;
    const int16_t u = blocks.dim(blocks.update, "u"), x = blocks.dim(blocks.update, "x"),
                  y = blocks.dim(blocks.update, "y"), v = blocks.dim(blocks.update, "v$x");
    const StageId s = blocks.update;
    Trace whole = blocks.trace(4);
    whole.erase(whole.end() - 4);
    whole[whole.size() - 2] =
        action::Reorder{s, {{s, y, 0}, {s, x, 0}, {s, v, 0}, {s, u, 0}, {s, x, 1}}};
    whole.back() = action::Join{{s, u, 0}};
    EXPECT_EQ(blocks.reason(whole), "not_constant") << "Halide need not know how long a row is";
    Trace apart = blocks.trace(4);
    apart[apart.size() - 2] =
        action::Reorder{s, {{s, y, 0}, {s, x, 0}, {s, u, 0}, {s, u, 1}, {s, v, 0}, {s, x, 1}}};
    EXPECT_EQ(blocks.reason(apart), "not_vectorizable") << "a loop between";
    Trace sum = blocks.trace(4);
    sum[sum.size() - 2] =
        action::Reorder{s, {{s, y, 0}, {s, x, 0}, {s, u, 0}, {s, u, 1}, {s, v, 0}, {s, x, 1}}};
    sum.back() = action::Join{{s, v, 0}};
    EXPECT_EQ(blocks.reason(sum), "not_vectorizable") << "no sum of products";
    Trace scalar = blocks.trace(4);
    scalar.erase(scalar.end() - 3);
    scalar[scalar.size() - 2] =
        action::Reorder{s, {{s, y, 0}, {s, x, 0}, {s, v, 0}, {s, u, 0}, {s, u, 1}}};
    EXPECT_EQ(blocks.reason(scalar), "not_vectorizable") << "no vector";
}

TEST(JoinedRows, ComputeTheSameAtEverySize) {
    Blocks plain;
    plain.columns.compute_root();
    plain.sums.compute_root();
    for (int rows : {2, 4, 16}) {
        Blocks blocks;
        const auto nest = blocks.with(blocks.trace(rows));
        ASSERT_TRUE(nest.ok()) << name(nest.error().reason);
        ASSERT_TRUE(emit(*blocks.built, *nest).ok());
        for (const auto &[w, h] : {std::pair{64, 24}, {50, 7}, {1, 1}, {33, 5}}) {
            std::mt19937 random(1);
            Buffer<uint8_t> in(8 * w, 4 * h);
            in.for_each_value([&](uint8_t &p) { p = static_cast<uint8_t>(random()); });
            plain.in.set(in);
            blocks.in.set(in);
            const Buffer<uint8_t> expected = plain.out.realize({w, h}),
                                  found = blocks.out.realize({w, h});
            EXPECT_EQ(std::memcmp(expected.data(), found.data(), expected.size_in_bytes()), 0)
                << rows << " rows, " << w << " x " << h;
        }
    }
}

}  // namespace
}  // namespace cryolite
